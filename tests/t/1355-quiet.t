# A job that tags nothing is left alone: its slave wakes up less often than when
# it has records to read; and what is tagged after that is all there.
# limit: 60
. "${0%/*}/../lib/t.sh"
need cc

cat >quiet.c <<'C'
#include <hct_rt.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int flag, n = argc > 1 ? 1 : 20000;

    MPI_Init(&argc, &argv);
    if (argc > 1)
        sleep((unsigned)atoi(argv[1]));
    while (access("go", F_OK))
        usleep(20000);
    for (int i = 0; i < n; i++) {
        HCT_RT_Tag(i, "after a while");
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    }
    while (argc > 1 && access("end", F_OK))
        usleep(20000);
    return MPI_Finalize();
}
C
if ! mpicc -o quiet quiet.c -I"$build/include" -L"$build/lib" -lhct \
    -Wl,-rpath,"$build/lib" 2>&1; then
    skip_all "the program could not be made"
fi

hector-run -n 2 --oversubscribe --policy none ./quiet >out 2>err &
runner=$!
task() { sql "SELECT pid FROM tasks WHERE rank = 0 AND state = 'connected'" 2>/dev/null; }
wait_for '[ -n "$(task)" ]'
slave=$(awk '/^PPid/ { print $2 }' "/proc/$(task)/status")
rests() { awk '/^voluntary/ { print $2 }' "/proc/$slave/status"; }
# In a second: half of the readings of one that has records. A busy machine may
# take longer than that, and not keep it from turning more often.
is_quiet()
{
    before=$(rests) from=$(date +%s%N)
    sleep 1
    [ $((($(rests) - before) * 1000000000 / ($(date +%s%N) - from))) -lt 60 ]
}
is "$(cat "/proc/$slave/comm")" hector-slave 'the slave runs'
ok 'it rests when nothing is tagged' wait_for is_quiet
touch go
wait $runner
is $? 0 'the job ends'
is "$(sql "SELECT group_concat(n || ' ' || low || ' ' || high, ', ') FROM
    (SELECT count(*) AS n, min(marker) AS low, max(marker) AS high FROM events
    WHERE job = 1 GROUP BY rank)")" '20000 0 19999, 20000 0 19999' \
    'nothing of what came then is lost'

# Looks that come one by one, oftener than quiet rings are read: these are read
# all the same.
hector-run -n 2 --oversubscribe --policy none \
    --policy hang:mode=1,interval=0.02,interval_max=0.02 ./quiet 4 >out 2>err &
runner=$!
ok 'looks do not keep the rings from being read' wait_for '[ "$(sql "SELECT
    count(*) FROM events WHERE job = 2")" = 2 ]'
touch end
wait $runner
is $? 0 '... and the job ends'
done_testing
