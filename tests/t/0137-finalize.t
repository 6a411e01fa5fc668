# MPI_Finalize while MPI's own threads have yet to do what MPI_Init gave them:
# Open MPI would unload what they are about to call.
. "${0%/*}/../lib/t.sh"

cc -shared -fPIC -o "$T/slow_progress.so" "$top/tests/lib/slow_progress.c" -ldl
for i in 1 2 3; do
    run hector-run -n 2 -x LD_PRELOAD="$T/slow_progress.so" "$APPS/hello"
    is "$status $(sort "$T/out" | tr '\n' ' ')" \
        '0 task 0 of 2 task 1 of 2 ' 'MPI_Finalize waits for its threads'
done
done_testing
