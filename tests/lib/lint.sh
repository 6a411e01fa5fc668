# lint.sh - what the checks of tests/lint share: TAP, and which files there
# are to check (those git knows or would take; all of them outside git).
# shellcheck shell=sh

set -u
cd "${0%/*}" || exit 1
until [ -e Makefile ]; do cd .. || exit 1; done
lint_n=0
lint_failed=0

sources()       # EXTENDED-REGEXP: files of the project whose path matches
{
    { git ls-files -co --exclude-standard 2>/dev/null ||
        find . -type f ! -path './.git/*' ! -path './build/*' \
            ! -path './build-*' |
        sed 's|^\./||'; } |
        sort -u | grep -E "$1" | tr '\n' '\0' | xargs -0 -r ls -d 2>/dev/null
}

clean()         # DESCRIPTION FINDINGS: passes if there are none
{
    lint_n=$((lint_n + 1))
    if [ -z "$2" ]; then
        echo "ok $lint_n - $1"
    else
        lint_failed=1
        echo "not ok $lint_n - $1"
        printf '%s\n' "$2" | sed 's/^/#   /'
    fi
}

skip()          # DESCRIPTION REASON
{
    lint_n=$((lint_n + 1))
    echo "ok $lint_n - $1 # SKIP $2"
}

finish()
{
    echo "1..$lint_n"
    exit $lint_failed
}
