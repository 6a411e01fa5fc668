#!/bin/sh
# run.sh - run tests under prove (or, where there is none, one by one) and
# count their results.
#
# usage: run.sh BUILD WHAT...
#
# WHAT is lint, unit, t, fuzz, or a pattern below tests/: 't/0100*', unit/test_job.
# The output of each test stays in $TAP_DIR, or BUILD/tap/. The last line is
#
#   N passed, N failed[, N skipped]
#
# (also in its file summary), and the exit status is 0 if nothing failed and
# something passed. Three times as many run at a time as there are processors, up
# to 16, or $TEST_JOBS: beside others a system test takes about a quarter of one, for
# it waits, also for times that are what is tested. But only one, where they would
# share /dev/shm (see one.sh).
# Those that may take long by what they say of themselves begin first, so that
# none of them is left over at the end.
#
# A test that fails has failed: none is run again. Tests wait for events, and
# what depends on the machine's load is measured by make bench, not here.
set -u
build=$(cd "$1" && pwd) || exit 1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
export HECTOR_BUILD="$build" TAP_DIR="${TAP_DIR:-$build/tap}"
rm -rf "$TAP_DIR"
mkdir -p "$TAP_DIR"

# From here on in the folder of the tests: prove takes its command apart at
# blanks, so no path may be in it.
cd "$here" || exit 1
list=$TAP_DIR/list
limit_first()   # names of tests on stdin; those of one limit stay as they are
{
    while read -r test; do
        limit=
        [ "$test" = "${test%.t}" ] ||
            limit=$(sed -n '1,20s/^# limit: *\([0-9]*\).*/\1/p' "$test" |
                head -n 1)
        echo "${limit:-0} $test"
    done | sort -s -r -n -k 1,1 | cut -d ' ' -f 2-
}
# shellcheck disable=SC2086 # patterns are meant to match
for what in "$@"; do
    case $what in
    lint)   ls lint/*.sh ;;
    unit)   ls "$build"/unit/test_* ;;
    t|fuzz) ls $what/*.t ;;
    unit/*) ls "$build"/$what* ;;
    *)      ls $what* ;;
    esac 2>/dev/null | grep -v '\.d$' || echo "run.sh: no test is called $what" >&2
done | limit_first >"$list"

unshare -m mount -t tmpfs shm /dev/shm 2>/dev/null || TEST_JOBS=1
if command -v prove >/dev/null 2>&1; then
    jobs=$(($(nproc 2>/dev/null || echo 1) * 3))
    [ "$jobs" -le 16 ] || jobs=16
    prove --timer --jobs "${TEST_JOBS:-$jobs}" --exec 'sh lib/one.sh' - <"$list"
else
    while read -r test; do
        echo "# $test"
        sh lib/one.sh "$test" | grep -v '^ok'
    done <"$list"
fi

# Counted from the kept output, so that both ways count alike.
cat "$TAP_DIR"/*.tap 2>/dev/null | awk -v summary="$TAP_DIR/summary" '
    /^ *1\.\.0 *# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
    /^ok .*# *[Ss][Kk][Ii][Pp]/      { skipped++; next }
    /^ok/                            { passed++; next }
    /^not ok .*# *[Tt][Oo][Dd][Oo]/  { skipped++; next }
    /^not ok/                        { failed++; next }
    END {
        line = passed + 0 " passed, " failed + 0 " failed"
        if (skipped)
            line = line ", " skipped " skipped"
        print line
        print line >summary
        exit failed > 0 || passed == 0
    }'
