# Tasks of a job move to another host while it runs: nothing is lost of what they
# print, tag and send, and where it cannot be the job goes on.
# limit: 60
# shellcheck disable=SC2016,SC2086 # the tasks' shells expand; words are wanted
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3

R="hector-run --launch-agent $AGENT"
. "$top/tests/lib/rounds.sh"
tasks=4
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
begin -H n1:2,n2:2 --oversubscribe
refused 'not of a job without --migratable' \
    'cannot be moved: it was started without --migratable' "$job.1" n2
finish
is "$status $(grep -c 'wrong 0' "$T/rounds.out")" '0 4' '... which goes on'

begin -H n1:2,n2:2,n3:2 --oversubscribe --migratable
refused 'not to a node that is not there' 'there is no node nowhere' "$job.1" nowhere
refused 'not to where it is' 'task 1 is on n1 already' "$job.1" n1
refused 'not of a rank that is none' 'has 4 tasks' "$job.9" n1
refused 'not of a job that is none' '.' 4711 n1
finish
is "$status $(grep -c 'wrong 0' "$T/rounds.out")" '0 4' 'the job goes on'
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
# Without verdicts on a machine that has much to do.
begin -H n1:2,n2:2 --oversubscribe --migratable --policy none
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
is "$status $(grep -c 'of 4 wrong 0' "$T/rounds.out")" '0 4' \
    '... and everything came once'
is "$(grep -v 'now, and the job stood' "$T/rounds.err")" '' '... without a word'
rounds=$(sed -n 's/^rank 0 .*rounds //p' "$T/rounds.out")
is "$(sql "SELECT rank, count(*), count(DISTINCT marker), max(marker), sum(exit_ns IS NULL)
    FROM events WHERE job = $job GROUP BY rank" | xargs)" \
    "$(for r in 0 1 2 3; do echo "$r|$rounds|$rounds|$rounds|0"; done | xargs)" \
    '... as did all that was tagged'
for r in 0 1 2 3; do
    grep "^round [0-9]* $r\$" "$T/rounds.out" | awk -v n="$rounds" '$2 != NR { bad = 1 }
        END { print bad + 0, NR == n }'
done >"$T/order"
is "$(sort -u "$T/order")" '0 1' '... and all that was printed, in order'

# Who was bound to a processor is bound to it on the other host, too.
may=$(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status)
last=${may##*[,-]}
bound()         # processors of each task's threads
{
    for p in $(pid_of 0) $(pid_of 1) $(pid_of 2) $(pid_of 3); do
        sed -n 's/^Cpus_allowed_list:[^0-9]*//p' "/proc/$p/task"/*/status | sort -u
    done | xargs
}
case $may in
*[,-]*)
    wrap="taskset -c $last"
    begin -H n1:2,n2:2 --oversubscribe --migratable
    unset wrap
    pid=$(pid_of 2)
    taskset -apc "$may" "$pid" >&2      # but this one
    is "$(bound)" "$last $last $may $last" 'tasks are bound to a processor'
    moved 'one of them to the other host' "$job.0" n2
    moved '... crosswise' "$job.3" n1
    is "$(nodes) $(bound)" "n2 n1 n2 n1 $last $last $may $last" '... are bound there, too'
    finish
    is "$status" 0 '... and end well'
    ;;
*) skip 'tasks are bound' 'there is one processor' ;;
esac

# Input that has not ended is no reason: 1935-input.t.
mkfifo "$T/input"
start input sh -c 'exec sleep 1000 >"$1"' - "$T/input"
input=$T/input
begin -H n1:2,n2:2 --oversubscribe --migratable
unset input
moved 'what reads standard input that has not ended' "$job.0" n2
hector kill "$job" >"$T/out"
finish
is "$status" 143 'and it can be ended'

# ------------------------------------------------------- what cannot be made again
here=$TMPDIR/here more=file=$TMPDIR/here
begin -H n1:2,n2:2 --oversubscribe --migratable
refused 'not with a file that is only there' 'nothing was moved, the job goes on: task 1 .*/here' \
    "$job.1" n2
is "$(nodes)" 'n1 n1 n2 n2' '... all are where they were'
hector why "$job" >"$T/why"
ok '... and why is told' grep -Eq 'move 1 .* nothing was moved, the job goes on: task 1' "$T/why"
refused '... nor with another one' '/here' "$job.0-1" n2
on n2 touch "$here" || :
moved 'once it is there as well' "$job.1" n2
finish
is "$status $(grep -c 'of 4 wrong 0' "$T/rounds.out")" '0 4' '... the job has gone on'
for h in n1 n2; do on $h rm -f "$here"; done
more=child
begin -H n1:2,n2:2 --oversubscribe --migratable
refused 'not with a child process' 'nothing was moved, the job goes on: task 1 .*(child|pipe)' \
    "$job.1" n2
finish
is "$status $(grep -c 'of 4 wrong 0' "$T/rounds.out")" '0 4' '... the job has gone on'
unset more

# ------------------------------------------------------ to a node that is new to it
start_nodes
R="hector-run --master $master"
begin -H n1:2,n2:2 --oversubscribe --migratable
moved 'to a node that the job has not been on' "$job.0,1" n3
is "$(nodes)" 'n3 n3 n2 n2' '... where they are now'
finish
is "$status $(grep -c 'of 4 wrong 0' "$T/rounds.out")" '0 4' \
    '... and everything came once'
R="hector-run --master $master"
begin -H n1:2,n2:2 --oversubscribe --migratable --stdtim="$T/times"
hector suspend "$job.2" >"$T/out"
refused 'not while a task is suspended' 'task 2 is suspend' "$job.1" n2
hector resume "$job.2" >"$T/out"
wait_for '[ "$(sql "SELECT hold FROM tasks WHERE job = $job AND rank = 2")" = going ]'
moved 'once it goes on' "$job.1" n2
hector kill "$job" >"$T/out"
finish
is "$status" 143 'what has moved can be ended'

done_testing
