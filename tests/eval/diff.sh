#!/bin/sh
# diff.sh - how good hector diff is: pairs of equal runs, in which nothing is to be
# said, and pairs in which one thing is another one, which is to be said first.
# limit: 1200
#
#     sh tests/eval/diff.sh BUILD [PAIRS]
#
# Each pair has a database of its own, so that there is one good run to compare
# with: the hardest case. Prints a table; the status is 1 if a run was taken for
# another one.
set -u
build=${1:-build} pairs=${2:-20}
case $build in /*) ;; *) build=$PWD/$build ;; esac
T=$(mktemp -d "${TMPDIR:-/tmp}/hct-diff-XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
export HECTOR_DB="$T/h.db" OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
apps=$build/apps
cycle="$apps/cycle 60 3000"
bad=0

job()           # OPTION... PROGRAM
{
    "$build/bin/hector-run" --oversubscribe "$@" >"$T/out" 2>&1 </dev/null ||
        { echo "it failed: $*" >&2; cat "$T/out" >&2; }
}
# What is said first; nothing: they are the same; what went wrong instead.
first()         # JOB...
{
    "$build/bin/hector" diff "$@" >"$T/diff" 2>&1
    case $? in
    0 | 3) ;;
    *) cat "$T/diff"; return ;;
    esac
    sed -En '/COST DIFFERENCE/{n;s/^ *(-|-?[0-9.]+ [mun]*s|-?[0-9]+m[0-9]+s) //;p;}' \
        "$T/diff"
}
fresh() { rm -f "$T"/h.db*; }

equal()         # NAME COMMAND...
{
    name=$1 said=0 n=0
    shift
    while [ $n -lt "$each" ]; do
        fresh
        job -n 4 "$@"
        job -n 4 "$@"
        text=$(first 2)
        [ -z "$text" ] || { said=$((said + 1)); echo "# $name: $text" >&2; }
        n=$((n + 1))
    done
    bad=$((bad + said))
    printf '%-34s %5d %s\n' "equal: $name" "$n" "$((n - said)) differ in nothing"
}

other()         # WHAT EXTENDED-REGEXP: runs one and two are made by one and two
{
    right=0 n=0
    while [ $n -lt "$each" ]; do
        fresh
        one
        two
        text=$(first 2 1)
        if echo "$text" | grep -Eq "$2"; then
            right=$((right + 1))
        else
            echo "# $1: $text" >&2
        fi
        n=$((n + 1))
    done
    bad=$((bad + n - right))
    printf '%-34s %5d %s\n' "$1" "$n" "$right named first"
}
# shellcheck disable=SC2086 # words are wanted
one() { job -n 4 $cycle; }

printf '%-34s %5s %s\n' runs pairs result
each=$(((pairs + 4) / 5))
equal cycle "$apps/cycle" 60 3000
KERNEL_ROUNDS=100
export KERNEL_ROUNDS
equal imbalance "$apps/imbalance" 3000
equal stencil "$apps/stencil"
equal wavefront "$apps/wavefront"
equal farm "$apps/farm"
each=$(((pairs + 1) / 2))

# shellcheck disable=SC2086,SC2317 # called by name
{
    two() { CYCLE_SLOW=2 job -n 4 $cycle; }
    other 'one slow rank' '^task 2 .*between Sendrecv'
    two() { job -n 4 --inject rank=1,call=MPI_Sendrecv:1,fault=slow-after,time=20ms $cycle; }
    other 'one slow rank, by the injector' '^task 1 .*between Sendrecv'
    two() { CYCLE_MORE=1 job -n 4 $cycle; }
    other 'one more call' '^Bcast \(main cycle.c:[0-9]*\) is called once'
    two() { CYCLE_HEAVY=1 job -n 4 $cycle; }
    other 'heavier work between two calls' '^between Sendrecv .* and Allreduce'
    two() { job -n 5 $cycle; }
    other 'another number of tasks' '^tasks: 5, was 4'
    two() { job -n 4 "$apps/cycle" 60 3500; }
    other 'another input' '^arguments: 60 3500, was 60 3000'
    if command -v mpicc >/dev/null 2>&1; then
        mkdir "$T/other"
        mpicc -g -O1 -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 \
            -o "$T/other/cycle" "${0%/*}/../apps/cycle.c" || exit 1
        two() { job -n 4 "$T/other/cycle" 60 3000; }
        other 'another build' '^build: cycle 0123456789abcdef'
    fi
}
[ "$bad" -eq 0 ]
