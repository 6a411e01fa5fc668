#!/bin/sh
# stack.sh - what taking stacks costs: how long a task is stopped for a sample,
# and how much slower HPL (of hpcc) gets at one sample each 100 ms, all its
# tasks, beside the same run without.
#
# usage: stack.sh BUILD
set -eu
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db" PATH="$build/bin:$PATH"
command -v hpcc >/dev/null || { echo 'stack: no hpcc here'; exit 0; }
rounds=${ROUNDS:-3} n=${N:-2000} tasks=2

cd "$dir"
cat >hpccinf.txt <<END
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
$n           Ns
1            # of NBs
64           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
$tasks            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0                               Number of additional problem sizes for PTRANS
1200 10000 30000                values of N
0                               number of additional blocking sizes for PTRANS
40 9 8 13 13 20 16 32 64        values of NB
END

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
