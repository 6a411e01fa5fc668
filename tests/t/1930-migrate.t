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
#include <hct_rt.h>
int main(int argc, char **argv)
{
    int rank, size, stop = 0;
    long in = 0, n = 0, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 2 && rank == 1)               /* a file, or a pipe */
        (void)!(*argv[2] ? fopen(argv[2], "w") : popen("sleep 1000", "r"));
    printf("begun %d\n", rank);
    fflush(stdout);
    while (!stop) {
        MPI_Sendrecv(&n, 1, MPI_LONG, (rank + 1) % size, 7, &in, 1, MPI_LONG,
                     (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += in != n++;
        if (n % 100 == 0) {
            stop = access(argv[1], F_OK) == 0;
            HCT_RT_Tag((int)(n / 100), "round");
            MPI_Allreduce(MPI_IN_PLACE, &stop, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            usleep(1000);
            printf("round %ld %d\n", n / 100, rank);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d of %d wrong %ld rounds %ld\n", rank, size, wrong, n / 100);
    return MPI_Finalize();
}
C
mpicc -O2 -o "$T/ring" "$T/ring.c" -I"$build/include" -L"$build/lib" -lhct \
    -Wl,-rpath,"$build/lib"

begin()         # WORD...: a job of it in the background, which runs when it is back
{
    rm -f "$T/enough" "$T/ring.out"
    $R "$@" "$T/ring" "$T/enough" ${more+"$more"} </dev/null >"$T/ring.out" 2>"$T/ring.err" &
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
    cat "$T/err" >&2
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

# ------------------------------------------------------------------------- moved
moved()         # DESCRIPTION TARGET NODE: and the job goes on
{
    tap_d=$1
    shift
    run hector migrate "$@"
    is "$status $(grep -c "on $2 now" "$T/out")" '0 1' "$tap_d"
    cat "$T/err" >&2
}
nodes()         # of the tasks, by rank
{
    sql "SELECT node FROM tasks WHERE job = $job ORDER BY rank" | xargs
}
begin -H n1:2,n2:2 -n 4 --oversubscribe --migratable
moved 'one task to another host' "$job.1" n2
is "$(nodes)" 'n1 n2 n2 n2' '... where it is now'
pid=$(sql "SELECT pid FROM tasks WHERE job = $job AND rank = 1")
ok '... by the number that the record says' on n2 sh -c "kill -0 $pid"
is "$(sql "SELECT rank, node, to_ns IS NULL FROM stays WHERE job = $job
    ORDER BY from_ns" | xargs)" '1|n1|0 1|n2|1' '... and where it was'
is "$(sql "SELECT count(*) FROM transition WHERE job = $job AND
    machine = 'move'")" 8 '... each step is in the database'
is "$(sql "SELECT number, ranks, from_nodes, to_node, result FROM moves WHERE
    job = $job")" '1|1|n1|n2|done' '... and what it has cost'
is "$(sql "SELECT asked_ns + prepare_ns + quiesce_ns + drain_ns + places_ns + apart_ns +
    image_ns + restore_ns + join_ns <= ended_ns, min(prepare_ns, quiesce_ns, drain_ns,
    places_ns, apart_ns, image_ns, restore_ns, join_ns) >= 0, stood_ns > drain_ns + join_ns,
    image_bytes > 100000 FROM moves WHERE job = $job")" '1|1|1|1' '... in each of its parts'
hector why "$job" >"$T/why"
ok '... which people are told' grep -Eq 'move 1 of task 1 from n1 to n2: the job stood for [0-9]' \
    "$T/why"
is "$(grep -Ec '^  (node prepared|MPI dropped) in .*, (places|MPI) (registered|joined) in [0-9]' \
    "$T/why") $(grep -Ec '^task 1 was on n1 until [0-9:]+, n2$' "$T/why")" '2 1' \
    '... with what took so long, and where the task was'
moved 'the same back' "$job.1" n1
is "$(nodes)" 'n1 n1 n2 n2' '... where it was'
moved 'all of a host' "$job.2,3" n1
is "$(nodes)" 'n1 n1 n1 n1' '... which is empty'
moved 'one back to a host without any' "$job.3" n2
is "$(nodes)" 'n1 n1 n1 n2' '... has one again'
finish
is "$status $(grep -c 'of 4 wrong 0' "$T/ring.out")" '0 4' \
    '... and everything came once'
is "$(grep -v 'now, and the job stood' "$T/ring.err")" '' '... without a word'
rounds=$(sed -n 's/^rank 0 .*rounds //p' "$T/ring.out")
is "$(sql "SELECT rank, count(*), count(DISTINCT marker), max(marker), sum(exit_ns IS NULL)
    FROM events WHERE job = $job GROUP BY rank" | xargs)" \
    "$(for r in 0 1 2 3; do echo "$r|$rounds|$rounds|$rounds|0"; done | xargs)" \
    '... as did all that was tagged'
for r in 0 1 2 3; do
    grep "^round [0-9]* $r\$" "$T/ring.out" | awk -v n="$rounds" '$2 != NR { bad = 1 }
        END { print bad + 0, NR == n }'
done >"$T/order"
is "$(sort -u "$T/order")" '0 1' '... and all that was printed, in order'

# Input that has not ended is with the slave that it came to.
mkfifo "$T/input"
start input sh -c 'exec sleep 1000 >"$1"' - "$T/input"
$R -H n1:2,n2:2 -n 4 --oversubscribe --migratable "$T/ring" \
    "$T/never" <"$T/input" >"$T/ring.out" 2>"$T/ring.err" &
runner=$!
wait_for '[ "$(grep -c begun "$T/ring.out")" = 4 ]' 20
job=$(sql 'SELECT max(job) FROM jobs')
refused 'not what reads standard input that has not ended' \
    'task 0 reads the standard input' "$job.0" n2
moved 'but others do' "$job.1" n2
hector kill "$job" >"$T/out"
finish
is "$status" 143 'and it can be ended'

# ------------------------------------------------------- what cannot be made again
more=$TMPDIR/here
begin -H n1:2,n2:2 -n 4 --oversubscribe --migratable
refused 'not with a file that is only there' 'nothing was moved, the job goes on: task 1 .*/here' \
    "$job.1" n2
is "$(nodes)" 'n1 n1 n2 n2' '... all are where they were'
hector why "$job" >"$T/why"
ok '... and why is told' grep -Eq 'move 1 .* nothing was moved, the job goes on: task 1' "$T/why"
refused '... nor with another one' '/here' "$job.0-1" n2
on n2 touch "$more" || :
moved 'once it is there as well' "$job.1" n2
finish
is "$status $(grep -c 'of 4 wrong 0' "$T/ring.out")" '0 4' '... the job has gone on'
for h in n1 n2; do on $h rm -f "$more"; done
more=
begin -H n1:2,n2:2 -n 4 --oversubscribe --migratable
refused 'not with a child process' 'nothing was moved, the job goes on: task 1 .*(child|pipe)' \
    "$job.1" n2
finish
is "$status $(grep -c 'of 4 wrong 0' "$T/ring.out")" '0 4' '... the job has gone on'
unset more

# ------------------------------------------------------ to a node that is new to it
HECTOR_KEY_FILE=$T/key
export HECTOR_KEY_FILE
start_master tcp:10.66.0.254:0
master_at=tcp:10.66.0.254:$(master_port)
for h in n1 n2 n3; do
    start "slave-$h" sh "$AGENT" $h hector-slave -d -v --master "$master_at" --name $h
done
wait_for '[ "$(grep -c "node n[123] joined" "$T/master.log")" = 3 ]' 20
R="hector-run --master $master"
begin -H n1:2,n2:2 -n 4 --oversubscribe --migratable
moved 'to a node that the job has not been on' "$job.0,1" n3
is "$(nodes)" 'n3 n3 n2 n2' '... where they are now'
finish
is "$status $(grep -c 'of 4 wrong 0' "$T/ring.out")" '0 4' \
    '... and everything came once'
R="hector-run --master $master"
begin -H n1:2,n2:2 -n 4 --oversubscribe --migratable --stdtim="$T/times"
hector suspend "$job.2" >"$T/out"
refused 'not while a task is suspended' 'task 2 is suspend' "$job.1" n2
hector resume "$job.2" >"$T/out"
wait_for '[ "$(sql "SELECT hold FROM tasks WHERE job = $job AND rank = 2")" = going ]' 10
moved 'once it goes on' "$job.1" n2
hector kill "$job" >"$T/out"
finish
is "$status" 143 'what has moved can be ended'

done_testing
