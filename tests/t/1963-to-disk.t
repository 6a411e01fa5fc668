# Jobs of a standing master are written to files and end, until they are resumed, on
# other nodes if so wished; a master that was killed meanwhile knows what they can be
# made of. A job that hangs goes back to its checkpoint, if that is wished.
# limit: 60
# shellcheck disable=SC2016,SC2046,SC2086,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3 mpicc
. "$top/tests/lib/rounds.sh"

start_nodes
R="hector-run --master $master --oversubscribe"
D=$T/saved
tasks=4
state() { sql "SELECT state FROM jobs WHERE job = $job"; }
nodes() { sql "SELECT node FROM tasks WHERE job = $job ORDER BY rank" | xargs; }
again()         # DESCRIPTION: the master is killed, and another one goes on
{
    kill -9 $master_pid
    wait $master_pid 2>/dev/null || :
    mv "$T/master.log" "$T/master.log.before"
    launch_master master
    wait_for "grep -q 'job $job is taken up\|taken up again.*job=$job' '$T/master.log'"
    pass "$1"
}

# ----------------------------------------------------------------------- to disk
begin -H n1:2,n2:2 --checkpoint-dir "$D"
further 5
run hector resume --on n3 "$job"
is "$status $(grep -c 'only one that is stored' "$T/err")" '1 1' 'only what is stored moves'
run hector suspend --to-disk "$job"
is "$status $(grep -c 'all tasks are in checkpoint 1 in ' "$T/out")" '0 1' 'a job is stored'
wait_for '[ "$(state)" = stored ]'
is "$(processes)" 0 '... no process of it is left'
ok '... which people are told' grep -q "job $job is stored: hector resume" "$T/rounds.err"
run hector migrate "$job" n3
is "$status $(grep -c 'is stored' "$T/err")" '1 1' '... it cannot be moved'
run hector checkpoint "$job"
is "$status" 1 '... nor stored once more'
run hector resume --on nowhere "$job"
is "$status $(grep -c 'there is no node nowhere' "$T/err")" '1 1' '... nor go where nobody is'
run $R -n 2 -H n1:2 true
is "$status" 0 '... its nodes are free'
run hector resume --on n3 "$job"
is "$status" 0 'it is resumed on one other node'
wait_for '[ "$(state)" = running ]'
further 5
is "$(nodes)" 'n3 n3 n3 n3' '... where its tasks are'
hector suspend --to-disk "$job" >&2
wait_for '[ "$(state)" = stored ]'
again 'the master is killed while it is stored'
is "$(state)" stored '... it still is'
run hector resume "$job"
is "$status" 0 '... and is resumed'
wait_for '[ "$(state)" = running ]'
further 5
again 'the master is killed while it runs'
wait_for 'sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''" | grep -q 3'
kill -9 "$(pid_of 2)"
wait_for 'grep -q "task 2 on n. was killed by signal 9.*back to checkpoint 2" "$T/rounds.err"'
launched 4
further 5
whole 'nothing is missing and nothing twice'
begin -H n1:2,n2:2 --checkpoint-dir "$T/other"
hector suspend --to-disk "$job" >&2
wait_for '[ "$(state)" = stored ]'
hector kill "$job" >&2
finish
is "$status $(state)" '143 killed' 'one that is stored can be ended'

# ------------------------------------------------------------------------ it hangs
cat >"$T/stuck.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, n = 0, go = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("begun %d\n", rank);
    fflush(stdout);
    while (!go) {
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(10000);
        go = access(argv[1], F_OK) == 0;
        MPI_Allreduce(MPI_IN_PLACE, &go, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    while (access(argv[2], F_OK) == 0)          /* a message that nobody sends */
        MPI_Recv(&n, 1, MPI_INT, (rank + 1) % 4, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("over %d\n", rank);
    return MPI_Finalize();
}
C
mpicc -O1 -g -o "$T/stuck" "$T/stuck.c"
stuck()         # WORD...: status and what it has said
{
    rm -f "$T/go" "$T/rounds.out"
    : >"$T/bad"
    $R -n 4 -H n1:2,n2:2 "$@" --on-hang rollback "$T/stuck" "$T/go" "$T/bad" </dev/null \
        >"$T/rounds.out" 2>"$T/rounds.err" &
    runner=$!
    wait_for '[ "$(grep -c begun "$T/rounds.out")" = 4 ]'
    job=$(sql 'SELECT max(job) FROM jobs')
}
stuck --checkpoint-dir "$T/third"
hector checkpoint "$job" >&2
: >"$T/go"
wait_for 'grep -q "all tasks go back to checkpoint 1" "$T/rounds.err"'
rm "$T/bad"
status=0
wait $runner || status=$?
is "$status $(grep -c over "$T/rounds.out")" '0 4' 'a job that hung goes back, and ends well'
ok '... which people are told before' grep -q \
    'it is taken back to its last checkpoint, as --on-hang rollback wishes' "$T/rounds.err"
is "$(sql "SELECT by, substr(result, 1, 12) FROM actions WHERE job = $job AND
    action = 'rollback'")" 'hang|checkpoint 1' '... and the record'
stuck
: >"$T/go"
status=0
wait $runner || status=$?
is "$status $(grep -c 'it hung, and has no checkpoint to go back to' "$T/rounds.err")" '123 1' \
    'one without a checkpoint is ended'
stuck --checkpoint-dir "$T/fourth" --max-restarts 1
hector checkpoint "$job" >&2
: >"$T/go"
status=0
wait $runner || status=$?
is "$status $(grep -c 'all tasks go back to' "$T/rounds.err") $(
    grep -c 'it hung, and has no checkpoint to go back to once more' "$T/rounds.err")" '123 1 1' \
    '... and one that hangs again'
done_testing
