# Deadlines that cannot be what was meant: a label that never comes, said after one
# period; a span whose markers do not match; less than clocks may be off by, over two
# hosts. Each in a sentence, once, and the job ends as if nothing were due.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
hosts 2
need sqlite3 mpicc

cat >"$T/odd.c" <<'C'
#include <hct_rt.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
/* In round n task 0 is in a call tagged "from" with marker n, the last one in one tagged
 * "to" with marker 1000 + n, and all meet in one tagged "same". */
int main(int argc, char **argv)
{
    int rank, n, stop = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; !stop; i++) {
        if (rank == 0)
            HCT_RT_Tag(i, "from");
        if (rank == n - 1)
            HCT_RT_Tag(1000 + i, "to");
        MPI_Barrier(MPI_COMM_WORLD);
        HCT_RT_Tag(i, "same");
        stop = rank == 0 && access(argv[1], F_OK) == 0;
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
        usleep(20000);
    }
    MPI_Finalize();
    return 0;
}
C
mpicc -o "$T/odd" "$T/odd.c" -I"$build/include" -L"$build/lib" -lhct \
    -Wl,-rpath,"$build/lib" || skip_all 'no program for MPI can be built here'
begin()         # DEADLINE...: two tasks on two hosts, in the background
{
    rm -f "$T/stop"
    fresh job.out job.err
    words=
    for d in "$@"; do words="$words --deadline $d"; done
    hector-run --launch-agent "$AGENT" -H n1:1,n2:1 --policy none \
        --policy deadline:never=0.2 -n 2 $words "$T/odd" "$T/stop" >"$T/job.out" \
        2>"$T/job.err" </dev/null &
    runner=$!
    job_runs
}
said() { grep -c "$1" "$T/job.err"; }
begin 'absent/300ms' 'from..to<=5s' 'from..same<=1ns,soft'
wait_for '[ "$(said "absent/300ms: no call with its label has come in")" = 1 ]'
is "$(said 'absent/300ms: no call with its label has come in')" 1 \
    'a label that never comes is said after one period'
wait_for '[ "$(said "from..to<=5s: none of [0-9]* calls of its second label")" = 1 ]'
is "$(said 'from..to<=5s: none of [0-9]* calls of its second label has had the marker')" 1 \
    'a span whose markers do not match is said'
wait_for '[ "$(said "from..same<=1ns: clocks may be off by")" = 1 ]'
is "$(said 'from..same<=1ns: clocks may be off by .*, which is more than it allows')" 1 \
    'less than clocks may be off by is said'
seen=$(sql "SELECT count(*) FROM deadlines WHERE job = $job")
wait_for '[ "$(sql "SELECT count(*) FROM deadlines WHERE job = $job")" -ge $((seen + 50)) ]'
is "$(said 'absent/300ms: no call') $(said 'from..to<=5s: none of') $(
    said 'clocks may be off by .*, which is more')" '1 1 1' '... each once'
touch "$T/stop"
wait $runner
is $? 0 'the job has ended well'
done_testing
