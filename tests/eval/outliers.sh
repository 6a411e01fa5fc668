#!/bin/sh
# outliers.sh - is the task that is slow found among its like, and the step? Programs of
# 16 tasks with a fault each, at a task and a call by lot: CPU_INTENSIVE, MEM_INTENSIVE
# and TRANS_STALL once, and a task that is slow from then on, inside a call and behind
# it, as AutomaDeD was judged (SC11, section 4.2); and runs without a fault. After the
# fault all tasks are compared once (hector why --outliers), and all methods judge the
# same runs: polish and stands in one list, by what they cost, and each of the others. A
# method has found a task that is first (top 1) or among the first five (top 5) of its
# list; of 16, one is by chance in 6 %, and among five in 31 %. There, clustering had
# the task among five in 90 % of the runs of BT with CPU_INTENSIVE and nearest neighbour
# in all, with compression, of 512 tasks or 529 (figure 7).
#
# usage: outliers.sh BUILD [RUNS-OF-EACH [TASKS [SEED]]]
#   PROGRAMS='stencil cg transpose'     FAULTS='cpu stall slow'
set -eu
build=$(cd "$1" && pwd)
runs=${2:-10} tasks=${3:-16} seed=${4:-1}
programs=${PROGRAMS:-stencil cg transpose}
faults=${FAULTS:-cpu cpu-after mem mem-after stall stall-after slow slow-after}
dir=$(mktemp -d)
runner=
trap 'test -z "$runner" || kill "$runner" 2>/dev/null; wait; rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
PATH=$build/bin:$PATH

draw()          # LIMIT: the next number below it
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}
ask() { sqlite3 -cmd '.timeout 5000' "$HECTOR_DB" "$1" 2>/dev/null || :; }
call_of()       # PROGRAM: a call that it makes again and again
{
    case $1 in
    stencil) draw 3; set -- MPI_Irecv MPI_Isend MPI_Waitall ;;
    cg) draw 2; set -- MPI_Allreduce MPI_Sendrecv MPI_Allreduce ;;
    *) drawn=0; set -- MPI_Alltoall MPI_Alltoall MPI_Alltoall ;;
    esac
    shift "$drawn"
    call=$1
}
place()         # METHOD...: of $rank, each task once; 99: it is not there
{
    methods=$(echo "$*" | sed "s/ /','/g")
    ask "WITH o AS (SELECT rank, min(place) AS place FROM outliers WHERE at_ns = (SELECT
        max(at_ns) FROM outliers) AND method IN ('$methods') GROUP BY rank)
        SELECT ifnull((SELECT 1 + (SELECT count(*) FROM o WHERE place < me.place)
            FROM o AS me WHERE rank = $rank), 99)"
}
wait_until()    # SECONDS TEST: sh -c text
{
    until_s=$(($(date +%s) + $1))
    until eval "$2"; do
        [ "$(date +%s)" -lt "$until_s" ] && kill -0 "$runner" 2>/dev/null || return 1
        sleep 0.2
    done
}

# one PROGRAM FAULT: a line "FAULT PROGRAM RANK, places by polish and stands together,
# polish, neighbour, cluster, whether the first step is right, verdicts of the right rank,
# of others, the call"
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
    case $2 in
    none) inject= ;;
    slow*) inject="rank=$rank,call=$call:$at,fault=$2,time=3ms" ;;
    mem*) inject="rank=$rank,call=$call:$at,fault=$2,size=64M,time=2s" ;;
    *) inject="rank=$rank,call=$call:$at,fault=$2,time=2s" ;;
    esac
    struck="SELECT 1 FROM events WHERE label LIKE 'injected:%' LIMIT 1"
    KERNEL_ROUNDS=100000000 hector-run -n "$tasks" --oversubscribe --timeout 120 \
        --policy none --policy outlier ${inject:+--inject "$inject"} \
        "$build/apps/$1" 24 >"$dir/out" 2>"$dir/err" </dev/null &
    runner=$!
    if [ "$inject" ]; then
        wait_until 60 '[ "$(ask "$struck")" ]' || :
    fi
    sleep 6
    hector why 1 --outliers -k 16 -j >"$dir/odd" 2>&1 || :
    kill "$runner" 2>/dev/null || :
    wait "$runner" || :
    runner=
    echo "$2 $1 $rank $(place polish stands) $(place polish) $(place neighbour) $(
        place cluster) $(ask "SELECT count(*) FROM steps WHERE rank = $rank AND
        at_ns = (SELECT max(at_ns) FROM steps) AND place <= 5 AND ('$call' = from_call OR
        '$call' = to_call)") $(ask "SELECT count(*) FROM verdicts WHERE kind = 'outlier' AND
        ranks = '$rank'") $(ask "SELECT count(*) FROM verdicts WHERE kind = 'outlier' AND
        ranks <> '$rank'") $call"
}

for fault in $faults none; do
    for program in $programs; do
        i=0
        while [ $i -lt "$runs" ]; do
            one "$program" "$fault"
            i=$((i + 1))
        done
    done
done >"$dir/all"
awk -v tasks="$tasks" '
    function per_cent(a, b) { return b ? sprintf("%3.0f %%", 100 * a / b) : "  - " }
    { key = $1 }
    key == "none" { clean++; alarms += $9 + $10 > 0; next }
    { if (!(key in n)) order[++keys] = key
      n[key]++; all++
      for (m = 0; m < 4; m++) {
          one[key, m] += $(4 + m) == 1; five[key, m] += $(4 + m) <= 5
          ones[m] += $(4 + m) == 1; fives[m] += $(4 + m) <= 5
      }
      step[key] += $8 > 0; steps += $8 > 0
      said[key] += $9 > 0; saids += $9 > 0; wrong += $10 > 0 }
    END {
        printf "outliers: top 1 and top 5 of %d tasks, by chance %.0f %% and %.0f %%\n", tasks,
            100 / tasks, 500 / tasks
        printf "%-12s %5s %-14s %-14s %-14s %-14s %-6s %s\n", "fault", "runs",
            "polish, stands", "polish", "neighbour", "cluster", "step", "verdict"
        for (k = 1; k <= keys; k++) {
            f = order[k]
            printf "%-12s %5d ", f, n[f]
            for (m = 0; m < 4; m++)
                printf "%s %s  ", per_cent(one[f, m], n[f]), per_cent(five[f, m], n[f])
            printf "%s  %s\n", per_cent(step[f], n[f]), per_cent(said[f], n[f])
        }
        printf "%-12s %5d ", "all", all
        for (m = 0; m < 4; m++)
            printf "%s %s  ", per_cent(ones[m], all), per_cent(fives[m], all)
        printf "%s  %s\n", per_cent(steps, all), per_cent(saids, all)
        printf "verdicts about another task in %d of these runs; in %d of %d without a fault\n",
            wrong, alarms, clean
    }' "$dir/all"
[ -z "${KEEP:-}" ] || cp "$dir/all" "$KEEP"
