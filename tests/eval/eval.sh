#!/bin/sh
# eval.sh - do the policies find the hangs, soon, with the right task, and
# nothing else? Runs test programs with a fault each, at a random task, call
# and time, and clean ones; everything random follows from the seed, so a run
# can be made again. All policies look at the same runs (one.sh); what they
# found is in a database, and table.sh sums it up:
#
#   accuracy        hangs that were found, of all: a fault after which the run
#                   came to its end was none, and one that lets some of the
#                   tasks go on stands in a line of its own
#   false alarms    of runs that do not hang, and before the fault of others,
#                   with the 95 % upper bound
#   delay           from the fault to the verdict: mean and standard deviation,
#                   of a sample, median, largest
#   faulty task     hangs whose task is among those blamed; precision: as in the
#                   paper, one by the number of tasks blamed, 0 if it is wrong
#   noticed         hangs that were not found, but of which a notice was said that
#                   names the task: of who asks in a loop nothing more is
#   half            hangs that the first policy found in at most half the time of
#                   another, or half of what was waited for that
#
# The 200 runs by default: 150 with a fault that makes them hang (30 hang, 30
# hang-after, 30 drop, 20 loop-after, 10 spin, 10 probe, 10 early-hang, 10
# early-hang-after), and 50 that do not hang (20 clean, 10 imbalance, 5 io, 5
# slow, 5 stall, 5 stall-after). In imbalance some tasks work much longer than
# others, in io one writes for all; neither has a fault.
#
# usage: eval.sh BUILD [RUNS [TASKS [SEED]]]
#   TASKS is a number, or a range such as 8-16: by lot for each run
#   POLICIES="hang hang:mode=1"    what is evaluated; the first is ours
#   EVAL_DB=FILE                   where (BUILD/eval.db, which is appended to)
#   KINDS="hang-after clean"       which kinds of run, in turn
#   BEFORE=15                      seconds before a fault, at least
#   WAIT=30                        how long for the last policy to speak
#   LANES=1                        so many runs at a time
#   NICE=0                         added to the niceness of the runs
#   KEEP=DIR                       gets the databases of runs that ours got wrong
#   FIRST=0                        number of the first run: to go on
#   LIST=1                         only prints what it would run
set -eu
build=$(cd "$1" && pwd)
runs=${2:-200} tasks=${3:-8} seed=${4:-1}
# Ours, ParaStack, the same of all tasks; and the time-outs of its table 1: 0.4 s
# or 0.8 s, 5 times or 10 times.
policies=${POLICIES:-hang hang:mode=1 hang:mode=2 hang:mode=3,times=10 \
    hang:mode=3,times=5 hang:mode=3,interval=0.8,times=5 \
    hang:mode=3,interval=0.8,times=10}
db=${EVAL_DB:-$build/eval.db}
before=${BEFORE:-15} wait=${WAIT:-30} lanes=${LANES:-1} first=${FIRST:-0}
here=$(cd "${0%/*}" && pwd)
# Forty in turn: thirty that hang, ten that do not. The second half differs from
# the first only in these.
kinds=${KINDS:-hang-after hang drop clean loop-after spin hang-after stall \
    early-hang hang slow hang-after drop probe stall-after loop-after hang \
    early-hang-after io drop \
    hang-after hang drop clean loop-after spin hang-after clean \
    early-hang hang clean hang-after drop probe imbalance loop-after hang \
    early-hang-after imbalance drop}
least=${tasks%-*} most=${tasks#*-}
if ! [ "$least" -ge 2 ] 2>/dev/null || ! [ "$most" -ge "$least" ] 2>/dev/null; then
    echo "eval.sh: TASKS is a number from 2, or a range such as 8-16" >&2
    exit 2
fi

create()
{
    sqlite3 "$db" "CREATE TABLE IF NOT EXISTS run(at TEXT, policy TEXT, seed,
        number, kind TEXT, program TEXT, tasks INTEGER, inject TEXT, hangs
        INTEGER, fault TEXT, faulty INTEGER, found TEXT, ranks TEXT, delay_s
        REAL, right INTEGER, blamed INTEGER, early INTEGER, back INTEGER,
        status INTEGER, ended INTEGER, why TEXT, waited_s REAL, noticed_s REAL,
        noticed INTEGER);"
    for column in waited_s noticed_s noticed; do        # older ones lack some
        sqlite3 "$db" "ALTER TABLE run ADD COLUMN $column REAL" 2>/dev/null || :
    done
}
[ -n "${LIST:-}" ] || create

# lot N: a number below N; the next one of the seed.
lot() { state=$((state * 48271 % 2147483647)); lot=$((state % $1)); }
pick() { lot $#; shift $lot; picked=$1; }

# One line: NUMBER KIND PROGRAM TASKS SECONDS WAIT INJECT
draw()          # NUMBER KIND
{
    state=$(((seed * 2654435761 + $1 * 40503) % 2147483646 + 1))
    lot 7
    if [ "$most" -gt "$least" ]; then
        lot $((most - least + 1))
        tasks=$((least + lot))
    fi
    pick cg stencil transpose wavefront imbalance farm poll phases serial hpcc
    program=$picked seconds=150 w=$wait
    lot 41
    after=$(echo "$lot" | awk -v b="$before" '{ print b + $1 / 10 }')
    if [ "$most" -gt "$least" ] && [ "$program" = hpcc ]; then
        tasks=$((tasks % 2 && tasks > least ? tasks - 1 : tasks + tasks % 2))
    fi
    lot "$tasks"
    inject="rank=$lot,call=MPI_*,after=$after,fault=$2"
    case $2 in
    early-*)
        lot 3
        inject="${inject%%,*},call=MPI_*:$((lot + 1)),fault=${2#early-}"
        w=$((wait < 12 ? wait : 12)) ;;
    loop*) inject="${inject%,fault=*},fault=cpu-after,time=10m" ;;
    drop)
        inject=$(echo "$inject" | sed 's/MPI_\*/MPI_*send/')
        pick ring farm
        program=$picked ;;
    clean) inject='' seconds=${CLEAN_SECONDS:-20} ;;
    imbalance) inject='' seconds=${CLEAN_SECONDS:-20} program=imbalance ;;
    io) inject='' seconds=${CLEAN_SECONDS:-20} program=serial ;;
    stall*) inject=$inject,time=5 seconds=$((before + 11)) w=0 ;;
    slow) inject=$inject,time=20ms seconds=${CLEAN_SECONDS:-20} w=0 ;;
    esac
    case $2,$program in
    stall*,hpcc | slow,hpcc | clean,hpcc | early*,hpcc) program=cg ;;
    esac
    echo "$1 $2 $program $tasks $seconds $w ${inject:-none}"
}

i=$first
while [ "$i" -lt $((first + runs)) ]; do
    # shellcheck disable=SC2086 # words
    set -- $kinds
    shift $((i % $#))
    draw "$i" "$1"
    i=$((i + 1))
done | if [ -n "${LIST:-}" ]; then
    cat
else
    xargs -P "$lanes" -L 1 sh -c '
        one=$1 build=$2 db=$3 seed=$4 policies=$5 inject=${12}
        [ "$inject" != none ] || inject=
        # shellcheck disable=SC2086 # words
        exec sh "$one" "$build" "$db" "$seed" "$6" "$7" "$8" "$9" "${10}" \
            "${11}" "$inject" $policies' sh "$here/one.sh" "$build" "$db" \
        "$seed" "$policies"
fi
[ -n "${LIST:-}" ] || sh "$here/table.sh" "$db" "$seed"
