# Tasks move while one of them waits in MPI_Finalize for the others: it ends by the
# library that it has then.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3 mpicc

# No signal stops them before they are told to go on, the first one to MPI_Finalize;
# the others may be stopped then, or end, too.
cat >"$T/waits.c" <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    sigset_t all, before;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    printf("begun %d\n", rank);
    fflush(stdout);
    while (access(argv[1 + (rank > 0)], F_OK) != 0)
        usleep(1000);
    if (rank > 0)
        sigprocmask(SIG_SETMASK, &before, NULL);
    printf("over %d\n", rank);
    fflush(stdout);
    return MPI_Finalize();
}
C
mpicc -O2 -o "$T/waits" "$T/waits.c"
start_nodes

begin_move()    # RANK: of a new job, whose task 0 is in MPI_Finalize; $status is of both
{
    rm -f "$T/first" "$T/others"
    fresh out
    hector-run --master $master -n 3 --migratable -H n1:3,n2:3 --map-by slot \
        "$T/waits" "$T/first" "$T/others" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    wait_for '[ "$(grep -c begun "$T/out")" = 3 ]'
    job=$(sql 'SELECT max(job) FROM jobs')
    hector migrate $job.$1 n2 >"$T/migrate.out" 2>&1 &
    mover=$!
    wait_for '[ "$(sql "SELECT count(*) FROM transition WHERE job = $job AND
        machine = '\''move'\'' AND state_to = '\''checked'\''")" = 1 ]'
    : >"$T/first"
    wait_for 'grep -q "over 0" "$T/out"'
    : >"$T/others"
    moved=0
    wait $mover || moved=$?
    ended=0
    wait $runner || ended=$?
    cat "$T/err" "$T/migrate.out" >&2
}
# All may be through before they are stopped, where the machine has much to do: then it
# says so, and another job shows it.
too_late() { grep -q 'it is too late: task [0-2] has finalized MPI' "$T/migrate.out"; }
for rank in 0 1; do
    all=0
    for try in 1 2 3 4 5 6 7 8; do
        begin_move $rank
        all=$((all + (ended == 0 && $(grep -c over "$T/out") == 3)))
        too_late || break
    done
    is "$moved $(grep -c "$rank is on n2 now" "$T/migrate.out")" '0 1' \
        "task $rank moves while task 0 is in MPI_Finalize"
    is "$all" "$try" '... and all end'
done
done_testing
