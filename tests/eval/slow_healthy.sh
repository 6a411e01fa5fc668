#!/bin/sh
# slow_healthy.sh - is the policy slow silent on programs that are right? Runs the
# kernels among the test programs, and the paced one in the disguises that cost a
# fail-slow detector most, each for some time, one after the other; some of them
# while somebody suspends the job or stops a task. A line a run, with what
# was said, and the sum.
#
# usage: HECTOR_BUILD=BUILD sh slow_healthy.sh [RUNS [SECONDS]]
#   RUNS=30 SECONDS=40 of each
#   FIRST=0           begins with that run
#   ONLY=stencil      runs of that program alone
#   KEEP=DIR          gets the database and the output of those with a verdict
# limit: 86400
# shellcheck disable=SC2154 # $build, $top: t.sh
. "${0%/*}/../lib/t.sh"
if [ -z "${T_INSIDE:-}" ]; then
    export SLOW_RUNS="${1:-30}" SLOW_SECONDS="${2:-40}"
fi
hosts 2
need sqlite3

ask() { sqlite3 -cmd '.timeout 20000' "$T/run/run.db" "$1" 2>/dev/null; }
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
} >"$T/run/disturb" 2>&1

run_one()       # NUMBER PROGRAM DISTURBANCE
{
    rm -rf "$T/run"
    mkdir -p "$T/run"
    disturb=$3
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
    HECTOR_DB=$T/run/run.db hector-run --launch-agent "$AGENT" -H n1:2,n2:4 -n 4 \
        --policy none --policy slow "$@" >"$T/run/out" 2>"$T/run/err" </dev/null &
    runner=$!
    [ "$disturb" = no ] || HECTOR_DB=$T/run/run.db disturb
    status=0
    wait $runner || status=$?
    said=$(ask "SELECT count(*) FROM verdicts WHERE kind = 'slowdown'" || echo 0)
    why=$(ask "SELECT why FROM verdicts WHERE kind = 'slowdown' LIMIT 1")
    looks=$(ask 'SELECT ifnull(max(seq), 0) FROM look')
    echo "$number $program $disturb: status $status, $looks looks, ${said:-0} said${why:+: $why}"
    if [ "${said:-0}" != 0 ] && [ -n "${KEEP:-}" ]; then
        mkdir -p "$KEEP/$number.$program"
        cp "$T"/run/* "$KEEP/$number.$program/"
    fi
}

i=${FIRST:-0}
last=$((i + SLOW_RUNS))
# shellcheck disable=SC2086 # words
while [ "$i" -lt $last ]; do
    pick "$i" $programs
    program=${ONLY:-$picked}
    pick "$i" $disturbs
    run_one "$i" "$program" "$picked"
    i=$((i + 1))
done | tee "$T/rows"
awk '{ runs++; alarms += !/ 0 said/ } END { printf "%d runs of healthy programs, " \
    "slow was said in %d\n", runs, alarms }' "$T/rows"
