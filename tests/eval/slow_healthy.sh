#!/bin/sh
# slow_healthy.sh - is the policy slow silent on programs that are right? Runs the
# kernels among the test programs, and the paced one in the disguises that cost a
# fail-slow detector most, each for some time, some of them at once; some
# while somebody suspends the job or stops a task. A line a run, with what
# was said, and the sum.
#
# usage: HECTOR_BUILD=BUILD sh slow_healthy.sh [RUNS [SECONDS]]
#   RUNS=30 SECONDS=40 of each
#   FIRST=0           begins with that run
#   ONLY=stencil      runs of that program alone
#   LANES=2           so many runs at a time
#   ROWS=DIR          has the row of each run as soon as it is over. Runs that it has
#                     are not made again, and all of it is summed up
#   KEEP=DIR          gets the database and the output of those with a verdict
# limit: 86400
# shellcheck disable=SC2154 # $build, $top: t.sh
. "${0%/*}/../lib/t.sh"
if [ -z "${T_INSIDE:-}" ]; then
    export SLOW_RUNS="${1:-30}" SLOW_SECONDS="${2:-40}"
fi
hosts 2
need sqlite3

lanes=${LANES:-2} rows=${ROWS:-$T/rows.d}
mkdir -p "$rows"
ask() { sqlite3 -cmd '.timeout 20000' "$run/run.db" "$1" 2>/dev/null; }
programs='stencil imbalance serial phases farm cg wavefront poll transpose ring
    heat jacobi stencil omp paced'
disturbs='no no suspend no stop'
pick()          # NUMBER WORD...
{
    tap_i=$(($1 % ($# - 1) + 1))
    shift $tap_i
    picked=$1
}
# The job runs for a third of its time, then this happens to it.
disturb()
{
    sleep $((SLOW_SECONDS / 3))
    case $disturb in
    suspend)
        hector suspend 1 && sleep 5
        hector resume 1 ;;
    stop)
        pid=$(ask 'SELECT pid FROM tasks WHERE rank = 1')
        kill -STOP "$pid" && sleep 4
        kill -CONT "$pid" ;;
    esac
} >"$run/disturb" 2>&1

run_one()       # NUMBER PROGRAM DISTURBANCE
{
    run=$T/run$1 disturb=$3
    mkdir -p "$run"
    size=64 more=''
    case $2 in
    stencil) size=$((64 << $1 % 4)) ;;
    imbalance) size=$((2000 << $1 % 3)) ;;
    paced) size=20 more=cpu ;;
    esac
    set -- "$1" "$2" "$3" "$APPS/$2" $size "$SLOW_SECONDS"
    [ "$2" != paced ] || set -- "$1" "$2" "$3" timeout -k 5 "$SLOW_SECONDS" \
        "$APPS/paced" 20 /dev/null $more
    number=$1 program=$2
    shift 3
    HECTOR_DB=$run/run.db hector-run --launch-agent "$AGENT" -H n1:2,n2:4 -n 4 \
        --policy none --policy slow "$@" >"$run/out" 2>"$run/err" </dev/null &
    runner=$!
    [ "$disturb" = no ] || HECTOR_DB=$run/run.db disturb
    status=0
    wait $runner || status=$?
    said=$(ask "SELECT count(*) FROM verdicts WHERE kind = 'slowdown'" || echo 0)
    why=$(ask "SELECT why FROM verdicts WHERE kind = 'slowdown' LIMIT 1")
    looks=$(ask 'SELECT ifnull(max(seq), 0) FROM look')
    row="$number $program $disturb: status $status, $looks looks, ${said:-0} said${why:+: $why}"
    echo "$row"
    echo "$row" >"$run.row"
    mv "$run.row" "$rows/$number"
    if [ "${said:-0}" != 0 ] && [ -n "${KEEP:-}" ]; then
        mkdir -p "$KEEP/$number.$program"
        cp "$run"/* "$KEEP/$number.$program/"
    fi
}

i=${FIRST:-0}
last=$((i + SLOW_RUNS))
# shellcheck disable=SC2086 # words
while [ "$i" -lt $last ]; do
    lot=''
    for lane in $(seq "$lanes"); do
        [ $((i + lane)) -le $last ] || break
        pick $((i + lane - 1)) $programs
        program=${ONLY:-$picked}
        pick $((i + lane - 1)) $disturbs
        [ -s "$rows/$((i + lane - 1))" ] ||
            run_one $((i + lane - 1)) "$program" "$picked" &
        lot="$lot $!"
    done
    for pid in $lot; do wait "$pid"; done
    i=$((i + lanes))
done
cat "$rows"/[0-9]* >"$T/rows"
# Between what bounds it is in 95 %: Wilson, Probable inference, 1927.
awk '{ runs++; alarms += !/ 0 said/; short += !/status (0|124),/ }
    END {
        z = 1.96 * 1.96; p = alarms / runs
        h = 1.96 * sqrt(p * (1 - p) / runs + z / (4 * runs * runs)) / (1 + z / runs)
        m = (p + z / (2 * runs)) / (1 + z / runs)
        printf "%d runs of healthy programs, slow was said in %d (95 %%: %.0f to " \
            "%.0f %%); %d had another status\n", runs, alarms,
            100 * (m - h > 0 ? m - h : 0), 100 * (m + h), short
    }' "$T/rows"
