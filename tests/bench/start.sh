#!/bin/sh
# start.sh - how long a trivial MPI job takes from the command line to its
# end, against mpirun on the same program in the same minute. Runs alternate,
# medians are compared, one line a size:
#
#   start n=4: hector-run 0.231 s, mpirun 0.702 s, ratio 0.33 (median of 9)
#
# usage: start.sh BUILD [RUNS]
set -eu
build=$1 runs=${2:-9}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# micros COMMAND...: wall time in microseconds
micros()
{
    a=$(date +%s%N)
    "$@" >"$dir/out" 2>"$dir/err" || { cat "$dir/err" >&2; exit 1; }
    b=$(date +%s%N)
    echo $(( (b - a) / 1000 ))
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for n in 4 16 64; do
    : >"$dir/ours"; : >"$dir/theirs"
    i=0
    while [ $i -lt "$runs" ]; do
        micros "$build/bin/hector-run" -n $n --oversubscribe "$build/apps/hello" >>"$dir/ours"
        micros mpirun --oversubscribe -n $n "$build/apps/hello" >>"$dir/theirs"
        i=$((i + 1))
    done
    echo "$n $(median "$dir/ours") $(median "$dir/theirs") $runs" |
        awk '{ printf "start n=%d: hector-run %.3f s, mpirun %.3f s, ratio %.2f (median of %d)\n",
               $1, $2 / 1e6, $3 / 1e6, $2 / $3, $4 }'
done
