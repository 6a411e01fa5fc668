#!/bin/sh
# death.sh - how long a job outlives one of its tasks: four MPI tasks, three
# of which spin in a barrier, rank 1 is killed by SIGKILL; until the command
# has ended. Runs alternate, medians are compared:
#
#   death of a task: hector-run 0.012 s, mpirun 0.061 s, ratio 0.20
#
# usage: death.sh BUILD [RUNS]
set -eu
build=$1 runs=${2:-9}
dir=$(mktemp -d)
run=
trap 'test -z "$run" || kill "$run" 2>/dev/null; wait; rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# below PID: all its descendants
below()
{
    # shellcheck disable=SC2013 # words are wanted: numbers
    for p in $(cat "/proc/$1/task/$1/children"); do
        echo "$p"
        below "$p"
    done
}

# rank_1 PID: the descendant that is rank 1
rank_1()
{
    for p in $(below "$1"); do
        if [ "$(cat "/proc/$p/comm")" = hello ] &&
            tr '\0' '\n' <"/proc/$p/environ" |
            grep -q '^OMPI_COMM_WORLD_RANK=1$'; then
            echo "$p"
        fi
    done
}

# death COMMAND...: microseconds from the death of rank 1 to the end
death()
{
    rm -f "$dir/ready"
    "$@" "$build/apps/hello" --wait-for "$dir/never" --say "$dir/ready" \
        >/dev/null 2>&1 </dev/null &
    run=$!
    until [ -e "$dir/ready" ]; do
        kill -0 $run 2>/dev/null || { echo "death.sh: the job ended early" >&2; exit 1; }
        sleep 0.05
    done
    victim=$(rank_1 $run)
    a=$(date +%s%N)
    kill -KILL "$victim"
    wait $run || true
    b=$(date +%s%N)
    run=
    micros=$(((b - a) / 1000))
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

: >"$dir/ours"; : >"$dir/theirs"
i=0
while [ $i -lt "$runs" ]; do
    death "$build/bin/hector-run" -n 4 --oversubscribe
    echo $micros >>"$dir/ours"
    death mpirun -n 4 --oversubscribe
    echo $micros >>"$dir/theirs"
    i=$((i + 1))
done
echo "$(median "$dir/ours") $(median "$dir/theirs") $runs" |
    awk '{ printf "death of a task: hector-run %.3f s, mpirun %.3f s, ratio %.2f (median of %d)\n",
           $1 / 1e6, $2 / 1e6, $1 / $2, $3 }'
