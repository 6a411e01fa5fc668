#!/bin/sh
# sampled.sh - how much slower HPL (of hpcc) gets when all its tasks are sampled
# each 100 ms, as in the paper about STAT, which measured 4 %: the same run with
# and without, in pairs; ratios of medians of its own time and of the processor
# time of its tasks; and how long the slave held a task for a sample. (How long
# a task stands as it sees it itself, and the least of that: bench_halt.)
#
# usage: sampled.sh BUILD           (ROUNDS pairs, 5, of problem size N, 2000)
set -eu
. "$(dirname "$0")/../lib/inputs.sh"
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db" PATH="$build/bin:$PATH"
command -v hpcc >/dev/null || { echo 'sampled: no hpcc here'; exit 0; }
rounds=${ROUNDS:-5} n=${N:-2000} tasks=2

cd "$dir"
hpl_input "$n" 64 1 $tasks

job=0
hpl()           # on|off: appends to wall.MODE and cpu.MODE, in seconds
{
    rm -f hpccoutf.txt
    job=$((job + 1))
    hector-run -q -n $tasks hpcc >/dev/null 2>&1 &
    run=$!
    while [ "$1" = on ] && kill -0 $run 2>/dev/null; do
        if hector stack -j --samples 20 --interval 100 $job >one.json 2>/dev/null
        then
            mv one.json "stops.$job.json"
        else
            sleep 0.05          # it does not run yet, or not any more
        fi
    done
    wait $run
    awk '/^W[RC][0-9][0-9][A-Z]/ { t = $6 } END { print t }' hpccoutf.txt \
        >>"wall.$1"
    hector sql "SELECT sum(cpu_ns) / 1e9 AS s FROM task WHERE job = $job" |
        tail -n 1 >>"cpu.$1"
}

i=0
while [ $i -lt "$rounds" ]; do
    hpl off
    hpl on
    i=$((i + 1))
done
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
field()         # NAME: the median over the jobs, in us
{
    sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" stops.*.json | sort -g |
        awk '{ v[NR] = $1 } END { printf "%.1f", v[int((NR + 1) / 2)] / 1000 }'
}
echo "sampled: the slave held a task for $(field held_p50_ns) us (p50)," \
    "$(field held_p99_ns) us (p99) for a sample"
awk -v on="$(median wall.on)" -v off="$(median wall.off)" \
    -v con="$(median cpu.on)" -v coff="$(median cpu.off)" -v n="$rounds" 'BEGIN {
    printf "sampled: HPL at a sample each 100 ms %.2f s, without %.2f s, ratio " \
        "%.4f; CPU %.2f s, without %.2f s, ratio %.4f (medians of %d pairs; " \
        "the paper 1.04)\n", on, off, on / off, con, coff, con / coff, n }'
