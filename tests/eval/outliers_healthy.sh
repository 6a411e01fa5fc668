#!/bin/sh
# outliers_healthy.sh - is a task of a healthy program ever said to be odd? Runs the
# programs among the test programs that are right, each for some seconds and with 4 to 8
# tasks, one after the other, under policy outlier, and counts what was said: that a task
# is odd, or that a node has too much to do. Each sentence is printed: of some programs it
# is true (serial, whose task 0 does all output), and somebody has to read it.
#
# usage: outliers_healthy.sh BUILD [RUNS [SECONDS [SEED]]]
#   PROGRAMS='ring cg roles:reduce'   POLICY=outlier:every=1
set -eu
build=$(cd "$1" && pwd)
runs=${2:-60} seconds=${3:-10} seed=${4:-1}
programs=${PROGRAMS:-ring cg stencil transpose wavefront poll farm imbalance phases serial \
heat jacobi omp roles:reduce roles:gather roles:allreduce roles:operator roles:thread}
policy=${POLICY:-outlier:every=2}
here=$(cd "${0%/*}" && pwd)
. "${0%/*}/../lib/campaign.sh"

# shellcheck disable=SC2086 # words
set -- $programs
n=0
while [ $n -lt "$runs" ]; do
    draw 5
    tasks=$((4 + drawn))
    draw 3
    size=$((8 << drawn))
    rm -f "$dir"/run.db*
    status=0
    mode=                       # of programs that have some
    [ "$1" = "${1#*:}" ] || mode=${1#*:}
    # shellcheck disable=SC2086 # none, or a word
    hector-run -n $tasks --oversubscribe --timeout 300 --policy none --policy "$policy" \
        "$build/apps/${1%%:*}" $size "$seconds" $mode >"$dir/out" 2>"$dir/err" </dev/null &
    runner=$!
    wait $runner || status=$?
    runner=
    said=$(sqlite3 -cmd '.timeout 5000' "$HECTOR_DB" "SELECT count(*) FROM verdicts
        WHERE kind IN ('outlier', 'imbalance')" 2>/dev/null || echo -1)
    echo "$1 $tasks $size $status $said"
    sqlite3 -cmd '.timeout 5000' "$HECTOR_DB" "SELECT '# ' || why FROM verdicts WHERE
        kind IN ('outlier', 'imbalance')" 2>/dev/null || :
    first=$1
    shift
    set -- "$@" "$first"
    n=$((n + 1))
done | tee "$dir/all" | sed -n 's/^# /said: /p'
awk "$(cat "$here/bound.awk")"'
    /^#/ { next }
    { runs++; odd += $5 > 0; bad += $4 != 0 || $5 < 0; by[$1]++; said[$1] += $5 > 0 }
    END {
        for (p in by)
            printf "%-16s %4d runs, %d with a verdict\n", p, by[p], said[p] | "sort"
        close("sort")
        printf "healthy: %d runs, %d with a verdict: below %.3f; %d bad ends\n", runs, odd,
            bound(odd, runs), bad
    }' "$dir/all"
