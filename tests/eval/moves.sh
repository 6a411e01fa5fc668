#!/bin/sh
# moves.sh - do programs say the same when their tasks move, or are killed? Each
# program runs on three simulated hosts, once undisturbed, and then again and
# again while tasks of it, drawn by lot, move to hosts drawn by lot, one move
# after the other at random moments; or, with WAY=return, while checkpoints are
# made of it, and tasks drawn by lot are killed, so that all go back to the last
# one. Status and output have to be the same, and after many moves a task may have
# no more descriptors, maps, threads and memory than after the first ones. A line
# for each run, and at the end what the moves took.
#
# usage: HECTOR_BUILD=BUILD MOVES=20 RUNS=25 SEED=1 sh moves.sh
#   WAY=move             or return
#   ONLY='skew parley'   programs, else all that are here
#   TORTURE=200          not these, but skew and parley with so many seeds, of 2 to 16
#                        tasks; FROM=60 begins with that one
#   KEEP=DIR             gets the database and the output of runs that differ
# limit: 86400
. "${0%/*}/../lib/t.sh"
hosts 3
. "$top/tests/lib/inputs.sh"
moves=${MOVES:-20} runs=${RUNS:-25} seed=${SEED:-1} way=${WAY:-move}

draw()          # LIMIT: the next number below it, of the run's own series
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}
# NAME TASKS COMMAND...: runs for some ten to thirty seconds by itself
programs()
{
    cat <<END
skew4 4 $APPS/skew 600 7
skew7 7 $APPS/skew 300 8
parley4 4 $APPS/parley 1500 9
parley5 5 $APPS/parley 1500 10
stencil 4 env KERNEL_ROUNDS=4000 $APPS/stencil 512
transpose 4 env KERNEL_ROUNDS=2500 $APPS/transpose 256
cg 4 env KERNEL_ROUNDS=60 $APPS/cg 4000
jacobi 4 env KERNEL_ROUNDS=700000 $APPS/jacobi
heat 4 env KERNEL_ROUNDS=1500000 $APPS/heat
relay 4 $APPS/relay 200000
throws 4 $T/throws 2000000
teams 3 env OMP_WAIT_POLICY=passive KERNEL_ROUNDS=40000 $APPS/omp 1000
teams_many 3 env OMP_WAIT_POLICY=passive KERNEL_ROUNDS=30000 $APPS/omp 1000 0 multiple
threads 3 $APPS/threads 40000 3
threads_turn 3 $APPS/threads 15000 serialized 2
hpl 4 sh -c "exec hpcc"
lammps 4 lmp -in in.melt -log none
END
}
torture()       # SEEDS: the same, of the two that do most of what is hard to stop
{
    awk -v from="${FROM:-1}" -v to="$1" -v apps="$APPS" 'BEGIN {
        for (s = from; s <= to; s++) {
        n = 2 + s * 7 % 15; skew = n >= 4 && s % 3
        printf "%s%d.%d %d %s/%s %d %d\n", skew ? "skew" : "parley", n, s, n, apps,
            skew ? "skew" : "parley", (skew ? 900 : 2400) / n, s } }'
}
said()          # FILE STATUS: what has to be the same
{
    echo "status $2"
    # times, which LAMMPS shows in many lines
    grep -vE '[tT]ime|Loop|CPU|Performance|Pair|Neigh|Comm |Output|Modify|Other' \
        "$1" | grep -vE '[%.][0-9]* |s: *[0-9.]+ [0-9.]+$' | sort
}
finish_run()    # NAME WHAT: compares, and says so
{
    said "$T/out" "$status" >"$T/now"
    if cmp -s "$T/$1.want" "$T/now"; then
        same=same
    else
        same=DIFFERENT
        differ=$((differ + 1))
        if [ -n "${KEEP:-}" ]; then
            mkdir -p "$KEEP/$1.$run"
            cp "$T/out" "$T/err" "$T/migrate" "$T/$1.want" "$T/now" "$HECTOR_DB" \
                "$KEEP/$1.$run/"
        fi
    fi
    echo "$1 run $run: $done_ moves, $refused refused, status $status, $same$2"
}
sizes()         # JOB RANK: descriptors maps threads kB of a task, its own ones:
{               # what of files and of shared memory is there depends on the neighbours
    p=/proc/$(sql "SELECT pid FROM tasks WHERE job = $1 AND rank = $2")
    [ -r "$p/maps" ] || return 0
    echo "$(find "$p/fd" -type l | wc -l) $(grep -c . "$p/maps")" \
        "$(find "$p/task" -maxdepth 1 | wc -l)" \
        "$(sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' "$p/status")"
} 2>/dev/null
launches()      # of the job, so far
{
    sql "SELECT count(*) FROM transition WHERE job = $job AND machine = 'job' AND
        event = 'launched'"
}
move()          # a task of $n, to a host
{
    draw "$n"
    rank=$drawn
    draw 3
    hector migrate "$job.$rank" "n$((drawn + 1))" >>"$T/migrate" 2>>"$T/migrate"
}
return_()       # all tasks to the checkpoint, as one of $n is killed
{
    [ -f "$T/saved/1/checkpoint" ] || [ -f "$T/saved/2/checkpoint" ] || return 0
    was=$(launches)
    draw "$n"
    pid=$(sql "SELECT pid FROM tasks WHERE job = $job AND rank = $drawn AND
        state = 'connected'")
    [ -n "$pid" ] && kill -9 "$pid" 2>/dev/null || return 0
    wait_for '! kill -0 $runner 2>/dev/null || [ "$(launches)" -gt '"$was ]" ||
        echo "already or not back: $job" >>"$T/migrate"
}
begun()         # tasks of the job that runs
{
    sql "SELECT count(*) FROM tasks JOIN jobs USING (job) WHERE mpi_calls > 0 AND
        jobs.state = 'running'" 2>/dev/null || echo 0
}
moved_run()     # NAME TASKS COMMAND...
{
    name=$1 n=$2
    shift 2
    rm -rf "$T/saved"
    case $way in
    move) how=--migratable ;;
    *) how="--checkpoint-dir $T/saved --checkpoint-every 0.7 --max-restarts 1000" ;;
    esac
    # shellcheck disable=SC2086 # several words
    hector-run --launch-agent "$AGENT" -H n1:8,n2:8,n3:8 -n "$n" --oversubscribe \
        $how "$@" </dev/null >"$T/out" 2>"$T/err" &
    runner=$!
    done_=0 refused=0 job=
    : >"$T/migrate"
    wait_for '! kill -0 $runner 2>/dev/null || [ "$(begun)" = '"$n ]" ||
        echo "$name run $run: has not begun"
    job=$(sql 'SELECT max(job) FROM jobs')
    first=
    while [ $done_ -lt "$moves" ] && kill -0 $runner 2>/dev/null; do
        draw 900
        sleep "$(printf 0.%03d $drawn)"
        if [ "$way" = return ]; then
            return_
            done_=$(($(launches) - 1))
        elif move; then
            done_=$((done_ + 1))
            [ $done_ != 3 ] || first=$(sizes "$job" 0)
        else
            tail -n 1 "$T/migrate" | grep -q 'already' || refused=$((refused + 1))
        fi
    done
    last=$(sizes "$job" 0)
    status=0
    wait $runner || status=$?
    total=$((total + done_))
    not=$((not + refused))
    finish_run "$name" "${first:+, task 0: $first, then $last}"
    cat "$T/migrate" >>"$T/$name.moves"
    grep -vE ' now, and the job stood|already' "$T/migrate" | sort | uniq -c | sed 's/^/    /'
    grep -E 'hang|deadlock|outlier' "$T/err" | sed 's/^/    verdict: /'
}

hpl_input 1200 64 2 2 2>/dev/null || :
melt_input 12 3000
total=0 not=0 differ=0
if [ -n "${TORTURE:-}" ]; then torture "$TORTURE"; else programs; fi >list
while read -r name n command <&3; do
    [ -z "${ONLY:-}" ] || case " $ONLY " in *" $name "*) ;; *) continue ;; esac
    case $command in *hpcc*) command -v hpcc >/dev/null || continue ;;
    lmp*) command -v lmp >/dev/null || continue ;;
    *throws*) command -v mpicxx >/dev/null || continue
        mpicxx -std=c++11 -O1 -w -o "$T/throws" "$top/tests/apps/throws.cc" ;; esac
    eval "set -- $command"
    status=0
    hector-run --launch-agent "$AGENT" -H n1:8,n2:8,n3:8 -n "$n" --oversubscribe \
        "$@" </dev/null >"$T/out" 2>"$T/err" || status=$?
    said "$T/out" "$status" >"$T/$name.want"
    if [ $status != 0 ]; then
        echo "$name: undisturbed, it fails with status $status: $(head -n 1 "$T/err")"
        differ=$((differ + 1))
        continue
    fi
    run=1
    while [ $run -le "$runs" ]; do
        moved_run "$name" "$n" "$@"
        run=$((run + 1))
    done
done 3<list
echo "$total moves, $not refused, $differ runs that differ"
cat "$T"/*.moves 2>/dev/null | sed -n 's/.* stood for \([0-9.]*\) s$/\1/p' | sort -n | awk '
    { v[NR] = $1 }
    END { if (NR) printf "a job stood for %s s (median), %s (one in twenty), " \
        "%s (longest)\n", v[int((NR + 1) / 2)], v[int(NR * 0.95 + 0.5)], v[NR] }'
sql "SELECT quiesce_ns / 1e9, pushes FROM moves WHERE quiesce_ns IS NOT NULL
    ORDER BY 1" | awk -F '|' '
    { v[NR] = $1; pushes += $2 }
    END { if (NR) printf "all stood %.3f s after they were told (median), %.3f (one in " \
        "a hundred), %.3f (longest), %d pushes in %d moves\n",
        v[int((NR + 1) / 2)], v[int(NR * 0.99 + 0.5)], v[NR], pushes, NR }'
is $differ 0 'all run well, and said the same'
done_testing
