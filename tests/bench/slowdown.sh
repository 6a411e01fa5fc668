#!/bin/sh
# slowdown.sh - how much longer programs take with the recording library than
# without it, under the same launcher: the kernels of tests/apps, LAMMPS and
# the HPL of hpcc. Runs alternate; ratios of medians, one line a program:
#
#   slow-down ring:20000: wall 1.002 (2 tasks), cpu 1.003 (1 task), of 7 pairs
#
# Wall time of two tasks says nothing on a machine that has other things to
# do; CPU time of one task, which waits for nobody, does. Behind the name of a
# kernel is its size. ring:1 does nothing but call MPI, four times in some 150
# ns: it is the worst that can be.
#
# usage: slowdown.sh BUILD [PAIRS [PROGRAM...]]
set -eu
. "$(dirname "$0")/../lib/inputs.sh"
build=$1 pairs=${2:-7}
if [ $# -gt 2 ]; then shift 2; else shift $#; fi
programs=${*:-ring:20000 stencil:512 cg:10000 transpose:256 wavefront:20000
    farm:100 imbalance:1000 phases:2000 ring:1 lammps hpl}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db"
cd "$dir"

# job TASKS with|without COMMAND...
job()
{
    job_n=$1 job_how=$2
    shift 2
    [ "$job_how" = with ] || set -- env -u LD_PRELOAD "$@"
    "$build/bin/hector-run" -q --oversubscribe -n "$job_n" "$@" >out 2>err ||
        { cat err >&2; exit 1; }
}

# kernel TASKS with|without NAME:SIZE: its wall and CPU seconds
kernel()
{
    KERNEL_ROUNDS=$rounds job "$1" "$2" "$build/apps/${3%:*}" "${3#*:}"
    sed -n "s/^${3%:*}: \([0-9.]* [0-9.]*\)\$/\1/p" err
}

lammps()        # TASKS with|without
{
    melt_input 8 300
    job "$1" "$2" lmp -in in.melt -log none
    awk '/^Loop time of/ { t = $4 } /% CPU use/ { c = $1 }
        END { print t, t * c / 100 }' out
}

hpl()           # TASKS with|without
{
    hpl_input 1000 64 1 "$1"
    rm -f hpccoutf.txt
    job "$1" "$2" hpcc
    # the time of one HPL, as it prints it
    awk '/^W[RC][0-9][0-9][A-Z]/ { t = $6 }
        END { print t, t }' hpccoutf.txt
}

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# ratio COLUMN TASKS COMMAND: of the medians
ratio()
{
    : >times.with; : >times.without
    r_i=0
    while [ $r_i -lt "$pairs" ]; do
        for r_how in with without; do
            measure "$2" $r_how "$3" | cut -d' ' -f"$1" >>"times.$r_how"
        done
        r_i=$((r_i + 1))
    done
    echo "$(median times.with) $(median times.without)" | awk '{ printf "%.3f", $1 / $2 }'
}
measure()       # TASKS with|without PROGRAM
{
    case $3 in
    lammps | hpl) "$3" "$1" "$2" ;;
    *) kernel "$1" "$2" "$3" ;;
    esac
}

for p in $programs; do
    case $p in
    lammps) command -v lmp >/dev/null || continue ;;
    hpl) command -v hpcc >/dev/null || continue ;;
    *)  rounds=4            # then as many as take half a second of CPU
        t=$(kernel 1 with "$p" | cut -d' ' -f2)
        rounds=$(echo "$t" | awk '{ n = int(4 * 0.5 / ($1 > 1e-5 ? $1 : 1e-5))
            print n < 4 ? 4 : n }') ;;
    esac
    cpu=$(ratio 2 1 "$p")
    wall=$(ratio 1 2 "$p")
    echo "slow-down $p: wall $wall (2 tasks), cpu $cpu (1 task), of $pairs pairs"
done
