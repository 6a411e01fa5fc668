# What goes on while tasks move, or has been asked for meanwhile: a tagged call that
# is open across a move has one exit; another move of the same job is refused, one of
# another job is not; nor do tasks move where one has ended, or to a full node.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3 mpicc

# Rank 1 waits in a tagged call until the file is there; rank 3 has ended by then, if
# it is to.
cat >"$T/waits.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
#include <hct_rt.h>
int main(int argc, char **argv)
{
    int rank, n = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("begun %d\n", rank);
    fflush(stdout);
    if (rank == 3 && argc > 2)
        return 0;
    while (rank != 1 && access(argv[1], F_OK) != 0)
        usleep(1000);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (rank == 1) {
        HCT_RT_Tag(5, "for the file");
        MPI_Recv(&n, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        HCT_RT_Tag(6, "after it");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("over %d\n", rank);
    return MPI_Finalize();
}
C
mpicc -O2 -o "$T/waits" "$T/waits.c" -I"$build/include" -L"$build/lib" -lhct \
    -Wl,-rpath,"$build/lib"
start_nodes

begin()         # NAME TASKS WORD...: a job; $job
{
    tap_name=$1 tap_tasks=$2
    shift 2
    rm -f "$T/$tap_name.enough"
    fresh $tap_name.out
    hector-run --master $master -n $tap_tasks --migratable "$@" >"$T/$tap_name.out" \
        2>"$T/$tap_name.err" </dev/null &
    runner=$!
    wait_for "[ \"\$(grep -c begun '$T/$tap_name.out')\" = $tap_tasks ]"
    job=$(sql 'SELECT max(job) FROM jobs')
}
refused()       # DESCRIPTION EXTENDED-REGEXP TARGET NODE
{
    run hector migrate $3 $4
    is "$status $(grep -Ec -- "$2" "$T/err") $(wc -l <"$T/err")" '1 1 1' "$1"
    cat "$T/err" >&2
}
moved()         # DESCRIPTION TARGET NODE
{
    run hector migrate $2 $3
    is "$status $(grep -c "on $3 now" "$T/out")" '0 1' "$1"
    cat "$T/err" >&2
}
tagged()        # rows, and ends, of task 1 of the job
{
    sql "SELECT marker, count(*), sum(enter_ns > 0), sum(exit_ns > enter_ns), call
        FROM events WHERE job = $job AND rank = 1 GROUP BY marker" | xargs
}

# --------------------------------------------------------- a call that is open
begin a 4 -H n1:2,n2:2 --oversubscribe --stdtim="$T/times" "$T/waits" "$T/a.enough"
a=$job
wait_for '[ "$(tagged)" = "5|1|1||MPI_Recv" ]'
moved 'a task inside a tagged call moves' $a.1 n2
is "$(tagged)" '5|1|1||MPI_Recv' '... which is open'
moved '... and back' $a.1 n1
moved '... and elsewhere' $a.1 n3
: >"$T/a.enough"
status=0
wait $runner || status=$?
is "$status $(grep -c over "$T/a.out")" '0 4' '... and ends'
is "$(tagged)" '5|1|1|1|MPI_Recv 6|1|1|1|MPI_Barrier' '... once'
is "$(sed 's/[0-9.]*$//' "$T/times" | sort | uniq -c | awk '{ print $1, $4 }' | xargs)" \
    '1 Enter:after 1 Enter:for 1 Exit 1 Exit' '... also in the lines of stdtim'

# ------------------------------------------------------------- two at a time
begin a 4 -H n1:2,n2:2 --oversubscribe "$T/waits" "$T/a.enough"
a=$job first=$runner
begin b 4 -H n1:2,n2:2 --oversubscribe "$T/waits" "$T/b.enough"
b=$job second=$runner
task=$(sql "SELECT pid FROM tasks WHERE job = $a AND rank = 3")
kill -STOP "$task"              # so that it takes its time
hector migrate --quiesce-timeout 60 $a.1 n2 >"$T/migrate.out" 2>&1 &
mover=$!
wait_for 'sql "SELECT count(*) FROM transition WHERE job = $a AND machine = '\''move'\''" |
    grep -q 1'
refused 'not while tasks of the job are moved' "tasks of job $a are being moved already" $a.0 n3
moved 'tasks of another job are' $b.1 n2
kill -CONT "$task"
status=0
wait $mover || status=$?
is "$status $(grep -c '1 is on n2 now' "$T/migrate.out")" '0 1' '... and those in the end'
hector migrate $a.1,3 n1 >"$T/migrate.out" 2>&1 &
mover=$!
moved 'two jobs at once' $b.1,3 n1
status=0
wait $mover || status=$?
is "$status $(grep -c 'are on n1 now' "$T/migrate.out")" '0 1' '... both'
: >"$T/a.enough"
: >"$T/b.enough"
status=0
wait $first || status=$?
wait $second || status=$?
is "$status $(cat "$T/a.out" "$T/b.out" | grep -c over)" '0 8' '... and both end as ever'

# ------------------------------------------------------------------- refused
begin b 2 -H n1:1,n2:1 sh -c 'echo begun; while [ ! -e "$1" ]; do sleep 0.05; done
    [ "$HECTOR_RANK" = 1 ] || sleep 1000' - "$T/b.enough"
refused 'not what is no program of MPI' 'nothing was moved, the job goes on: task [01] ' $job.1 n3
: >"$T/b.enough"
wait_for 'sql "SELECT state FROM tasks WHERE job = $job AND rank = 1" | grep -q exited'
refused 'not a task that has ended' 'task 1 has ended' $job.1 n3
refused 'nor another one of its job' 'task 1 has ended, and all tasks' $job.0 n3
hector kill $job >"$T/out"
wait $runner
begin b 3 -H n1,n2 "$T/waits" "$T/b.enough"
full=$(sql "SELECT node FROM tasks WHERE job = $job GROUP BY node HAVING count(*) = 2")
alone=$(sql "SELECT rank FROM tasks WHERE job = $job GROUP BY node HAVING count(*) = 1")
refused 'not to a node that is full' "node $full is full: 2 tasks on 2 processors" $job.$alone $full
: >"$T/b.enough"
status=0
wait $runner || status=$?
is "$status" 0 'the job goes on'
done_testing
