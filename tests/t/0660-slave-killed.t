# kill -9 of a slave: its job fails with a sentence, at once; every call that
# was tagged before is in the database, those that were acknowledged, those
# that were under way and those still in the pages of the tasks.
# limit: 60
# shellcheck disable=SC2086,SC2154 # $R is several words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"
hosts 2
# The guard has the time that it needs on a busy machine.
mkdir -p "$HOME/.config/hector"
printf '[master]\nslave_lost = 60s\n' >"$HOME/.config/hector/hector.conf"

slave()         # pid of the (last) slave, not of its guard
{
    for p in $(t_processes); do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" = hector-slave ] || continue
        grep -q hector-slave "/proc/$(awk '/^PPid/ { print $2 }' \
            "/proc/$p/status")/comm" && echo "$p"
    done | tail -n 1
}
no_gap()        # each rank's events are 0, 1, 2, ... as they were tagged
{
    is "$(sql "SELECT count(*) FROM (SELECT count(*) AS n, max(seq) AS m,
        count(DISTINCT seq) AS d, sum(seq <> marker) AS odd FROM event
        WHERE job = $job GROUP BY rank) WHERE n <> m + 1 OR n <> d OR odd")" \
        0 "$1: no gap, none twice, in order"
}
R="hector-run --launch-agent $AGENT"

# What a task has tagged it writes down as well: a file is the witness.
cat >"$T/witness.c" <<'END'
#include <fcntl.h>
#include <hct_rt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, flag;
    char path[500];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof(path), "%s.%d", argv[1], rank);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(fd, 8) < 0)
        return 1;
    volatile long *n = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (long i = 0; ; i++) {
        HCT_RT_Tag((int)i, "witnessed");
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        *n = i + 1;
    }
}
END
mpicc -o "$T/witness" "$T/witness.c" -I"$build/include" -L"$build/lib" -lhct \
    -Wl,-rpath,"$build/lib"
witnessed()     # DESCRIPTION RANK...: all of it is in the database, or one more
{
    tap_what=$1
    shift
    sed 's/^/# /' "$T/err"
    for r; do
        n=$(od -An -td8 "$T/n.$r" | tr -d ' ')
        d=$(sql "SELECT count(*) FROM event WHERE job = $job AND rank = $r")
        f=$(sql "SELECT count(exit_ns) FROM event WHERE job = $job
            AND rank = $r")
        echo "# rank $r: $n calls made, $d recorded, $f of them finished"
        ok "$tap_what: rank $r" \
            [ "$d" -ge "$n" -a "$d" -le $((n + 1)) -a "$f" -ge $((d - 1)) ]
    done
}

for round in 1 2 3 4; do
    begin hector-run -n 2 "$T/witness" "$T/n"
    wait_for "stored $((round * 20000))"
    began=$(date +%s%N)
    kill -KILL "$(slave)"
    end
    echo "# $((($(date +%s%N) - began) / 1000000)) ms"
    is "$status" 125 "round $round: status 125"
    like "$T/err" '^hector: node .* was lost: its slave was killed by signal 9' \
        '... with a sentence'
    witnessed 'what it has tagged is recorded' 0 1
    no_gap "round $round"
done
is "$(sql "SELECT count(*) FROM job WHERE state = 'failed'")" 4 \
    'the jobs have failed'

begin $R -H n1,n2 -n 2 "$T/witness" "$T/n"
wait_for 'stored 20000'
kill -KILL "$(slave)"
end
is "$status" 125 'a slave on another host'
lost=$(sed -n 's/^hector: node n\([12]\) was lost.*/\1/p' "$T/err")
witnessed 'what was tagged there is recorded' $((lost - 1))
no_gap 'both hosts'

# The master is away at that moment.
begin hector-run -n 2 "$T/witness" "$T/n"
wait_for 'stored 20000'
for p in $(t_processes); do
    [ "$(cat "/proc/$p/comm")" = hector-master ] && kill -KILL "$p"
done
kill -KILL "$(slave)"
end
is "$status" 125 'slave and master at once'
witnessed 'what was tagged is recorded' 0 1
no_gap 'slave and master'

# A slave with nothing to do, and nothing is left of any.
ok 'nothing is left' wait_for '[ -z "$(t_processes)" ]'
rm -rf "$TMPDIR"/hector-*
done_testing
