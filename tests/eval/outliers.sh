#!/bin/sh
# outliers.sh - is the task that is slow found among its like, and the step? Programs of
# 16 tasks with a fault each, at a task and a call by lot: CPU_INTENSIVE, MEM_INTENSIVE,
# TRANS_STALL and HANG once, and a task that is slow from then on, inside a call and
# behind it, as AutomaDeD was judged (SC11, section 4.2); and runs without a fault. After
# the fault all tasks are compared once (hector why --outliers), and all methods judge the
# same runs: polish, stands and inside in one list, by what they cost; and the ways of the paper
# by the models that the run has recorded (outliers_judge.c), with chains of steps merged
# and without. A method has found a task that is first (top 1) or among the first five
# (top 5) of its list; of 16, one is by chance in 6 %, and among five in 31 %. It has
# found the step if that is among the first five of this task: the call that was struck;
# polish by its line, too, where the program is one of ours.
#
# usage: outliers.sh BUILD [RUNS-OF-EACH [TASKS [SEED]]]
#   PROGRAMS='stencil cg transpose hpl'     FAULTS='cpu stall slow hang'
#   KEEP=FILE gets a line a run
set -eu
build=$(cd "$1" && pwd)
runs=${2:-10} tasks=${3:-16} seed=${4:-1}
here=$(cd "${0%/*}" && pwd)
top=$here/../..
programs=${PROGRAMS:-stencil cg transpose hpl}
faults=${FAULTS:-cpu cpu-after mem mem-after stall stall-after hang hang-after slow slow-after}
. "$here/../lib/inputs.sh"
command -v hpcc >/dev/null || programs=$(echo "$programs" | sed 's/ *hpl//')
. "${0%/*}/../lib/campaign.sh"
parts=$(for p in lib/lot lib/words outlier/ask outlier/groups outlier/habits smm/chains \
    smm/dictionary smm/isolate smm/lknorm smm/medoids smm/polish smm/score smm/smm; do
    echo "$top/policies/$p.c"
done)
# shellcheck disable=SC2086 # words
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -fPIC -shared -fvisibility=hidden -I"$top" \
    -I"$top/policies" -o "$dir/judge.so" "$here/outliers_judge.c" $parts -lm

ask() { sqlite3 -cmd '.timeout 5000' "$HECTOR_DB" "$1" 2>/dev/null || :; }
call_of()       # PROGRAM: a call that it makes again and again
{
    case $1 in
    stencil) draw 3; set -- MPI_Irecv MPI_Isend MPI_Waitall ;;
    cg) draw 2; set -- MPI_Allreduce MPI_Sendrecv MPI_Allreduce ;;
    hpl) draw 2; set -- MPI_Send MPI_Recv MPI_Send ;;
    *) drawn=0; set -- MPI_Alltoall MPI_Alltoall MPI_Alltoall ;;
    esac
    shift "$drawn"
    call=$1
}
# PROGRAM: the line of the call that is struck. Its calls of one name follow each other
# in one loop, so the number says which; 0: any, of a program that is not ours.
line_of()
{
    line=0
    [ -e "$top/tests/apps/$1.c" ] || return 0
    # shellcheck disable=SC2046 # numbers
    set -- $(grep -n "$call(" "$top/tests/apps/$1.c" | cut -d: -f1)
    shift $(((at - 1) % $#))
    line=$1
}
place()         # METHOD...: of $rank, each task once; 99: it is not there
{
    methods=$(echo "$*" | sed "s/ /','/g")
    ask "WITH o AS (SELECT rank, min(place) AS place FROM outliers WHERE at_ns = (SELECT
        max(at_ns) FROM outliers) AND method IN ('$methods') GROUP BY rank)
        SELECT ifnull((SELECT 1 + (SELECT count(*) FROM o WHERE place < me.place)
            FROM o AS me WHERE rank = $rank), 99)"
}
step()          # the place of the struck one among those of $rank; 99
{
    ask "WITH s AS (SELECT row_number() OVER (ORDER BY place) AS n, * FROM steps WHERE
        rank = $rank AND at_ns = (SELECT max(at_ns) FROM steps))
        SELECT ifnull(min(n), 99) FROM s WHERE from_call = '$call' AND
            (from_line = $line OR $line = 0)"
}
said()          # CONDITION: verdicts of all kinds that name somebody
{
    ask "SELECT count(*) FROM verdicts WHERE kind IN ('outlier', 'hang', 'deadlock',
        'progress') AND ranks <> '' AND $1"
}
# By the models, the last that were recorded: "PLACE STEP" of neighbour and cluster
# merged, of both whole, and how many steps are left merged, and are there
judge()
{
    hector replay 1 --policy "$dir/judge.so:rank=$rank" 2>/dev/null | awk \
        -v call="$call" '
        / judged by / { delete step }
        match($0, /(neighbour|cluster) (merged|whole) .*/) {
            split(substr($0, RSTART), w, /[ ,]+/)
            way = w[1] " " w[2]
            if (w[3] != "step") {
                place[way] = w[3]
                steps[w[2]] = w[4]
            } else if (!(way in step) && w[5] == call) {
                step[way] = w[4]
            }
        }
        function of(way)
        {
            return (way in place ? place[way] : 99) " " (way in step ? step[way] : 99) " "
        }
        END {
            print of("neighbour merged") of("cluster merged") of("neighbour whole") \
                of("cluster whole") steps["merged"] + 0, steps["whole"] + 0
        }'
}
wait_until()    # SECONDS TEST: sh -c text
{
    until_s=$(($(date +%s) + $1))
    until eval "$2"; do
        [ "$(date +%s)" -lt "$until_s" ] && kill -0 "$runner" 2>/dev/null || return 1
        sleep 0.2
    done
}

start()         # PROGRAM OPTION...
{
    name=$1
    shift
    set -- -n "$tasks" --oversubscribe --timeout 600 --policy none --policy outlier "$@"
    if [ "$name" = hpl ]; then
        (cd "$dir" && hpl_input 1000 32 4 $((tasks / 4)) 20 &&
            exec hector-run "$@" hpcc) >"$dir/out" 2>"$dir/err" </dev/null &
    else
        KERNEL_ROUNDS=100000000 hector-run "$@" "$build/apps/$name" 24 \
            >"$dir/out" 2>"$dir/err" </dev/null &
    fi
    runner=$!
}
# one PROGRAM FAULT: a line "FAULT PROGRAM RANK, place by these together, by
# polish, of the step, verdicts that name the right task, others, the call and its line,
# and what judge says"
one()
{
    HECTOR_DB=$dir/run.db
    export HECTOR_DB
    rm -f "$dir"/run.db*
    call_of "$1"
    draw "$tasks"
    rank=$drawn
    draw 100
    at=$((50 + drawn))
    [ "$1" != hpl ] || at=$((at / 10))  # it makes fewer
    line_of "$1"
    case $2 in
    none) inject= ;;
    slow*) inject="rank=$rank,call=$call:$at,fault=$2,time=3ms" ;;
    mem*) inject="rank=$rank,call=$call:$at,fault=$2,size=64M,time=2s" ;;
    hang*) inject="rank=$rank,call=$call:$at,fault=$2" ;;
    *) inject="rank=$rank,call=$call:$at,fault=$2,time=2s" ;;
    esac
    # hpcc does other things first, where it polls, which takes minutes on few processors.
    patience=60
    [ "$1" != hpl ] || patience=300
    struck="SELECT 1 FROM events WHERE label LIKE 'injected:%' LIMIT 1"
    case $2 in                  # which is for others to find
    hang*) start "$1" --policy hang --policy progress --inject "$inject" ;;
    *) start "$1" ${inject:+--inject "$inject"} ;;
    esac
    if [ "$inject" ]; then
        wait_until $patience '[ "$(ask "$struck")" ]' || set -- "$1" unstruck
    fi
    sleep 6
    hector why 1 --outliers -k 16 -j >"$dir/odd" 2>&1 || :
    kill "$runner" 2>/dev/null || :
    wait "$runner" || :
    runner=
    echo "$2 $1 $rank $(place polish stands inside) $(place polish) $(step) $(
        said "ranks = '$rank'") $(said "ranks <> '$rank'") $call $line $(judge)"
}

progress()      # WHAT: on a terminal
{
    [ ! -t 2 ] || printf '\r%-60s' "$1" >&2
}
for fault in $faults none; do
    for program in $programs; do
        i=0
        while [ $i -lt "$runs" ]; do
            progress "outliers: $program, $fault, run $((i + 1)) of $runs"
            one "$program" "$fault"
            i=$((i + 1))
        done
    done
done >"$dir/all"
progress ''
awk -v tasks="$tasks" -f "$here/outliers.awk" "$dir/all"
[ -z "${KEEP:-}" ] || cp "$dir/all" "$KEEP"
