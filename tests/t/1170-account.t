# Accounting: what is recorded of a program's calls, bytes and times is what
# the program has measured itself; CPU time in MPI and outside; and what report
# calls imbalance is what the tasks' times say.
# limit: 60
. "${0%/*}/../lib/t.sh"
need mpicc

cat >times.c <<'END'
/* times [poll]: says RANK, wall time in the calls and before them, CPU time in
 * them and outside. The tasks work in turn; or, one task, first it works and
 * then it polls, as long. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double now(clockid_t c)
{
    struct timespec t;

    clock_gettime(c, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void work(double ns)             /* of CPU time */
{
    for (double from = now(CLOCK_PROCESS_CPUTIME_ID);
         now(CLOCK_PROCESS_CPUTIME_ID) - from < ns; )
        ;
}

int main(int argc, char **argv)
{
    static char in[1000], out[1000];
    double left, enter, wall_in = 0, wall_out = 0, cpu, cpu_in = 0;
    int rank;

    MPI_Init(&argc, &argv);
    left = now(CLOCK_MONOTONIC);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1) {
        int flag;

        work(800e6);
        cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i % 100 || now(CLOCK_PROCESS_CPUTIME_ID) - cpu < 800e6; i++)
            MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        cpu_in = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    }
    for (int i = 0; i < 200 && argc == 1; i++) {
        int bytes = i % 2 ? 1000 : 10;

        if (i % 20 == 0)
            work(rank == i / 20 % 3 ? 60e6 : 0);
        enter = now(CLOCK_MONOTONIC);
        cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        wall_out += enter - left;
        MPI_Allreduce(in, out, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
        left = now(CLOCK_MONOTONIC);
        cpu_in += now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        wall_in += left - enter;
    }
    printf("%d|%.0f|%.0f|%.0f|%.0f\n", rank, wall_in, wall_out, cpu_in,
           now(CLOCK_PROCESS_CPUTIME_ID) - cpu_in);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O1 -o times times.c || skip_all 'mpicc cannot build'

run hector-run -q --oversubscribe -n 3 ./times
is "$status $(wc -l <"$T/out")" '0 3' 'a program that measures itself'
cp "$T/out" own
sqlite3 own.db 'CREATE TABLE own(rank, in_ns, out_ns, cpu_in_ns, cpu_out_ns)' \
    '.import own own'
compare()       # CONDITION over o(wn) and d (what is recorded): tasks for which
{               # it does not hold
    sqlite3 own.db "ATTACH '$HECTOR_DB' AS h" "SELECT o.*, d.* FROM own o JOIN
        (SELECT s.rank, sum(s.calls) AS calls, sum(s.bytes) AS bytes,
            sum(s.in_ns) AS in_ns, sum(s.out_ns) AS out_ns, t.cpu_in_mpi_ns AS
            cpu_in, t.cpu_out_mpi_ns AS cpu_out FROM h.sites s JOIN h.tasks t
            USING (job, rank) WHERE s.call = 'MPI_Allreduce' GROUP BY s.rank) d
        ON d.rank = o.rank WHERE NOT ($1)" >odd || echo 'no answer' >odd
    cat odd >&2
    wc -l <odd
}
is "$(compare 'd.calls = 200')" 0 'calls'
is "$(compare 'd.bytes = 101000')" 0 'bytes'
# The program looks at its clock outside of what is recorded.
near() { echo "abs(d.$1 - o.$1) < 0.02 * o.$1 + 3e6"; }
is "$(compare "$(near in_ns)")" 0 'wall time inside of the calls'
is "$(compare "$(near out_ns)")" 0 '... and before them'
is "$(sqlite3 "$HECTOR_DB" "SELECT count(*) FROM tasks t JOIN calls c USING (job,
    rank) WHERE c.call = 'MPI_Allreduce' AND c.in_ns <= t.in_mpi_ns AND
    c.calls = 200 AND c.bytes = 101000")" 3 'by function and by task, the same'
# CPU time is sampled, and split by the time in and out since the last sample;
# the start and the end of MPI are in it, too.
is "$(compare 'd.cpu_in + d.cpu_out > 0.8 * (o.cpu_in_ns + o.cpu_out_ns)')" 0 \
    'CPU time'
run hector-run -q -n 1 ./times poll
is "$status" 0 'a task that works, and then polls'
# A sample with both in it is split by their wall times, of which a busy machine
# takes what it likes: the part that is outside lies between that of the CPU time,
# as the program measures it, and that of the wall time.
sql 'SELECT cpu_in_mpi_ns, cpu_out_mpi_ns, in_mpi_ns, out_mpi_ns FROM tasks
    WHERE job = 2' >parts
cat "$T/out" parts >&2
is "$(cat "$T/out" parts | tr '|' ' ' | awk '
    NR == 1 { cpu = $5 / ($4 + $5) }
    NR == 2 { all = $1 + $2; out = $2 / all; wall = $4 / ($3 + $4)
        low = cpu < wall ? cpu : wall; high = cpu < wall ? wall : cpu
        print (all > 1.3e9), (out > 0.8 * low), (out < high + 0.2 * (1 - high)) }')" \
    '1 1 1' '... CPU time outside of MPI, and inside'

run hector report 1
got=$(sed -n 's/^Load imbalance \([0-9.]*\) %.*/\1/p' "$T/out")
is "$got" "$(sql 'SELECT printf("%.1f", 100.0 * (max(out_mpi_ns) /
    avg(out_mpi_ns) - 1)) FROM tasks WHERE job = 1')" 'imbalance: most over mean'
done_testing
