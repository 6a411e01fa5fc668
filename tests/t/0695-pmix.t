# The PMIx library inside a standing slave is not sound any more: the slave is
# replaced by a new process as soon as nothing needs it, and jobs do not fail,
# unless others keep the slave.
# limit: 60
# shellcheck disable=SC2086,SC2154 # $R is several words; slave_pid is t.sh's
. "${0%/*}/../lib/t.sh"

slave() { cat "/proc/$slave_pid/task/$slave_pid/children"; }
replaced()      # DESCRIPTION: the guard is the same, the slave is another one
{
    ok "$1" wait_for '[ -n "$(slave)" ] && [ "$(slave)" != "$before" ]'
    is "$(sql "SELECT count(*) FROM nodes WHERE node = 'n1'")" 1 \
        '... under its name'
}
state() { sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1"; }

# Dies when it has sent its first words to the PMIx server.
cat >"$T/dies.c" <<'END'
#include <mpi.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
ssize_t recv(int fd, void *p, size_t n, int flags)
{
    kill(getpid(), SIGKILL);
    return read(fd, p, n) + flags;
}
int main(int argc, char **argv)
{
    return MPI_Init(&argc, &argv);
}
END
mpicc -rdynamic -o "$T/dies" "$T/dies.c"
# Two of four are in MPI_Finalize, where what belongs to MPI_COMM_SELF is given
# back first, when the others die.
cat >"$T/meets.c" <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static int rank;
static char **names;
static int gone(MPI_Comm c, int key, void *value, void *extra)
{
    (void)c, (void)key, (void)value, (void)extra;
    return fclose(fopen(names[rank], "w"));
}
int main(int argc, char **argv)
{
    int key;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    names = argv + 1;
    if (rank > 1) {
        while (access(names[0], F_OK) || access(names[1], F_OK))
            ;
        kill(getpid(), SIGKILL);
    }
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, gone, &key, 0);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, argv);
    MPI_Finalize();
    return 0;
}
END
mpicc -o "$T/meets" "$T/meets.c"
# shellcheck disable=SC2046 # several words
cc -shared -fPIC $(pkg-config --cflags pmix) -o "$T/stuck.so" \
    "$top/tests/lib/pmix_stuck.c" -ldl

master=unix:$T/master.sock
printf '[master]\nlisten = %s\ndatabase = %s\n' "$master" "$HECTOR_DB" >"$T/master.conf"
launch_master master
printf '[slave]\npmix_wait = 5s\n' >"$T/slave.conf"
R="hector-run --master $master --oversubscribe"
# shellcheck disable=SC2016 # for the inner shell
start slave env LD_PRELOAD="$T/stuck.so" PMIX_STUCK="$T/stuck" \
    hector-slave -d -f "$T/slave.conf" --master "$master" --name n1
slave_pid=$started
run $R -n 2 "$APPS/hello"
is "$status" 0 'a job'
before=$(slave)
run $R -n 2 "$APPS/hello"
is "$status $(slave)" "0 $before" 'a slave that is well stays'

# ----------------------------------------------------------------------- torn
run $R -n 4 "$T/dies"
is "$status" 137 'tasks die while they connect'
replaced 'the slave is replaced when the job is over'
run $R -n 4 "$APPS/hello"
is "$status" 0 '... and serves'

before=$(slave)
run $R -n 4 "$T/meets" "$T/0" "$T/1"
is "$status" 137 'tasks die while others wait for them in MPI_Finalize'
replaced 'then, too'

codes=
for i in 1 2 3 4; do
    run $R -n 4 "$T/dies"
    codes="$codes $status"
    run $R -n 2 "$APPS/hello"
    codes="$codes $status"
done
is "$codes" ' 137 0 137 0 137 0 137 0' 'jobs that follow at once run'
is "$(grep -c 'replaced by a new process' "$T/slave.log")" 6 \
    '... each on a new slave'

$R -n 1 sh -c "while [ ! -e '$T/go' ]; do sleep 0.05; done; echo went" \
    >"$T/1" 2>&1 &
other=$!
wait_for '[ "$(state)" = running ]'
before=$(slave)
run $R -n 4 "$T/dies"
is "$status" 137 'tasks die beside another job'
run $R -n 4 "$APPS/hello"
is "$status $(slave)" "0 $before" 'the slave goes on while it is needed'
touch "$T/go"
wait $other
is "$? $(cat "$T/1")" '0 went' 'the other job is not disturbed'
replaced 'then it is replaced'

# Under hector-run the slave has the user's standard error.
said=
for i in 1 2 3 4; do
    run hector-run --oversubscribe -n 8 "$T/dies"
    said="$said$status $(grep -c 'PMIX ERROR' "$T/err"), "
done
is "$said" '137 0, 137 0, 137 0, 137 0, ' \
    'without a standing master, what the library says of it is told to nobody'

# ---------------------------------------------------------------------- stuck
before=$(slave)
touch "$T/stuck"
run $R -n 2 --stdin all cat </dev/null
is "$status" 0 'PMIx does not answer: the job waits for another slave, and runs'
replaced 'the slave is replaced'
like "$T/slave.log" 'has not answered for 5 s' '... with a sentence'
is "$(sql 'SELECT count(*) FROM event')" 0 'nothing is odd in the record'

rm "$T/go"
$R -n 1 sh -c "while [ ! -e '$T/go' ]; do sleep 0.05; done; echo went" \
    >"$T/1" 2>&1 &
other=$!
wait_for '[ "$(state)" = running ]'
before=$(slave)
touch "$T/stuck"
run $R -n 2 "$APPS/hello"
is "$status" 125 'PMIx does not answer, and a job runs: the next is refused'
like "$T/err" '^hector: .*node n1 cannot run the job: .*does not answer any more' \
    '... in words'
run $R -n 2 "$APPS/hello"
is "$status" 125 '... and the one after'
touch "$T/go"
wait $other
is "$? $(cat "$T/1")" '0 went' 'the job that ran is not disturbed'
replaced 'then the slave is replaced'
run $R -n 2 "$APPS/hello"
is "$status" 0 '... and serves'
done_testing
