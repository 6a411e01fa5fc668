# The test programs in tests/apps that compute something: each is right on one
# task and on several, and gives the same output and status under hector-run, under
# mpirun with the libraries by hand, and with the injector that has nothing to do.
# limit: 60
. "${0%/*}/../lib/t.sh"
inject=$build/lib/libhector.so:$build/lib/libhector-inject.so

kernels='ring stencil cg transpose wavefront farm imbalance phases poll omp'
[ ! -x "$APPS/heat" ] || kernels="$kernels heat jacobi"

for k in $kernels; do
    for n in 1 3; do
        run hector-run -q -n $n --oversubscribe "$APPS/$k"
        is "$status $(out)" "0 $k: ok" "$k on $n"
    done
    run hector-run -q -n 2 --oversubscribe "$APPS/$k" 20 0.2
    is "$status $(out)" "0 $k: ok" "$k for a given time"
    run hector-run -q -n 2 --oversubscribe \
        --inject rank=0,call=MPI_Barrier:1000000,fault=hang "$APPS/$k"
    is "$status $(out)" "0 $k: ok" "$k with an injector that waits"
done
run hector-run -q -n 2 --oversubscribe "$APPS/omp" 100 0.1 funneled
is "$status $(out)" '0 omp: ok' 'omp, only the main thread calls MPI'

if command -v mpirun >/dev/null; then
    for k in $kernels; do
        run mpirun --oversubscribe -n 3 -x LD_PRELOAD="$inject" "$APPS/$k"
        is "$status $(out)" "0 $k: ok" "$k under mpirun, libraries by hand"
    done
else
    skip 'under mpirun' 'no mpirun here'
fi
is "$(sql "SELECT count(*) FROM events WHERE label LIKE 'injected:%'")" 0 \
    'nothing was injected'
done_testing
