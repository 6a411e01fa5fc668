# hector report and what it reads: counters are what the program did, by place;
# places in functions, inlined ones, libraries; stripped and replaced files;
# tasks that never returned; several programs of one rank; adopted ones.
# limit: 60
# shellcheck disable=SC2016 # what is quoted is SQL
. "${0%/*}/../lib/t.sh"
need mpicc strip ps

cat >far.c <<'EOF'
#include <mpi.h>
void far(int bytes);
void far(int bytes)
{
    static char in[4096], out[4096];

    MPI_Allreduce(in, out, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}
EOF
cat >prog.c <<'EOF'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void far(int bytes);
static char in[4096], out[4096];

static inline __attribute__((always_inline)) void inner(int bytes)
{
    MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);          /* inner */
}

static __attribute__((noinline)) void left(int n, int bytes)
{
    for (int i = 0; i < n; i++)
        MPI_Allreduce(in, out, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD); /* left */
    __asm__ volatile("");
}

static __attribute__((noinline)) void right(int n, int bytes)
{
    for (int i = 0; i < n; i++)
        inner(bytes);                                           /* right */
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int rank;

    if (!strcmp(how, "replace"))
        rename(argv[2], argv[0]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    left(10, 100);
    right(20, 8);
    for (int i = 0; i < 3; i++)
        far(1000);
    if (!strcmp(how, "hang") && rank == 0)
        MPI_Recv(in, 1, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(how, "die") && rank == 1)
        abort();
    if (argc > 3 && rank == 0)
        fclose(fopen(argv[3], "w"));
    while (!strcmp(how, "wait") && access(argv[2], F_OK))
        usleep(1000);
    left(5, 10);                                                /* again */
    MPI_Finalize();
    return 0;
}
EOF
build()         # NAME [FLAG...]
{
    name=$1
    shift
    mpicc -g -O1 "$@" -o "$name" prog.c -L. -lfar -Wl,-rpath,"$T" ||
        fail "mpicc cannot build $name"
}
mpicc -g -O1 -shared -fPIC -o libfar.so far.c || skip_all 'mpicc cannot build'
build prog
line() { grep -n "/\* $1 \*/" prog.c | cut -d : -f 1; }
places()        # JOB: what each place did, in all tasks
{
    sql "SELECT call, place, sum(calls) AS n, sum(bytes), count(DISTINCT rank)
        FROM sites WHERE job = $1 AND call IN ('MPI_Bcast', 'MPI_Allreduce')
        GROUP BY call, place ORDER BY n" | tr '\n' ' '
}
R='hector-run -q --oversubscribe'

run $R -n 3 ./prog
is "$status" 0 'a job of 3 tasks'
wanted="MPI_Allreduce|far far.c:7|9|9000|3 \
MPI_Allreduce|left prog.c:$(line left)|45|3150|3 \
MPI_Bcast|inner prog.c:$(line inner)|60|480|3 "
is "$(places 1)" "$wanted" 'every place did what it did, in every task'
is "$(sql "SELECT place FROM callers WHERE note IS NOT 'what calls main' AND
    site = (SELECT site FROM sites WHERE call = 'MPI_Bcast' LIMIT 1)
    ORDER BY depth, inlined" | sed 's/:[0-9]*$//' | tr '\n' ' ')" \
    'inner prog.c right prog.c main prog.c ' 'inlined functions, and callers'
is "$(sql 'SELECT sum(c.calls) - (SELECT sum(mpi_calls) FROM tasks) FROM calls c')" \
    0 'all calls are some place'"'"'s'
is "$(sql 'SELECT abs(sum(c.in_ns) - (SELECT sum(in_mpi_ns) FROM tasks)) <
    0.02 * sum(c.in_ns) FROM calls c')" 1 '... and so is their time'
is "$(sql "SELECT min(max_ns) > 0, min(out_ns) > 0, sum(max_ns > in_ns)
    FROM sites WHERE calls > 0")" '1|1|0' 'the longest call, the time before'

run hector report 1
is "$status" 0 'report'
like "$T/out" '^Job 1 prog: 3 tasks on 1 node, done after ' '... its head'
like "$T/out" '^Load imbalance [0-9.]+ %: ' '... the load'
is "$(awk '/^TASK/ { on = 1 } on { print $1 } /^ all/ { exit }' "$T/out" |
    tr '\n' ' ')" 'TASK 0 1 2 all ' '... the tasks'
like "$T/out" '^Allreduce .* 54 +11.9K ' '... the calls'
like "$T/out" "^ *[0-9]+ Bcast .* 60 +480 .* inner prog.c:$(line inner)\$" \
    '... the sites'
like "$T/out" "^ +right prog.c:$(line right)\$" '... their callers'
is "$(grep -c 'far far.c' "$T/out")" 1 '... those of an unrolled loop as one'
is "$(grep -c ' left prog.c' "$T/out")" 2 '... not those of two lines'
is "$(grep -c 'NO NAMES' "$T/out")" 0 '... all of them by name'
run hector report 1.1-2 -n 1
is "$(awk '$1 ~ /^[0-9]+$/ { print $1 }' "$T/out" | wc -l)" 2 \
    'of some tasks, one row of each table'
run hector report 1 -j
is "$(sqlite3 :memory: "SELECT json_array_length(j, '\$.tasks'),
    json_array_length(j, '\$.calls'), json_extract(j, '\$.job[0].job'),
    json_extract(j, '\$.sites[0].calls') > 0 FROM
    (SELECT CAST(readfile('$T/out') AS TEXT) AS j)")" '3|5|1|1' 'as JSON'
run hector report 77
is "$status" 1 'no such job'
run hector report
is "$status" 2 'no job at all'

run $R -n 2 ./prog
is "$(sql 'SELECT count(DISTINCT site), count(DISTINCT job) FROM sites
    WHERE job IN (1, 2)')" "$(sql 'SELECT count(DISTINCT site) FROM
    sites WHERE job = 1')|2" 'another job has the same sites'
run $R -n 1 sh -c './prog; true'
is "$(sql "SELECT place, calls, in_ns > 0 FROM sites WHERE job = 3 AND
    call = 'MPI_Bcast'")" "inner prog.c:$(line inner)|20|1" \
    'a program that a script has started'

build fixed -fno-pie -no-pie
run $R -n 3 ./fixed
is "$(places 4)" "$wanted" 'a program that is not position independent'

$R -n 2 ./prog hang >"$T/out" 2>"$T/err" </dev/null &
runner=$!
wait_for '[ "$(sql "SELECT in_ns > 300000000 FROM sites WHERE job = 5 AND
    call = '"'MPI_Recv'"' AND rank = 0")" = 1 ]'
kill -TERM $runner
wait $runner
is "$?" 143 'a task that hangs'
is "$(sql "SELECT rank, calls, in_ns > 300000000 FROM sites WHERE job = 5 AND
    call = 'MPI_Recv'")" '0|0|1' '... where it hung, without an end'
is "$(sql "SELECT sum(calls) FROM sites WHERE job = 5 AND call = 'MPI_Bcast'")" \
    40 '... and all it did before'
run $R -n 2 ./prog die
is "$status" 134 'a task that dies'
is "$(sql "SELECT calls, place FROM sites WHERE job = 6 AND rank = 1 AND
    call = 'MPI_Bcast'")" "20|inner prog.c:$(line inner)" '... is recorded'

build bare -DBARE -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567
strip bare
run $R -n 1 ./bare
is "$(sql "SELECT count(*), sum(function IS NULL), min(place) FROM sites
    WHERE job = 7 AND call = 'MPI_Bcast'" | sed 's/0x[0-9a-f]*/0x.../')" \
    '1|1|bare+0x...' 'a stripped program'
run hector report 7
like "$T/out" '^.*/bare +it is stripped' '... and report says so'
build before -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234568
build after -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234569
run $R -n 1 ./before replace after
run hector report 8
like "$T/out" ' before\+0x[0-9a-f]+$' 'a program that is another one meanwhile'
like "$T/out" '^.*/before +the file is not what was loaded' '... is not guessed at'

run $R -n 1 true
run hector report 9
like "$T/out" '^Not shown: no call of MPI was recorded' 'no MPI at all'
sqlite3 "$HECTOR_DB" ".backup $T/old.db"
sqlite3 "$T/old.db" 'DROP VIEW calls; DROP VIEW sites; DROP VIEW callers;
    DROP VIEW places; DROP TABLE cost; PRAGMA user_version = 3'
run hector report --db "$T/old.db" 1
is "$status" 0 'a database of an older Hector'
like "$T/out" '^Not shown: this database is of an older' '... lacks something'
like "$T/out" '^ *2 .* 4[0-9] +-$' '... has the tasks'

if command -v mpirun >/dev/null; then
    run hector-run -q --adopt -- mpirun --oversubscribe -n 3 ./prog
    is "$(places 10)" "$wanted" 'tasks of mpirun'
else
    skip 'tasks of mpirun' 'no mpirun here'
fi

run $R -n 1 "$APPS/omp"
is "$(sql "SELECT DISTINCT replace(file, rtrim(file, replace(file, '/', '')), '')
    FROM sites WHERE job = (SELECT max(job) FROM jobs) AND
    (function LIKE 'pass_on%' OR function LIKE '.omp_outlined.%')")" omp.c \
    'what a compiler has made of a loop is in its file'

# A master that is killed while the job runs, two slaves.
job=$(($(sql 'SELECT max(job) FROM jobs') + 1))
start_master
start_slave n1
start_slave n2
hector-run -q --master "$master" -H n1:1,n2:2 -n 3 --oversubscribe ./prog wait \
    "$T/go" >"$T/out" 2>"$T/err" &
runner=$!
ok 'while a job runs' wait_for '[ "$(sql "SELECT sum(calls) FROM sites
    WHERE job = $job AND call = '"'MPI_Bcast'"'")" = 60 ]'
run hector report "$job"
like "$T/out" "^Job $job prog: 3 tasks on 2 nodes, running for " '... it has a report'
kill -KILL "$master_pid"
wait "$master_pid" 2>/dev/null
launch_master again
wait_for 'grep -q "node n2 joined" "$T/again.log"'
: >"$T/go"
wait $runner
is "$?" 0 'a killed master'
is "$(places "$job")" "$wanted" '... neither loses nor doubles anything'

# A slave that is killed: its guard tells what the pages say.
hector-run -q --master "$master" -H n2:2 -n 2 --oversubscribe ./prog wait \
    "$T/never" "$T/ready" >"$T/out" 2>"$T/err" &
runner=$!
wait_for '[ -e "$T/ready" ]'
kill -KILL "$(ps -o pid= --ppid "$slave_pid" | tr -d ' ')"
wait $runner
is "$?" 125 'a killed slave'
is "$(sql "SELECT sum(calls), sum(in_ns) > 0 FROM sites WHERE job = $((job + 1)) AND
    rank = 0 AND call = 'MPI_Bcast'")" '20|1' '... leaves its account'
done_testing
