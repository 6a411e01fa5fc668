# Jobs of MPICH's mpiexec: the one wrapper library serves both.
# limit: 60
# shellcheck disable=SC2016 # scripts are for other shells
. "${0%/*}/../lib/t.sh"
need mpiexec.mpich mpicc.mpich
for app in hello tagloop halfway; do
    mpicc.mpich -O2 -std=gnu11 -o "$T/$app" "$top/tests/apps/$app.c" \
        -I"$build/include" -L"$build/lib" -lhct -lpthread \
        -Wl,-rpath,"$build/lib" || skip_all "mpicc.mpich cannot build $app.c"
done

run hector-run --adopt -- mpiexec.mpich -n 3 "$T/hello"
is "$status" 0 'mpiexec -n 3'
is "$(sort "$T/out" | tr '\n' ' ')" 'task 0 of 3 task 1 of 3 task 2 of 3 ' \
    '... runs as ever'
is "$(sql 'SELECT name, ntasks, state, exit_code FROM jobs')" 'hello|3|done|0' \
    '... and is a job'
is "$(sql "SELECT group_concat(state_to) FROM transition WHERE machine = 'task 2'")" \
    running,in_mpi_init,connected,finalized,exited '... its tasks have states'
is "$(sql 'SELECT count(*) FROM tasks WHERE mpi_calls >= 4 AND in_mpi_ns > 0')" 3 \
    '... and counters'
run hector-run --adopt --stdtim=times -- mpiexec.mpich -n 2 "$T/tagloop" 1000
is "$status" 0 'tagged calls'
is "$(sql 'SELECT rank, count(*), count(exit_ns), min(call) FROM events
    WHERE job = 2 GROUP BY rank' | tr '\n' ' ')" \
    '0|1000|1000|MPI_Iprobe 1|1000|1000|MPI_Iprobe ' '... are there, once'
is "$(grep -c '^Task [01] E' times)" 4000 '... and shown'
run hector-run --adopt -- sh -c 'mpiexec.mpich -n 2 "$T/hello" &
    mpiexec.mpich -n 3 "$T/hello"; wait; mpiexec.mpich -n 1 "$T/hello"'
is "$(sql 'SELECT ntasks, state FROM jobs WHERE job >= 3' | sort | xargs)" \
    '1|done 2|done 3|done' 'three launches are three jobs'
run hector-run --adopt -- mpiexec.mpich -n 2 sh -c '"$T/hello"; exit 3'
is "$status" 3 'the status is mpiexec'"'"'s'

# Who does not come back ends it, if one has no patience. Who has no wrapper
# library is not seen, and so nothing is said of him.
run hector-run --adopt --on-hang kill:patience=8s -- \
    mpiexec.mpich -n 3 "$T/halfway" 3 2
is "$status" 123 'one that stands still is ended, whatever mpiexec makes of that'
hung=$(sql 'SELECT max(job) FROM jobs')
is "$(sql "SELECT kind || ' ' || phase || ' ' || ranks FROM verdicts
    WHERE job = $hung AND policy = 'hang'")" 'notice computation 2' '... and its task is named'
run hector-run --adopt --on-hang kill:age=1s,patience=1s -- mpiexec.mpich -n 3 \
    env -u LD_PRELOAD "$T/halfway" 3 -1
is "$status|$(out)|$(cat "$T/err")" '0|halfway: ok, many rounds|' \
    'without the library: nothing is seen, and nothing said'

run hector-run --adopt -- "$T/hello"
is "$(sql 'SELECT name, ntasks, state FROM jobs ORDER BY job DESC LIMIT 1')" \
    'hello|1|done' 'a program without a launcher'

if command -v mpirun >/dev/null; then
    run hector-run --adopt -- sh -c 'mpirun -n 2 --oversubscribe "$APPS/hello" &
        mpiexec.mpich -n 3 "$T/hello"; wait'
    is "$(sql 'SELECT ntasks, state FROM jobs ORDER BY job DESC LIMIT 2' |
        sort | xargs)" '2|done 3|done' 'both libraries under one command'
fi
done_testing
