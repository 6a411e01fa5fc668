# While nobody reads what a task tags, it waits for some time and then goes on
# without: what is lost so is counted, and said when the job ends and by those who
# show it.
# limit: 60
# shellcheck disable=SC2086 # a pid has a blank behind it
. "${0%/*}/../lib/t.sh"
need mpicc

cat >"$T/loop.c" <<'END'
#include <hct_rt.h>
#include <mpi.h>
#include <stdio.h>
static int is_there(const char *path)
{
    FILE *f = fopen(path, "r");
    return f && fclose(f) == 0;
}
static void make(const char *path) { fclose(fopen(path, "w")); }
int main(int argc, char **argv)
{
    int flag;
    MPI_Init(&argc, &argv);
    make(argv[1]);
    while (!is_there(argv[2]))
        ;
    for (int i = 0; i < 200000; i++) {
        HCT_RT_Tag(i, "a tag");
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    }
    make(argv[3]);
    MPI_Finalize();
    return 0;
}
END
mpicc -o "$T/loop" "$T/loop.c" -I"$build/include" -L"$build/lib" -lhct \
    -Wl,-rpath,"$build/lib"

master=unix:$T/master.sock
printf '[master]\nlisten = %s\ndatabase = %s\nslave_lost = 300s\n' "$master" \
    "$HECTOR_DB" >"$T/master.conf"
launch_master master
start_slave a
hector-run --master "$master" -n 1 "$T/loop" "$T/begun" "$T/go" "$T/done" \
    >"$T/out" 2>"$T/err" &
runner=$!
ok 'a task runs' wait_for '[ -e "$T/begun" ]'
slave=$(cat "/proc/$slave_pid/task/$slave_pid/children")      # of its guard
kill -STOP $slave
: >"$T/go"
ok 'it goes on while nobody reads its records' wait_for '[ -e "$T/done" ]'
kill -CONT $slave
status=0
wait $runner || status=$?
is "$status" 0 '... and ends well'
is "$(sql 'SELECT (SELECT count(exit_ns) FROM events) + ring_lost FROM task')" \
    200000 'each call is there as a whole, or counted'
lost=$(sql 'SELECT ring_lost FROM task')
ok '... and some are counted' [ "$lost" -gt 0 ]
said="$lost records of tagged calls of task 0 are lost: not all of its events are"
like "$T/err" "^hector: $said in the database\$" '... as the end of the run says'
run hector report 1
like "$T/out" "^$said" '... and the report'
done_testing
