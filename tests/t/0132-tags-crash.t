# What was tagged before a crash, or an _exit without MPI_Finalize, is in the
# database all the same; a call that never returned stays open.
# limit: 60
. "${0%/*}/../lib/t.sh"

for how in segv quick; do
    run hector-run -n 2 "$APPS/tagloop" 50000 --end $how
    job=$(sql 'SELECT max(job) FROM jobs')
    is "$(sql "SELECT rank, count(*), count(exit_ns), max(marker) FROM events
        WHERE job = $job GROUP BY rank" | tr '\n' ' ')" \
        '0|50000|50000|49999 1|50000|50000|49999 ' "$how: nothing is lost"
done
ok '_exit 0 after the last barrier: no success without MPI_Finalize, or done' \
    [ "$status" -le 1 ]

cat >"$T/open.c" <<'END'
#include <hct_rt.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>
static void die(int s) { (void)s; _exit(9); }
int main(int argc, char **argv)
{
    int rank, x;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        signal(SIGALRM, die);
        alarm(1);
        HCT_RT_Tag(77, "waits for ever");
        MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -o "$T/open" "$T/open.c" -I"$build/include" -L"$build/lib" -lhct \
    -Wl,-rpath,"$build/lib"
run hector-run -n 2 "$T/open"
is "$status" 9 'a task that dies inside a tagged call'
like "$T/err" 'last tag "waits for ever"' 'the sentence names the last tag'
is "$(sql 'SELECT marker, label, call, exit_ns IS NULL FROM events
    WHERE job = 3')" '77|waits for ever|MPI_Recv|1' 'its row stays open'
run hector events 3
like "$T/out" '77 +waits for ever +MPI_Recv .*still inside' \
    'hector events shows it as still inside'
done_testing
