# An MPI program starts, the tasks know each other, stdout carries what they
# wrote and nothing else, and the record is complete when hector-run returns.
. "${0%/*}/../lib/t.sh"

for n in 1 2 4 7; do
    run hector-run -n $n --oversubscribe "$APPS/hello"
    is "$status" 0 "$n tasks: exit status 0"
    is "$(grep -c . "$T/out")" $n "$n tasks: one line each on stdout"
    is "$(sql "SELECT ntasks, state, exit_code FROM jobs ORDER BY job DESC
        LIMIT 1")" "$n|done|0" "$n tasks: the job is recorded as done"
    is "$(sql "SELECT count(*), min(rank), max(rank), sum(exit_code),
        min(state), max(state) FROM tasks WHERE job = (SELECT max(job)
        FROM jobs)")" "$n|0|$((n - 1))|0|exited|exited" \
        "$n tasks: each is recorded as exited"
done

run hector-run -n 2 "$APPS/hello"
is "$(cat "$T/err")" '' 'nothing on stderr when there is nothing to say'
is "$(sql 'SELECT count(*) FROM tasks WHERE pid > 1 AND node IS NOT NULL')" \
    "$(sql 'SELECT count(*) FROM tasks')" 'pid and node are recorded'
is "$(sql 'SELECT count(*) FROM tasks WHERE mpi_calls >= 3')" \
    "$(sql 'SELECT count(*) FROM tasks')" 'MPI calls are counted'
is "$(sql 'SELECT count(*) FROM jobs WHERE started_ns IS NULL OR
    ended_ns < started_ns')" 0 'start and end are recorded'
is "$(sql 'SELECT job FROM jobs ORDER BY job' | tr '\n' ' ')" '1 2 3 4 5 ' \
    'jobs are numbered from 1'

run hector-run "$APPS/hello"
is "$status" 0 'without -n: one task'
run hector-run -n 2 hostname
is "$(out)" "$(hostname; hostname)" 'a program without MPI runs as well'
run "$APPS/hello"
is "$status" 0 'the program also runs alone'
left_by_mpi
done_testing
