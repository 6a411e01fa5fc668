#!/bin/sh
# run.sh - run tests under prove (or, where there is none, one by one) and
# count their results.
#
# usage: run.sh BUILD WORD...
#
# which.sh says what a WORD can be. The words are run one after the other, and each is
# followed by the seconds that it took. The output of each test stays in $TAP_DIR, or
# BUILD/tap/. The last line is
#
#   N passed, N failed[, N skipped]
#
# (also in its file summary), and the exit status is 0 if nothing failed and something
# passed. Lints and fuzzers, which compute, run one for each processor at a time; the
# others mostly wait, and three run, up to 16 in all; $TEST_JOBS says another number.
# System tests whose tasks compute most of their time say "# busy" in their first lines:
# of them one runs at a time, beside others. Where tests would share /dev/shm (see
# one.sh), one runs at a time of all. Tests with the longest limits begin first.
#
# A system test that fails is run once more, alone, when all others have ended. If it
# passes then it is unsteady: it counts as passed, and the last lines and the file
# BUILD/tap/unsteady name it, with what had failed. Where more than 12 have failed that
# is not by chance, and none is run again.
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
. lib/which.sh
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

# Rules of prove: it takes the first test whose forerunner in the same rule has ended.
rules()         # LIST
{
    grep '\.t$' "$1" | xargs -r grep -lx '# busy' >"$1.busy"
    [ ! -s "$1.busy" ] || echo "seq={$(paste -s -d , "$1.busy")}"
    grep -vxFf "$1.busy" "$1" | sed 's/^/seq=/'
}

run_list()      # JOBS LIST
{
    if command -v prove >/dev/null 2>&1; then
        rules "$2" | sed 's/^/--rules=/' >"$2.rules"
        xargs -a "$2.rules" -d '\n' prove --timer --jobs "$1" --exec 'sh lib/one.sh' - <"$2"
    else
        while read -r test; do
            echo "# $test"
            sh lib/one.sh "$test" | grep -v '^ok'
        done <"$2"
    fi
}

failed()        # TEST: something in its kept output has
{
    grep -E '^not ok' "$TAP_DIR/${1##*/}.tap" 2>/dev/null | grep -iqv '# *todo'
}

processors=$(nproc 2>/dev/null || echo 1)
alone=
unshare -m mount -t tmpfs shm /dev/shm 2>/dev/null || alone=1
for word in "$@"; do
    list=$TAP_DIR/list
    tests_named "$word" >"$list.named" ||
        echo "not ok - there is no test called $word" | tee -a "$TAP_DIR/words.tap"
    limit_first <"$list.named" >"$list"
    jobs=$((processors * 3))
    case $word in lint*|fuzz*) jobs=$processors ;; esac
    [ "$jobs" -le 16 ] || jobs=16
    begun=$(date +%s)
    run_list "${alone:-${TEST_JOBS:-$jobs}}" "$list"
    cat "$list" >>"$TAP_DIR/all"
    echo "$word: $(wc -l <"$list") files in $(($(date +%s) - begun)) s"
done

# ------------------------------------------------------- what failed, once more
: >"$TAP_DIR/unsteady"
grep '^t/' "$TAP_DIR/all" | while read -r test; do
    if failed "$test"; then echo "$test"; fi
done >"$TAP_DIR/again"
if [ "$(wc -l <"$TAP_DIR/again")" -gt 12 ]; then
    echo 'More than 12 system tests have failed: none is run again.'
elif [ -s "$TAP_DIR/again" ]; then
    mkdir -p "$TAP_DIR/first"
    while read -r test <&3; do
        name=${test##*/}
        mv "$TAP_DIR/$name.tap" "$TAP_DIR/$name.err" "$TAP_DIR/first/"
        echo "once more, alone: $test"
        if sh lib/one.sh "$test" >"$TAP_DIR/output" 2>&1; then
            echo "unsteady: $test: $(grep -m 1 '^not ok' "$TAP_DIR/first/$name.tap" |
                sed 's/^not ok [0-9]* *- //')" >>"$TAP_DIR/unsteady"
        else
            grep -v '^ok' "$TAP_DIR/output"
        fi
    done 3<"$TAP_DIR/again"
fi

# Counted from the kept output, so that both ways count alike.
cat "$TAP_DIR/unsteady"
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
