#!/bin/sh
# symbols.sh - every entry point of the MPI library is wrapped, or left out
# for a reason that wrap.def gives; and libhector.so shows nothing else. A
# policy shows hct_policy alone, an optimizer hct_optimizer, and needs nothing but
# libc and libm.
#
# Walks what Open MPI exports for C and for Fortran (mpif.h, use mpi, use
# mpi_f08) and, where it is installed, MPICH for C.
set -u
top=$(cd "${0%/*}/../.." && pwd)
lib=${HECTOR_BUILD:-$top/build}/lib/libhector.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
failed=0

result()        # FILE DESCRIPTION: passes if FILE, a list of faults, is empty
{
    n=$((n + 1))
    if [ -s "$1" ]; then
        failed=1
        echo "not ok $n - $2"
        sed 's/^/#   /' "$1" | head -n 40
    else
        echo "ok $n - $2"
    fi
}

functions()     # LIBRARY: the functions it exports
{
    nm -D --defined-only "$1" 2>/dev/null |
        awk '$2 == "T" || $2 == "W" { sub(/@.*/, "", $3); print $3 }'
}

find_library()  # NAME: its path
{
    { /sbin/ldconfig -p 2>/dev/null || ldconfig -p; } |
        awk -v name="$1" '$1 == name { print $NF; exit }'
}

left_out()      # reads names, prints those that no pattern covers
{
    grep -ivE "$patterns"
}

# The shell's patterns of wrap.def as one regular expression.
patterns=$(sed -n 's/^- \([^ ]*\) .*/^\1$/p' "$top/mpi-wrappers/table/wrap.def" |
    sed 's/[*]/.*/g' | paste -sd '|' -)
: "${patterns:?wrap.def lists nothing that is left out}"
sed -n '/^- [^ ]* *$/p' "$top/mpi-wrappers/table/wrap.def" >"$work/bad"
result "$work/bad" "each pattern of wrap.def has a reason"

functions "$lib" | sort >"$work/ours"
own='HCT_RT_Tag$|HCT_RT_TAG$|hct_rt_tag_{0,2}$|hct_hook_'
grep -Ev "^(MPI_|mpi_|$own)" "$work/ours" >"$work/bad"
result "$work/bad" "libhector.so shows MPI's names, HCT_RT_Tag and hooks only"

nm -D --undefined-only "$lib" | awk '{ print $2 }' | grep -E '^P?MPI_|^p?mpi_' \
    >"$work/bad"
result "$work/bad" "libhector.so needs nothing of MPI to be loaded"

# The injector stands in front of the same functions.
inject=${lib%.so}-inject.so
functions "$inject" | sort >"$work/theirs"
grep -E '^(MPI|mpi)_' "$work/ours" | diff - "$work/theirs" >"$work/bad"
result "$work/bad" "libhector-inject.so shows the same of MPI, and nothing else"
nm -D --undefined-only "$inject" | awk '{ print $2 }' |
    grep -E '^P?MPI_|^p?mpi_' >"$work/bad"
result "$work/bad" "libhector-inject.so needs nothing of MPI to be loaded"

functions "${lib%.so}-yield.so" >"$work/theirs"
echo sched_yield | diff - "$work/theirs" >"$work/bad"
result "$work/bad" "libhector-yield.so shows sched_yield, and nothing else"
nm -D --undefined-only "${lib%.so}-yield.so" | awk '{ print $2 }' |
    grep -E '^P?MPI_|^p?mpi_|^hct_' >"$work/bad"
result "$work/bad" "... and needs no library of ours or of MPI to be loaded"

for name in libmpi.so.40 libmpi_mpifh.so.40 libmpi_usempi_ignore_tkr.so.40 \
            libmpi_usempif08.so.40 libmpich.so.12; do
    path=$(find_library $name)
    if [ -z "$path" ]; then
        n=$((n + 1))
        echo "ok $n - $name # SKIP not installed"
        continue
    fi
    functions "$path" | grep -E '^(MPI|mpi)x?_|^MPIX_' | sort >"$work/theirs"
    comm -23 "$work/theirs" "$work/ours" | left_out >"$work/bad"
    [ -s "$work/theirs" ] || echo "no MPI function in $path" >"$work/bad"
    result "$work/bad" "$name: all $(wc -l <"$work/theirs") functions are wrapped or accounted for"
done

# Our libmpi.so.40 has what programs are linked with, in the sizes that they were
# linked for: variables are copied into them.
layer=${lib%/*}/hector/libmpi.so.40
if [ -e "$layer" ]; then
    real=$(find_library libmpi.so.40)
    functions "$real" | grep -E '^P?MPI(X|_T)?_[A-Z]' | sort >"$work/theirs"
    functions "$layer" | sort >"$work/shown"
    comm -23 "$work/theirs" "$work/shown" | grep -vE '_F90$' >"$work/bad"
    [ -s "$work/theirs" ] || echo "no MPI function in $real" >"$work/bad"
    result "$work/bad" "our libmpi.so.40 has all functions of MPI that Open MPI's has"
    sizes()         # LIBRARY: variables of MPI
    {
        nm -DS --defined-only "$1" | awk '$3 ~ /[BDR]/ && $4 !~ /_addr$/ {
            sub(/^0*/, "", $2); print $4, $2 }' | sort
    }
    sizes "$real" >"$work/theirs"
    sizes "$layer" | comm -13 "$work/theirs" - >"$work/bad"
    result "$work/bad" "... and variables of the same sizes"
else
    n=$((n + 1))
    echo "ok $n - our libmpi.so.40 # SKIP not built for this Open MPI"
fi

for so in "${lib%/*}"/policies/*.so "${lib%/*}"/optimizers/*.so; do
    name=${so##*/}
    entry=hct_policy
    case $so in */optimizers/*) entry=hct_optimizer ;; esac
    nm -D --defined-only "$so" | awk '$2 ~ /^[A-Z]$/ { print $3 }' |
        grep -vE '^(__a?ubsan|__asan|__odr_asan|__sancov)' |
        sed "/^$entry\$/d" >"$work/bad"
    nm -D --defined-only "$so" | grep -q " T $entry\$" ||
        echo "no function $entry" >>"$work/bad"
    result "$work/bad" "$name shows $entry, and nothing else"
    ${READELF:-readelf} -d "$so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -vE '^(libc|libm|lib[aut]bsan|lib[atu]*san)\.so' >"$work/bad"
    result "$work/bad" "$name needs libc and libm, and nothing else"
    # What would make two runs differ.
    nm -D --undefined-only "$so" | awk '{ sub(/@.*/, "", $2); print $2 }' |
        grep -E '^(clock_gettime|gettimeofday|time|s?rand(om)?(_r)?|getrandom)$'"\
|^(getenv|f?open(64)?|read|write|f?printf|puts)$|^(malloc|calloc|realloc|free)$"\
'|^pthread_create$' >"$work/bad"
    result "$work/bad" "$name asks no clock, file, environment or allocator"
done

echo "1..$n"
exit $failed
