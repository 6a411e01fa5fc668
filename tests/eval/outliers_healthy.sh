#!/bin/sh
# outliers_healthy.sh - is a task of a healthy program ever said to be odd? Runs the
# programs among the test programs that are right, each for some seconds and with 4 to 8
# tasks, one after the other, under policy outlier, and counts what was said: that a task
# is odd, or that a node has too much to do. Each sentence is printed: of some programs it
# is true (serial, whose task 0 does all output), and somebody has to read it.
#
# usage: outliers_healthy.sh BUILD [RUNS [SECONDS [SEED]]]
#   PROGRAMS='ring cg roles:reduce'   POLICY=outlier:every=1
#   LANES=1         so many at a time, which is a load, too
#   STOPS=0         in so many of 100 runs all tasks are stopped for some seconds, one
#                   after the other, and go on like that
#   APPS=DIR        programs of another build
set -eu
build=$(cd "$1" && pwd)
runs=${2:-60} seconds=${3:-10} seed=${4:-1} lanes=${LANES:-1} stops=${STOPS:-0}
programs=${PROGRAMS:-ring cg stencil transpose wavefront poll farm imbalance phases serial \
heat jacobi omp chance:clock chance:lot chance:rare chance:ask roles:reduce roles:gather \
roles:allreduce roles:operator roles:thread}
policy=${POLICY:-outlier:every=2}
apps=${APPS:-$build/apps}
here=$(cd "${0%/*}" && pwd)
. "${0%/*}/../lib/campaign.sh"

ask() { sqlite3 -cmd '.timeout 20000' "$HECTOR_DB" "$1" 2>/dev/null; }
# Each goes on for a moment while others stand already, or still.
stop_all()
{
    pids=$(ask 'SELECT pid FROM tasks') || return 0
    for signal in STOP CONT; do
        for pid in $pids; do
            kill -s $signal "$pid" && sleep 0.1
        done
        sleep 3
    done
} 2>/dev/null

# one PROGRAM: a run; a line of it, and of each sentence
one()
{
    draw 5
    tasks=$((4 + drawn))
    draw 3
    size=$((8 << drawn))
    draw 100
    rm -f "$HECTOR_DB"*
    status=0
    mode=                       # of programs that have some
    [ "$1" = "${1#*:}" ] || mode=${1#*:}
    # shellcheck disable=SC2086 # none, or a word
    hector-run -n $tasks --oversubscribe --timeout 300 --policy none --policy "$policy" \
        "$apps/${1%%:*}" $size "$seconds" $mode >"$here_out.out" 2>"$here_out.err" \
        </dev/null &
    runner=$!
    if [ "$drawn" -lt "$stops" ]; then
        sleep $((seconds / 3))
        stop_all
    fi
    wait $runner || status=$?
    runner=
    echo "$1 $tasks $size $status $(ask "SELECT ifnull(sum(kind = 'outlier'), 0) || ' ' ||
        ifnull(sum(kind = 'imbalance'), 0) FROM verdicts" || echo -1 -1)"
    ask "SELECT '# $1: ' || why FROM verdicts WHERE kind IN ('outlier', 'imbalance')" || :
}

# Each its own series, and database.
lane()          # NUMBER
{
    here_out=$dir/$1
    HECTOR_DB=$dir/$1.db
    seed=$((seed * 1000 + $1))
    # shellcheck disable=SC2086 # words
    set -- "$1" $programs
    n=$1
    shift
    i=0
    while [ $i -lt "$n" ]; do   # not all begin with the same
        set -- "$@" "$1"
        shift
        i=$((i + 1))
    done
    while [ "$n" -lt "$runs" ]; do
        one "$1"
        set -- "$@" "$1"
        shift
        n=$((n + lanes))
    done
}
n=0
while [ $n -lt "$lanes" ]; do
    (trap 'test -z "$runner" || kill "$runner" 2>/dev/null' EXIT
    lane $n) >"$dir/lane.$n" &
    n=$((n + 1))
done
wait
cat "$dir"/lane.* | tee "$dir/all" | sed -n 's/^# /said: /p'
awk "$(cat "$here/bound.awk")"'
    /^#/ { next }
    {
        runs++
        odd += $5 > 0
        kept += $6 > 0
        bad += $4 != 0 || $5 < 0
        by[$1]++
        said[$1] += $5 > 0
    }
    END {
        for (p in by)
            printf "%-16s %4d runs, somebody odd in %d\n", p, by[p], said[p] | "sort"
        close("sort")
        printf "healthy: %d runs, somebody odd in %d: below %.3f; a node with too much " \
            "to do in %d; %d bad ends\n", runs, odd, bound(odd, runs), kept, bad
    }' "$dir/all"
