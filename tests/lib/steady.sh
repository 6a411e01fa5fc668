#!/bin/sh
# steady.sh - run tests again and again, and say how often each failed.
#
# usage: steady.sh BUILD RUNS BURNERS WORD...
#
# Each test runs alone ($TEST_JOBS: so many at a time), beside BURNERS processes that
# compute. For each that failed: how often, and the sentences that failed; the output of
# each failure stays in BUILD/steady/. The exit status is 0 if none failed.
set -u
build=$(cd "$1" && pwd) || exit 1
runs=$2 burners=$3
shift 3
export HECTOR_BUILD="$build"
cd "$(dirname "$0")/.." || exit 1
rm -rf "$build/steady"
mkdir -p "$build/steady"
TAP_DIR=$build/steady
. lib/which.sh
for word in "$@"; do
    tests_named "$word" || { echo "there is no test called $word" >&2; exit 2; }
done >"$build/steady/list"

trap 'kill $pids 2>/dev/null' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
pids=
for _ in $(seq "$burners"); do
    sh -c 'while :; do :; done' &
    pids="$pids $!"
done

begun=$(date +%s)
for run in $(seq "$runs"); do
    export TAP_DIR="$build/steady/$run"
    mkdir -p "$TAP_DIR"
    # one.sh has said what failed, in its file
    xargs -P "${TEST_JOBS:-1}" -n 1 sh lib/one.sh <"$build/steady/list" >/dev/null 2>&1
    [ ! -t 2 ] || printf '\rrun %d of %d' "$run" "$runs" >&2
done
[ ! -t 2 ] || echo >&2
while read -r test; do
    name=${test##*/}
    bad=$(grep -l '^not ok' "$build"/steady/*/"$name.tap" | wc -l)
    [ "$bad" -gt 0 ] || continue
    echo "$test failed $bad of $runs times:"
    grep -h '^not ok' "$build"/steady/*/"$name.tap" | sed 's/^not ok [0-9]* *- //' |
        sort | uniq -c | sed 's/^/    /'
done <"$build/steady/list" | tee "$build/steady/failed"
echo "$(wc -l <"$build/steady/list") tests, $runs runs each, $burners burners," \
    "$(($(date +%s) - begun)) s: $(grep -c ' times:$' "$build/steady/failed") unsteady"
[ ! -s "$build/steady/failed" ]
