#!/bin/sh
# pairs.sh - what LAMMPS and HPL take under --migratable, against the same without:
# processor time of one task, which waits for nobody. Each run does the same some
# twenty times over, and says the least that it took: others use the machine, and what
# they do to the caches is nobody's cost. HPL says so itself, by a clock that is the
# task's processor time. Many short runs, in pairs, each pair in the other order:
# the median of the ratios of the pairs, and where it lies with a probability of 95 %.
# Beside it both runs of a pair were without: what this machine says of no difference.
#
#   lammps by the layer: 1.003 of 0.213 s, 95 % in 0.998 .. 1.009; without twice 1.001,
#   95 % in 0.995 .. 1.006 (21 pairs)
#
# And where there is valgrind, the instructions of LAMMPS, which are the same however
# busy the machine is: those of 60 steps less those of 10.
#
#   lammps, instructions of 50 steps: 147940850, by the layer 147892142, ratio 1.000
#
# With TASKS=2 in the environment it is so many tasks, which wait for each other, by the
# clock of the wall, which others disturb: who may runs them before others (nice(1)), and
# what counts is the quickest quarter of the runs with it, against that without. Beside it
# how much time all calls take if each costs the 20 ns that layer.sh holds them to:
#
#   lammps by the layer: 1.004, 95 % in 0.996 .. 1.011; without twice 1.001, 95 % in 0.993
#   .. 1.008 (21 pairs); 12000 calls of a task a second, which at 20 ns is 1.0002
#
# usage: pairs.sh BUILD [PAIRS]
set -eu
. "$(dirname "$0")/../lib/inputs.sh"
. "$(dirname "$0")/../lib/spread.sh"
build=$(cd "$1" && pwd) pairs=${2:-21} tasks=${TASKS:-1}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 143' TERM INT
export HECTOR_DB="$dir/bench.db" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
cd "$dir"

cat >spent.c <<'C'
#define _GNU_SOURCE
#include <mpi.h>
#include <time.h>
double MPI_Wtime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
C
first=
[ "$tasks" = 1 ] || ! nice -n -20 true 2>/dev/null || first='nice -n -20'
[ "$tasks" -gt 1 ] || mpicc -O2 -shared -fPIC -o spent.so spent.c

spent()         # with|without COMMAND...: the seconds
{
    migratable=
    [ "$1" = without ] || migratable=--migratable
    shift
    rm -f hpccoutf.txt
    # shellcheck disable=SC2086,SC2016 # an option or none; the task's own LD_PRELOAD
    $first "$build/bin/hector-run" -q --policy none $migratable -n "$tasks" \
        sh -c '[ ! -e "$0" ] || export LD_PRELOAD="$0:$LD_PRELOAD"; exec "$@"' \
        "$dir/spent.so" "$@" >out 2>err ||
        { cat err >&2; exit 1; }
    # HPL: by the operations that a system takes and how many a second these are, of
    # which there are more digits than of the time.
    [ ! -e hpccoutf.txt ] || mv hpccoutf.txt out
    awk -v tasks="$tasks" '/^Loop time of/ { t = $4 }
        /% CPU use/ { v[++n] = tasks > 1 ? t : t * $1 / 100 }
        /^W[RC][0-9][0-9][A-Z]/ { v[++n] = (2 / 3 * $2 ^ 3 + 3 / 2 * $2 ^ 2) / ($7 * 1e9) }
        END {
            for (i = 1; i <= n; i++)
                least = i == 1 || v[i] < least ? v[i] : least
            printf "%.6f\n", least
        }' out
}

pair()          # WORD A B NUMBER COMMAND...: the word, A over B, A, and B
{
    word=$1 a=$2 b=$3 odd=$(($4 % 2))
    shift 4
    if [ $odd = 0 ]; then
        of_a=$(spent "$a" "$@") of_b=$(spent "$b" "$@")
    else
        of_b=$(spent "$b" "$@") of_a=$(spent "$a" "$@")
    fi
    echo "$word $of_a $of_b" | awk '{ printf "%s %.5f %s %s\n", $1, $2 / $3, $2, $3 }'
}

of() { awk '$1 == "layer" { print $4 }' ratios | sort -n | awk '{ v[NR] = $1 }
    END { printf "%.3f s", v[int((NR + 1) / 2)] }'; }

calls()         # of the last job, whose tasks have begun and ended with it
{
    "$build/bin/hector" sql 'SELECT max(mpi_calls) / (max(ended_ns - started_ns) / 1e9)
        FROM tasks JOIN jobs USING (job) WHERE job = (SELECT max(job) FROM jobs)' |
        awk 'NF == 1 && $1 + 0 > 0 {
            printf "%.0f calls of a task a second, which at 20 ns is %.4f", $1, 1 + $1 * 20e-9 }'
}

for program in lammps hpl; do
    case $program in
    lammps)
        command -v lmp >/dev/null || continue
        melt_input 10 20
        for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do echo 'run 20'; done >>in.melt
        set -- lmp -in in.melt -log none ;;
    hpl)
        command -v hpcc >/dev/null || continue
        hpl_input 600 64 1 "$tasks" 1
        set -- hpcc ;;
    esac
    : >ratios
    i=0
    while [ $i -lt "$pairs" ]; do
        pair layer with without $i "$@" >>ratios
        pair control without without $i "$@" >>ratios
        i=$((i + 1))
    done
    if [ "$tasks" = 1 ]; then
        echo "$program by the layer: $(spread layer ratios "of $(of)");" \
            "without twice $(spread control ratios '') ($pairs pairs)"
    else
        spent with "$@" >/dev/null
        echo "$program by the layer: $(quickest layer ratios);" \
            "without twice $(quickest control ratios) ($pairs pairs); $(calls)"
    fi
done

instructions()  # STEPS [OPTION]
{
    steps=$1
    shift
    melt_input 6 "$steps"
    "$build/bin/hector-run" -q --policy none "$@" -n 1 valgrind -q --tool=callgrind \
        --callgrind-out-file=counts lmp -in in.melt -log none >out 2>&1 ||
        { cat out >&2; exit 1; }
    awk '/^(summary|totals):/ { n = $2 } END { print n }' counts
}
if [ "$tasks" = 1 ] && command -v lmp >/dev/null && command -v valgrind >/dev/null; then
    few=$(instructions 10) many=$(instructions 60)
    few_by=$(instructions 10 --migratable) many_by=$(instructions 60 --migratable)
    awk -v a=$((many - few)) -v b=$((many_by - few_by)) 'BEGIN {
        printf "lammps, instructions of 50 steps: %.0f, by the layer %.0f, ratio %.3f\n",
            a, b, b / a }'
fi
