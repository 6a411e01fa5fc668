# What the page says of a task under a real MPI: identities of communicators,
# partners, requests, the flight recorder. The program reads its own page.
# limit: 60
. "${0%/*}/../lib/t.sh"

for n in 4 5 6; do
    run hector-run --oversubscribe -n $n "$APPS/state"
    is "$status" 0 "$n tasks agree on what the page says"
    like "$T/out" '^state: [1-9][0-9]* checks, all right$' \
        "... all $n of them"
done

# The same library with MPICH, whose handles are integers.
if command -v mpicc.mpich >/dev/null && command -v mpiexec.mpich >/dev/null &&
    mpicc.mpich -w -std=gnu11 -I"$top" -I"$build/gen" -o "$T/state" \
        "$top/tests/apps/state.c" -Wl,-rpath,"$build/lib"
then
    run hector-run --adopt -- mpiexec.mpich -n 5 "$T/state"
    is "$status" 0 'MPICH: 5 tasks agree'
    like "$T/out" '^state: [1-9][0-9]* checks, all right$' '... all of them'
else
    skip 'MPICH' 'no mpicc.mpich here'
fi
done_testing
