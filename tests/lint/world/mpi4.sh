#!/bin/sh
# mpi4.sh - the wrappers fit the prototypes of MPICH, whose mpi.h declares all of MPI-4.0:
# Open MPI 4, with which they are built here, has not even the names. Nothing is linked
# nor run.
. "${0%/*}/../../lib/lint.sh"

build=${HECTOR_BUILD:-build}
headers=$(mpicc.mpich -show 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I//p' | head -n 1)
if [ ! -e "$headers/mpi.h" ]; then
    skip 'wrappers fit MPI-4.0' 'no mpi.h of MPICH here'
elif [ ! -e "$build/gen/wrap_c.inc" ]; then
    skip 'wrappers fit MPI-4.0' 'what is generated is not built'
else
    for file in wrap inject_wrap; do
        clean "$file.c fits MPI-4.0" "$(find mpi-wrappers -name "$file.c" -exec gcc -std=c11 \
            -D_GNU_SOURCE -fsyntax-only -Wall -Wextra -I. -I"$build/gen" -I"$build/include" \
            -isystem "$headers" {} + 2>&1)"
    done
fi
finish
