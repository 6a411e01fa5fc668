# Tasks of a job move to another host while it runs: nothing is lost of what they
# print, tag and send, and where it cannot be the job goes on.
# limit: 200
# shellcheck disable=SC2016,SC2086 # the tasks' shells expand; words are wanted
. "${0%/*}/../lib/t.sh"
hosts 3
need sqlite3 mpicc

R="hector-run --launch-agent $AGENT"
# Passes numbers around until $T/enough is there, and says at the end whether
# each came once.
cat >"$T/ring.c" <<'C'
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, stop = 0;
    long in = 0, n = 0, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("begun %d\n", rank);
    fflush(stdout);
    while (!stop) {
        MPI_Sendrecv(&n, 1, MPI_LONG, (rank + 1) % size, 7, &in, 1, MPI_LONG,
                     (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += in != n++;
        if (n % 100 == 0) {
            stop = access(argv[1], F_OK) == 0;
            MPI_Allreduce(MPI_IN_PLACE, &stop, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            usleep(1000);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d of %d wrong %ld\n", rank, size, wrong);
    return MPI_Finalize();
}
C
mpicc -O2 -o "$T/ring" "$T/ring.c"

begin()         # WORD...: a job of it in the background, which runs when it is back
{
    rm -f "$T/enough"
    $R "$@" "$T/ring" "$T/enough" </dev/null >"$T/ring.out" 2>"$T/ring.err" &
    runner=$!
    wait_for '[ "$(grep -c begun "$T/ring.out")" = 4 ]' 20
    job=$(sql 'SELECT max(job) FROM jobs')
}
finish()        # its status is in $status
{
    : >"$T/enough"
    status=0
    wait $runner || status=$?
}
refused()       # DESCRIPTION EXTENDED-REGEXP WORD...: with that sentence, status 1
{
    tap_d=$1 tap_re=$2
    shift 2
    run hector migrate "$@"
    is "$status $(grep -Ec -- "$tap_re" "$T/err")" '1 1' "$tap_d"
    [ "$(wc -l <"$T/err")" = 1 ] || cat "$T/err"
}

# ----------------------------------------------------------------------- refused
run hector migrate 1
is "$status" 2 'a node is wanted'
run hector migrate --quiesce-timeout never 1 n1
is "$status" 2 'and a time that is one'
begin -H n1:2,n2:2 -n 4 --oversubscribe
refused 'not of a job without --migratable' \
    'cannot be moved: it was started without --migratable' "$job.1" n2
finish
is "$status $(grep -c 'wrong 0' "$T/ring.out")" '0 4' '... which goes on'

begin -H n1:2,n2:2,n3:2 -n 4 --oversubscribe --migratable
refused 'not to a node that is not there' 'there is no node nowhere' "$job.1" nowhere
refused 'not to where it is' 'task 1 is on n1 already' "$job.1" n1
refused 'not of a rank that is none' 'has 4 tasks' "$job.9" n1
refused 'not of a job that is none' '.' 4711 n1
finish
is "$status $(grep -c 'wrong 0' "$T/ring.out")" '0 4' 'the job goes on'
is "$(sql "SELECT result FROM actions WHERE job = $job AND action = 'migrate'" |
    head -n 1)" 'there is no node nowhere' 'the record says what was asked'
done_testing
