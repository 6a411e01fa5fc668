# hector diff: equal runs differ in nothing; a slow rank, one call more, heavier work,
# another number of tasks, build, input, environment and option are each named, what
# was run first, then what costs most; the first job against the last good run if
# no other is named; and as JSON. hector why says when a run was slower than all.
# limit: 60
# shellcheck disable=SC2154 # $status is set
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/cycles.sh"
need sqlite3 mpicc

C="$APPS/cycle 60 3000"
# shellcheck disable=SC2086 # words are wanted
{
cycle $C
cycle $C
is "$(first 2)" '0 ' 'an equal run differs in nothing'
like "$T/out" '^job 2 against job 1, the last good run of the same program' \
    '... than the last good one'
like "$T/out" '^they differ in nothing' '... and that is said'
is "$(first 1 2)" '0 ' '... the other way round, too'
[ ! -r /proc/self/schedstat ] || is "$(sql "SELECT count(*) FROM tasks WHERE waited_ns > 0")" 8 \
    'how long tasks had no processor is recorded'

CYCLE_SLOW=2 cycle $C
sum=$(line_of 'MPI_Allreduce(') ring=$(line_of 'MPI_Sendrecv(')
node=$(sql 'SELECT node FROM nodes')
step="between Sendrecv (main cycle.c:$ring) and Allreduce (main cycle.c:$sum)"
is "$(first 3 | sed 's/computes .* longer/computes longer/')" \
    "3 task 2 on $node computes longer than the others do, and not so in job 2: most of it $step" \
    'a slow rank, and where'
is "$(first 2 3 | sed 's/computes .* longer/computes longer/; s/:.*//')" \
    "3 task 2 on $node computes longer than the others do in job 3, and not so in job 2" \
    '... the other way round'

CYCLE_MORE=1 cycle $C
more="Bcast (main cycle.c:$(line_of 'MPI_Bcast(')) is called once a task in job 4, and not in job 2"
is "$(first 4 2)" "3 $more" 'one call more'
is "$(first 2 4)" "3 $more" '... or less'

CYCLE_HEAVY=1 cycle "$APPS/cycle" 60 3000
is "$(first 5 2 | sed 's/: .* each time.*//')" \
    "3 $step" 'heavier work of all'

job=6
run hector-run -n 5 --oversubscribe $C
is "$(first 6 2)" '3 tasks: 5, was 4' 'another number of tasks'
is "$(first 6)" '1 ' '... is no run of the same program'
like "$T/err" '; job 5 was another one with the same arguments: hector diff 6 5$' \
    '... and what might be compared is said'

cycle "$APPS/cycle" 61 3000
is "$(first 7 2)" '3 arguments: 61 3000, was 60 3000' 'another input'
like "$T/out" "Allreduce \(main cycle.c:$sum\) is called 61 times a task in job 7, 60 times" \
    '... and what it does'

OMP_NUM_THREADS=2 SECRET=xyzzy cycle --map-by node $C
is "$(first 8 2)" '3 options: -n 4 --oversubscribe --map-by node, was -n 4 --oversubscribe' \
    'another option'
like "$T/out" 'environment: OMP_NUM_THREADS=2, was none$' '... and environment'
is "$(sql 'SELECT count(*) FROM run WHERE environment LIKE "%SECRET%"')" 0 \
    '... of which nothing else is kept'

mkdir other
mpicc -g -O1 -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 \
    -DOTHER -o other/cycle "$top/tests/apps/cycle.c"
CYCLE_MORE=1 cycle other/cycle 60 3000
is "$(first 9 2 | cut -d , -f 1)" \
    '3 build: cycle 0123456789abcdef0123456789abcdef01234567' 'another build'
like "$T/out" "Bcast \(main cycle.c:[0-9]+\) is called once a task in job 9, and not in" \
    '... whose places are found by name'
is "$(grep -c 'is called' "$T/out")" 1 '... all others of them the same'

run hector diff -j 3
is "$status $(sqlite3 :memory: "WITH d(j) AS (SELECT CAST(readfile('$T/out') AS TEXT))
    SELECT json_extract(j, '\$.run.job'), json_extract(j, '\$.against[0].job'),
    json_extract(j, '\$.differences[0].kind'),
    json_extract(j, '\$.differences[0].ranks'),
    json_extract(j, '\$.differences[0].from.call'),
    json_extract(j, '\$.differences[0].from.line'),
    json_extract(j, '\$.differences[0].cost_ns') > 1e8 FROM d")" \
    "3 3|2|task|2|MPI_Sendrecv|$ring|1" 'as JSON'
run hector diff -n 1 8 2
like "$T/out" '^and 1 more$' 'the first one only'

# Good runs are far from it in any case, whatever else this machine does.
CYCLE_HOLD=$T/go cycle $C &
slow=$!
wait_for 'sql "SELECT state FROM jobs WHERE job = 10" | grep -q running'
sql "SELECT max(ended_ns - started_ns) * 3 / 1000000000 + 1 FROM jobs" >longest
sleep "$(cat longest)"
touch go
wait "$slow"
run hector why 10
like "$T/out" '^it took [0-9.ms]+.*, longer than any of [0-9]+ good runs before it, ' \
    'hector why says that a run was slower than all'
like "$T/out" 'computes .*\(hector diff 10\)$' '... and of what'
run hector why 2
is "$(grep -c 'longer than any' "$T/out")" 0 '... and nothing of one that was not'
}
done_testing
