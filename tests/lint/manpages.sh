#!/bin/sh
# manpages.sh - manual pages are well formed, each program, daemon and file
# format has one, and options are the same there, in --help and in the tables that
# command lines are read by.
. "${0%/*}/../lib/lint.sh"
. tests/lib/manual.sh

pages=$(sources '\.[1-8]$')
if command -v mandoc >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # one word a page
    clean 'mandoc finds nothing' "$(mandoc -Tlint -W warning $pages 2>&1)"
else
    skip 'mandoc finds nothing' 'no mandoc here'
fi

clean 'everything has a manual page' \
    "$(for page in hector-run.1 hector.1 HCT_RT_Tag.3 hector.conf.5 \
        hector-proto.7 hector-inject.7 hector-policy.7 hct-optimizer.7 hector-batch.7 \
        hector-move.7 hector-master.8 hector-slave.8 hector-judge.8 hector-emulate.8 \
        hector-keep.8 hector-slice.8 hector-restore.1; do
        printf '%s\n' "$pages" | grep -q "/$page\$" || echo "$page is missing"
    done)"

clean 'pages refer to pages that are there' \
    "$(sources '\.[1-8]$' | while read -r f; do
        sed -n 's/^\.Xr \(hector[^ ]*\|hct-[^ ]*\|HCT_[^ ]*\) \([1-8]\).*/\1.\2/p' "$f" |
            while read -r page; do
                printf '%s\n' "$pages" | grep -q "/$page\$" ||
                    echo "$f: refers to $page, which is missing"
            done
    done)"
# An example shows "1 Allreduce ... main imbalance.c:39": that call stands in that line.
clean 'lines of programs in examples are where the call is' \
    "$(sources '\.[1-8]$' | xargs grep -hoE '^ *[0-9]+ +[A-Z][a-z_]+ .*[a-z_]+\.[ch]:[0-9]+' |
        sed -nE 's/^ *[0-9]+ +([A-Z][a-z_]+) [^:]* ([a-z_]+\.[ch]):([0-9]+)( .*)?$/\1 \2 \3/p' |
        sort -u | while read -r call file line; do
            [ -e "tests/apps/$file" ] || continue
            sed -n "${line}p" "tests/apps/$file" | grep -q "MPI_$call\>" ||
                echo "$file:$line has no MPI_$call"
        done)"
# Scripts for batch systems are files, which tests run.
clean 'scripts in hector-batch.7 are those of config/batch' \
    "$(for f in config/batch/*.sh; do
        manual_script redirector/hector-batch.7 "${f##*/}" |
            cmp -s - "$f" || echo "$f: the page has another one"
    done
    for f in $(manual_scripts redirector/hector-batch.7); do
        [ -s "config/batch/$f" ] || echo "$f of the page is no file"
        grep -q "manual_script .*$f" tests/t/2*.t || echo "$f: no test runs it"
    done)"
# What --help names stands in the page; of what has an entry there at least one
# name is in --help: others are for those who come from elsewhere.
dashes()        # reads mdoc, writes options as they are typed
{
    sed 's/^\.//; s/ , -\([a-z]\)/ --\1/g; s/Fl Fl /--/g; s/Fl -/--/g; s/Fl /-/g
        s/[],()[]/ /g'
}
named()         # reads --help, writes an option a line
{
    grep -oE '(^|[][ ,(|])--?[A-Za-z][A-Za-z-]*' | sed 's/^[^-]//' | awk '
        /^--/ || length($0) == 2 || /^-(np|genv)$/ { print; next }
        { for (i = 2; i <= length($0); i++) print "-" substr($0, i, 1) }'
}
rows()          # reads C, writes each name of an option that a table has
{
    awk '
        { all = all $0 "\n" }
        END {
            row = "\\{[ \n]*(NULL|\"[^\"]*\"),[ \n]*\"[^\"]*\",[ \n]*ARGS_[A-Z]"
            while (match(all, row)) {
                names = substr(all, RSTART, RLENGTH)
                all = substr(all, RSTART + RLENGTH)
                sub(/^\{[ \n]*(NULL|"[^"]*"),[ \n]*"/, "", names)
                sub(/".*/, "", names)
                n = split(names, name, " ")
                for (i = 1; i <= n; i++)
                    print (name[i] ~ /^-/ ? "" : length(name[i]) == 1 ? "-" : "--") \
                        name[i]
            }
        }'
}
tables()        # PROGRAM: the files that have its tables
{
    case $1 in
    hector)         sources '^master/hector/.*\.c$' ;;
    hector-run)     sources '^redirector/options/.*\.c$' ;;
    hector-master)  sources '^master/main\.c$' ;;
    hector-judge)   sources '^master/judge/main\.c$' ;;
    hector-slave)   sources '^slave/main\.c$' ;;
    hector-emulate) sources '^slave/emulate/.*\.c$' ;;
    hector-keep)    sources '^slave/keep/main\.c$' ;;
    hector-slice)   sources '^slave/slice/main\.c$' ;;
    esac
    echo proto/base/args.h      # the rows of all
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=${HECTOR_BUILD:-build}
for page in $(sources '/hector(-run|-master|-judge|-slave|-emulate|-keep|-slice)?\.[18]$'); do
    program=${page##*/}
    program=${program%.[18]}
    if [ ! -x "$build/bin/$program" ]; then
        skip "options of $program" 'not built'
        continue
    fi
    "$build/bin/$program" --help 2>&1 | named | sort -u >"$work/help"
    dashes <"$page" | tr ' ' '\n' | grep '^-' | sort -u >"$work/page"
    clean "options of $program: the same in its page and in --help" \
        "$(comm -23 "$work/help" "$work/page" | sed 's/^/not in the page: /'
        sed -n 's/^\.It \(Fl .*\)/\1/p' "$page" | dashes |
            while read -r entry; do
                printf '%s\n' "$entry" | tr ' ' '\n' | grep '^-' |
                    grep -qxFf "$work/help" || echo "not in --help: $entry"
            done)"
    tables "$program" | xargs cat | rows | sort -u >"$work/table"
    clean "options of $program: all names of its table in its page, and back" \
        "$([ "$(wc -l <"$work/table")" -gt 4 ] || echo 'no table'
        grep -v '^-[Vh]$' "$work/table" | comm -23 - "$work/page" |
            sed 's/^/not in the page: /'
        sed -n 's/^\.It \(Fl .*\)/\1/p' "$page" | dashes | tr ' ' '\n' |
            grep '^-.' | grep -v '^-[Vh]$' | sort -u |
            comm -23 - "$work/table" |
            sed 's/^/in no table: /')"
done
finish
