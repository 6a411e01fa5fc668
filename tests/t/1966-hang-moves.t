# --on-hang migrate: the tasks to blame for a hang go to other nodes, where that can be;
# of a deadlock nothing is done but to say why.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3
. "$top/tests/lib/rounds.sh"
cc -shared -fPIC -I "$top/policies" -o "$T/odd.so" "$top/tests/lib/odd_policy.c"

R="hector-run --launch-agent $AGENT --oversubscribe --map-by node
    --policy $T/odd.so:mode=9,at=10 --on-hang migrate:age=1s"
said()          # DESCRIPTION EXTENDED-REGEXP: to who runs the job
{
    tap_d=$1
    wait_for "grep -Eq '$2' '$T/rounds.err'" || cat "$T/rounds.err" >&2
    like "$T/rounds.err" "$2" "$tap_d"
}

tasks=2
begin -H n1:1,n2:1,n3:1 --migratable
said 'what is to be done is told' 'the tasks to blame are moved, as --on-hang migrate wishes'
said 'the task to blame is moved' 'job 1: task 1 is on n3 now, and the job stood'
is "$(sql "SELECT action, by, ranks, result FROM actions WHERE action = 'migrate'")" \
    'migrate|odd|1|done' '... which is recorded'
finish
is "$status $(grep -c 'of 2 wrong 0' "$T/rounds.out")" '0 2' '... and the job goes on'

begin -H n1:2 --migratable
said 'where there is no other node' \
    'job 2: nothing is moved: there is no other node any more'
is "$(sql "SELECT result FROM actions WHERE job = 2 AND action = 'migrate'")" \
    'there is no other node any more' '... that is recorded'
finish
is "$status" 0 '... and the job goes on'

more=child
begin -H n1:1,n2:1,n3:1 --migratable
said 'a task that cannot be moved stays' \
    'job 3: nothing was moved, the job goes on: task 1 cannot be moved: it has child'
finish
is "$status" 0 '... and the job goes on'
unset more

# Proven: each waits for the other.
cat >both.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, n;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(&n, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
END
mpicc -o both both.c
hector-run --launch-agent "$AGENT" -H n1:1,n2:1,n3:1 --map-by node -n 2 --migratable \
    --on-hang migrate "$PWD/both" </dev/null >"$T/rounds.out" 2>"$T/rounds.err" &
runner=$!
said 'of a deadlock it is said why not' \
    'nothing is moved: tasks that wait for each other would do so anywhere'
is "$(sql "SELECT count(*) FROM actions WHERE job = 4 AND action = 'migrate'")" 0 \
    '... and nothing is'
hector kill 4 >"$T/out"
wait $runner || :
run hector-run -n 1 --on-hang migrate true
is "$status $(cat "$T/err")" "2 hector: --on-hang migrate needs --migratable: no \
task can be moved without" 'it needs --migratable'
done_testing
