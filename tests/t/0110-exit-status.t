# The exit status of hector-run is that of the first task that failed, as a
# shell would give it, and stderr says in a sentence what happened.
# limit: 60
. "${0%/*}/../lib/t.sh"

job()           # STATUS DESCRIPTION WORD...: of exits on three tasks
{
    want=$1 what=$2
    shift 2
    run hector-run -n 3 --oversubscribe "$APPS/exits" "$@"
    is "$status" "$want" "$what: status $want"
}
says()          # EXTENDED-REGEXP
{
    like "$T/err" "^hector: .*$1" "... in words: $1"
}

job 0 'all well' 9 exit 0
job 3 'exit 3 in the middle' 1 exit 3 middle
says 'task 1 .*3'
job 255 'exit 255' 2 exit 255
job 7 'return 7 from main' 1 return 7
job 5 'exit 5 before MPI_Init' all exit 5 early
job 6 'exit 6 after MPI_Finalize' 0 exit 6 late
job 4 '_exit 4' 1 quick 4
job 42 'MPI_Abort 42' 1 abort 42
line=$(grep -n 'MPI_Abort(MPI' "$top/tests/apps/exits.c" | head -n 1)
says "task 1 on [^ ]+ called MPI_Abort with code 42, in leave .exits.c:${line%%:*}.\$"
job 1 'MPI_Abort 0 is no success' 1 abort 0
job 139 'segmentation fault' 1 signal 11
says 'task 1 on [^ ]+ was killed by signal 11 \(Segmentation fault\)'
job 143 'SIGTERM' 1 signal 15
job 137 'SIGKILL' 2 signal 9
says 'task 2 .*signal 9'
job 134 'SIGABRT' 0 signal 6
job 1 'exit 0 without MPI_Finalize while others wait' 1 exit 0
says 'MPI_Finalize'
job 0 '_exit 0 of all at the end' all quick 0 late
is "$(sql "SELECT exit_code FROM jobs WHERE job = 9")" 1 \
    'the record has the same status'
is "$(sql "SELECT group_concat(state) FROM (SELECT DISTINCT state FROM jobs
    ORDER BY state)")" done,failed 'jobs end as done or failed'
is "$(sql "SELECT exit_code FROM tasks WHERE job = 10 AND rank = 1")" 139 \
    'the task that a signal killed has 128 + signal'

run hector-run -n 2 "$T/missing"
is "$status" 127 'no such program: 127'
like "$T/err" '^hector: .*missing' '... in words'
echo data >"$T/plain"
run hector-run -n 2 "$T/plain"
is "$status" 126 'not executable: 126'
like "$T/err" '^hector: .*plain' '... in words'
run hector-run -n 2 no-such-command-anywhere
is "$status" 127 'not in PATH: 127'

a=$(date +%s)
run hector-run --timeout 1 -n 2 sleep 100
b=$(date +%s)
is "$status" 124 'time limit: 124'
like "$T/err" '^hector: .*(time|limit)' '... in words'
ok '... long before its tasks would end' [ $((b - a)) -lt 60 ]

# The first in time counts, not the lowest rank.
run hector-run -n 2 sh -c 'if [ $HECTOR_RANK = 0 ]; then sleep 20; exit 9;
    else exit 8; fi'
is "$status" 8 'the first failure in time counts'
run hector-run -n 2 sh -c 'exit $HECTOR_RANK'
is "$status" 1 'a task that ends well is no failure'
# An error in MPI ends the job like MPI_Abort.
run hector-run -n 3 --oversubscribe "$APPS/exits" 2 fail
line=$(grep -n 'MPI_Send' "$top/tests/apps/exits.c" | tail -n 1)
says "task 2 on [^ ]+ failed in MPI_Send with code 6, in leave .exits.c:${line%%:*}.\$"
is "$status:$(grep -c '^hector: ' "$T/err")" 6:1 '... in one line'
done_testing
