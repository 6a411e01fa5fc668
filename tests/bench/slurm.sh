#!/bin/sh
# slurm.sh - how long a trivial MPI job takes in an allocation of three nodes of a real
# Slurm on simulated hosts, from the command line to its end: by hector-run, which
# first has srun start a slave on each node, and by srun --mpi=pmix. Both in one
# allocation, by turns, medians:
#
#   start in Slurm, 3 nodes, n=6: hector-run 0.620 s, srun 0.480 s, +0.140 s, ratio
#   1.29 (median of 7); a step that does nothing 0.100 s
#
# The last one, which is by srun too, is the least that starting slaves takes.
# Nothing that it has started outlives it, whatever ends it.
#
# usage: slurm.sh BUILD           RUNS=7 in the environment
# shellcheck disable=SC2016 # the script is for another shell
if [ $# -gt 0 ]; then
    HECTOR_BUILD=$(cd "$1" && pwd)
    export HECTOR_BUILD
fi
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
runs=${RUNS:-7}
export runs
slurm 3

cat >"$T/measure" <<'END'
#!/bin/sh
micros()        # FILE COMMAND...: wall time in microseconds, added to it
{
    file=$1
    shift
    a=$(date +%s%N)
    "$@" >"$T/out" 2>"$T/err" </dev/null || { cat "$T/err" >&2; return 1; }
    b=$(date +%s%N)
    echo $(((b - a) / 1000)) >>"$file"
}
# Of srun, Slurm's PMIx may hang or fail on a busy machine: that is none of its times.
theirs()
{
    tries=0
    until micros "$T/theirs.$1" timeout -k 5 30 srun --mpi=pmix "$APPS/hello"; do
        tries=$((tries + 1))
        [ $tries -lt 5 ] || return
        echo 'srun has failed, or hung for 30 s: once more' >&2
    done
}
i=0
while [ $i -lt "$runs" ]; do
    micros "$T/ours.$1" hector-run "$APPS/hello" || exit
    theirs "$1" || exit
    micros "$T/nothing.$1" srun --mpi=none --quiet true || exit
    i=$((i + 1))
done
END
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for n in 3 6; do
    slurm_over
    salloc -Q -N3 -n$n sh "$T/measure" $n || exit 1
    echo "$n $(median "$T/ours.$n") $(median "$T/theirs.$n") $runs $(median "$T/nothing.$n")" |
        awk '{ printf "start in Slurm, 3 nodes, n=%d: hector-run %.3f s, srun %.3f s, " \
                      "%+.3f s, ratio %.2f (median of %d); a step that does nothing %.3f s\n",
               $1, $2 / 1e6, $3 / 1e6, ($2 - $3) / 1e6, $2 / $3, $4, $5 / 1e6 }'
done
slurm_over
