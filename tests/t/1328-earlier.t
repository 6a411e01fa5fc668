# What an earlier run of the same program has stayed outside of MPI behind a loop
# is known: a later one is not spoken of before it has stayed twice as long, and
# then the words say so. Of a run that failed, and of another program, nothing is
# learnt.
# limit: 70
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"
need mpicc

cat >serial.c <<'END'
/* serial SECONDS [STATUS]: rounds of a loop, behind which rank 0 computes for so
 * long and the others wait */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static volatile double one = 1;

/* MPI does not hear of the time */
static __attribute__((noinline)) void spin(double seconds)
{
    struct timespec t;
    double until = 0;

    do {
        one *= 1.0000001;
        clock_gettime(CLOCK_MONOTONIC, &t);
        if (until == 0)
            until = (double)t.tv_sec + (double)t.tv_nsec / 1e9 + seconds;
    } while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < until);
}

int main(int argc, char **argv)
{
    int rank, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 200; i++) {
        spin(0.002);
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        spin(atof(argv[1]));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return argc > 2 ? atoi(argv[2]) : 0;
}
END
mpicc -g -O1 -Wl,--build-id -o serial serial.c || skip_all 'mpicc cannot build'
# Another build of the same.
mpicc -g -O1 -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 \
    -o other serial.c

# With an eye that has little patience: a notice after a second. Not that one of them is
# slow to start, or waits for a processor.
stayed()        # which rows they are
{
    echo "job = $job AND kind <> 'progress' AND
        (kind <> 'notice' OR why LIKE 'rank 0 has been %')"
}
nothing_says='; nothing seen so far says whether that is wrong'
runs()          # COMMAND...: what was said of it is $said
{
    job=$((job + 1))
    run hector-run -n 2 --oversubscribe --policy none --policy hang:patience=1 \
        "$@"
    said=$(sql "SELECT group_concat(kind || ' ' || why) FROM verdicts WHERE $(stayed)")
}
noticed()       # DESCRIPTION: that nothing says whether it is wrong
{
    case $said in
    "notice rank 0 has been "*"$nothing_says") pass "$1" ;;
    *) fail "$1" "$said" ;;
    esac
}
stays() { sql 'SELECT count(*), group_concat(job) FROM stay'; }

runs ./serial 6 3
is "$status" 3 'a run that fails'
noticed '... a notice at most'
is "$(stays)" '0|' '... of which nothing is learnt'
runs ./serial 6
is "$status" 0 'the first run that ends well'
noticed '... a notice, too'
is "$(stays)" '1|2' '... its stay is kept'
runs ./serial 4
is "$status|$said" '0|' 'of the second one nothing is said'
is "$(sql 'SELECT count(*) FROM stay')" 1 '... its place is the same'
runs ./other 6
noticed 'of another build, a notice'

# It hangs there: that is said when it has lasted twice as long.
lasted=$(sql "SELECT longest_ns / 1e9 FROM stay WHERE job < 4")
begin hector-run -n 2 --oversubscribe --policy none --policy hang:patience=1 \
    ./serial 1e9
ok 'a hang there is said all the same' wait_for \
    'sql "SELECT why FROM verdicts WHERE $(stayed)" | grep -q .'
kill -TERM "$runner"
end
is "$(sql "SELECT why LIKE '%; an earlier run was % at this place' FROM verdicts
    WHERE $(stayed)")" 1 '... with these words'
is "$(sql "SELECT age_ns >= 2e9 * $lasted FROM verdict WHERE $(stayed)")" 1 \
    '... not before twice the time'
run hector replay "$job"
is "$(out)" "$(sql "SELECT group_concat(detail, '') FROM verdict
    WHERE job = $job")" '... and so by the replay'
done_testing
