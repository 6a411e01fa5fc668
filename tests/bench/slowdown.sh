#!/bin/sh
# slowdown.sh - how much longer programs take with the recording library than
# without it, under the same launcher: all kernels of tests/apps, LAMMPS and
# the HPL of hpcc. One line a program and measure:
#
#   slow-down by recording ring:20000  cpu, 1 task   1.003 (0.998 1.002 1.007) of 0.253 s, 15 pairs
#   slow-down by recording ring:20000  wall, 2 tasks 1.002 (0.991 1.003 1.011) of 0.301 s, 15 pairs
#
# Runs come in pairs, one with and one without, each time in the other order;
# what is printed is the ratio of the medians, the quartiles of the ratios of
# the pairs and their median, and the median time without. Wall time of two tasks says little on a
# machine that has other things to do; CPU time of one task, which waits for
# nobody, does. Behind the name of a kernel is its size. ring:1 does nothing
# but call MPI, four times in some 150 ns: it is the worst that can be, and
# not meant by the goal of 1.01.
#
# usage: slowdown.sh BUILD [PAIRS [PROGRAM...]]
#
# PROGRAM may lack its size. No program gets more than $SLOWDOWN_SECONDS (20)
# a measure, then it has fewer pairs. With SLOWDOWN_OF=layer it is --migratable that
# runs have or not, and all of them the recording library.
set -eu
. "$(dirname "$0")/../lib/inputs.sh"
build=$1 pairs=${2:-15} seconds=${SLOWDOWN_SECONDS:-20} of=${SLOWDOWN_OF:-recording}
if [ $# -gt 2 ]; then shift 2; else shift $#; fi
all='ring:20000 stencil:512 cg:50000 transpose:256 wavefront:20000 farm:100
    imbalance:1000 phases:2000 poll:20000 omp:20000 heat:20000 jacobi:300
    ring:1 lammps hpl'
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db"
cd "$dir"

# job TASKS with|without COMMAND...
job()
{
    job_n=$1 job_how=$2
    shift 2
    case $of,$job_how in
    layer,with) set -- --migratable "$@" ;;
    # Without it nobody looks at the stacks instead either.
    recording,without) set -- --policy none env -u LD_PRELOAD "$@" ;;
    esac
    "$build/bin/hector-run" -q --oversubscribe -n "$job_n" "$@" >out 2>err ||
        { cat err >&2; exit 1; }
}

# kernel TASKS with|without NAME:SIZE: its wall and CPU seconds
kernel()
{
    KERNEL_ROUNDS=$rounds job "$1" "$2" "$build/apps/${3%:*}" "${3#*:}"
    sed -n "s/^${3%:*}: *\([0-9.]* [0-9.]*\)\$/\1/p" err
}

lammps()        # TASKS with|without
{
    melt_input 10 300
    job "$1" "$2" lmp -in in.melt -log none
    awk '/^Loop time of/ { t = $4 } /% CPU use/ { c = $1 }
        END { print t, t * c / 100 }' out
}

hpl()           # TASKS with|without: the time of one HPL, as it prints it
{
    hpl_input 3000 128 1 "$1"
    rm -f hpccoutf.txt
    job "$1" "$2" hpcc
    awk '/^W[RC][0-9][0-9][A-Z]/ { t = $6 } END { print t, t }' hpccoutf.txt
}

measure()       # TASKS with|without PROGRAM
{
    case $3 in
    lammps | hpl) "$3" "$1" "$2" ;;
    *) kernel "$1" "$2" "$3" ;;
    esac
}

# tell LABEL COLUMN TASKS PROGRAM
tell()
{
    tell_begin=$(date +%s) tell_n=0 tell_took=0
    : >pairs
    while [ $tell_n -lt "$pairs" ] &&
            { [ "$tell_took" -lt "$seconds" ] || [ $tell_n -lt 1 ] ||
            { [ $tell_n -lt 3 ] && [ "$tell_took" -lt $((3 * seconds)) ]; }; }; do
        tell_order='with without'
        [ $((tell_n % 2)) = 0 ] || tell_order='without with'
        for tell_how in $tell_order; do
            measure "$3" "$tell_how" "$4" | cut -d' ' -f"$2" >"one.$tell_how"
        done
        paste -d' ' one.with one.without >>pairs
        tell_n=$((tell_n + 1)) tell_took=$(($(date +%s) - tell_begin))
    done
    awk -v what="$(printf '%s %-15s %s' "$of" "$4" "$1")" '
        function sort(v, n,    i, j, x) {
            for (i = 2; i <= n; i++) {
                x = v[i]
                for (j = i - 1; j > 0 && v[j] > x; j--)
                    v[j + 1] = v[j]
                v[j + 1] = x
            }
        }
        # the value with a part q of the others below, between two if need be
        function at(v, n, q,    i) {
            q = 1 + q * (n - 1)
            i = int(q)
            return i < n ? v[i] + (q - i) * (v[i + 1] - v[i]) : v[n]
        }
        NF == 2 && $2 > 0 { n++; a[n] = $1; b[n] = $2; r[n] = $1 / $2 }
        END {
            if (!n) { print "slow-down by " what " not measured"; exit }
            sort(a, n); sort(b, n); sort(r, n)
            printf "slow-down by %s %.3f (%.3f %.3f %.3f) of %.3f s, %d pairs\n",
                what, at(a, n, 0.5) / at(b, n, 0.5), at(r, n, 0.25),
                at(r, n, 0.5), at(r, n, 0.75), at(b, n, 0.5), n
        }' pairs
}

[ $# -gt 0 ] || echo 'slow-down: with over without (quartiles of the pairs), goal 1.010'
for p in $all; do
    chosen=$#
    for one in "$@"; do
        case $p in "$one" | "$one":*) chosen=0 ;; esac
    done
    [ "$chosen" = 0 ] || continue
    case $p in
    lammps) command -v lmp >/dev/null || continue ;;
    hpl) command -v hpcc >/dev/null || continue ;;
    *)  [ -x "$build/apps/${p%:*}" ] || continue
        rounds=4 tasks=1
        [ "${p%:*}" != poll ] || tasks=2
        for wanted in 0.05 0.25; do     # as many as take so many seconds
            t=$(kernel $tasks with "$p" | cut -d' ' -f2)
            rounds=$(echo "$t $rounds $wanted" | awk '{
                n = int($2 * $3 / ($1 > 1e-5 ? $1 : 1e-5))
                print n < 4 ? 4 : n }')
        done ;;
    esac
    # A single task has nobody to poll for.
    [ "${p%:*}" = poll ] || tell 'cpu, 1 task  ' 2 1 "$p"
    tell 'wall, 2 tasks' 1 2 "$p"
done
