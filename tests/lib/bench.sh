#!/bin/sh
# bench.sh - run every measurement of tests/bench: scripts with BUILD as their
# argument, MPI programs as a task of hector-run, others as they are.
#
# usage: bench.sh BUILD
set -eu
build=$(cd "$1" && pwd)
cd "${0%/*}/../bench"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
HECTOR_DB=$dir/bench.db
export HECTOR_DB

for script in *.sh; do
    sh "$script" "$build"
done
for program in *.c; do
    name=${program%.c}
    if grep -q '<mpi.h>' "$program"; then
        "$build/bin/hector-run" -n 1 "$build/bench/$name"
    else
        "$build/bench/$name"
    fi
done
