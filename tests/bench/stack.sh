#!/bin/sh
# stack.sh - what taking stacks costs: how long a task is stopped for a sample,
# and how much slower HPL (of hpcc) gets at one sample each 100 ms, all its
# tasks, beside the same run without.
#
# usage: stack.sh BUILD
set -eu
. "$(dirname "$0")/../lib/inputs.sh"
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db" PATH="$build/bin:$PATH"
command -v hpcc >/dev/null || { echo 'stack: no hpcc here'; exit 0; }
rounds=${ROUNDS:-3} n=${N:-2000} tasks=2

cd "$dir"
hpl_input "$n" 64 1 $tasks

job=0
hpl()           # MODE: the seconds of HPL
{
    rm -f hpccoutf.txt
    job=$((job + 1))
    hector-run -n $tasks hpcc >/dev/null 2>&1 &
    run=$!
    if [ "$1" = on ]; then
        until hector ps 2>/dev/null | grep -q running; do sleep 0.05; done
        while kill -0 $run 2>/dev/null; do
            if hector stack -j --samples 20 --interval 100 $job >one.json \
                2>/dev/null
            then
                mv one.json "stops.$job.json"
            fi
        done
    fi
    wait $run
    sed -n 's/^HPL_time=//p' hpccoutf.txt
}

i=0
while [ $i -lt "$rounds" ]; do
    hpl off >>times.off
    hpl on >>times.on
    i=$((i + 1))
done
median() { sort -g "$1" | sed -n "$(((rounds + 1) / 2))p"; }
field()         # NAME: the median over the jobs, in us
{
    sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" stops.*.json | sort -g |
        awk '{ v[NR] = $1 } END { printf "%.1f", v[int((NR + 1) / 2)] / 1000 }'
}
echo "stack: a task is stopped for $(field held_p50_ns) us (p50)," \
    "$(field held_p99_ns) us (p99) for a sample"
awk -v on="$(median times.on)" -v off="$(median times.off)" -v n="$rounds" 'BEGIN {
    printf "stack: HPL at a sample each 100 ms %.2f s, without %.2f s," \
        " ratio %.3f (median of %d)\n", on, off, on / off, n }'
