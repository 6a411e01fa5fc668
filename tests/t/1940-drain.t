# A node is drained: it takes no new tasks, those of jobs that can be moved leave,
# of others it is said why not; all of it also when the master is killed.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3

start_nodes
up()            # hosts that the master has just now
{
    sql "SELECT count(*) FROM nodes WHERE state = 'up'"
}
R="hector-run --master $master"

begin()         # NAME TASKS WORD...: a job, which runs when it is back; its number in $job
{
    name=$1 tasks=$2
    shift 2
    rm -f "$T/$name.enough"
    $R "$@" -n $tasks "$build/apps/rounds" "$T/$name.enough" ballast=8 ${more-} </dev/null \
        >"$T/$name.out" 2>"$T/$name.err" &
    eval "runner_$name=$!"
    wait_for '[ "$(grep -c begun "$T/$name.out")" = $tasks ]'
    job=$(sql 'SELECT max(job) FROM jobs')
}
finish()        # NAME TASKS DESCRIPTION: it ends well
{
    : >"$T/$1.enough"
    status=0
    eval "wait \$runner_$1" || status=$?
    is "$status $(grep -c "of $2 wrong 0" "$T/$1.out")" "0 $2" "$3"
    [ "$status" = 0 ] || cat "$T/$1.err" >&2
}
nodes()         # JOB: of its tasks, by rank
{
    sql "SELECT node FROM tasks WHERE job = $1 ORDER BY rank" | xargs
}
drains()        # NODE: what is said of it
{
    hector nodes -j | sed 's/},{/\n/g' |
        sed -n "s/.*\"node\":\"$1\".*\"drain\":\"*\([a-z]*\).*/\1/p"
}
refused()       # DESCRIPTION EXTENDED-REGEXP WORD...: one sentence, status 1
{
    tap_d=$1 tap_re=$2
    shift 2
    run hector "$@"
    is "$status $(grep -Ec -- "$tap_re" "$T/err") $(wc -l <"$T/err")" '1 1 1' "$tap_d"
    cat "$T/err" >&2
}

# ----------------------------------------------------------------------- refused
for words in 'drain' 'drain n1 n2' 'drain --to , n1' 'undrain'; do
    run hector $words
    is "$status" 2 "hector $words is wrong usage"
done
refused 'not a node that is not there' 'there is no node nowhere' drain nowhere
refused 'nor to one' 'there is no node nowhere' drain n1 --to n2,nowhere
refused 'nor to itself' 'cannot go there' drain n1 --to n1
refused 'not undrained what is not drained' 'node n1 is not draining' undrain n1
is "$(drains n1)" 'null' 'nothing is draining'
is "$(sql "SELECT action, by, result FROM actions WHERE why LIKE 'hector drain nowhere by %'")" \
    'drain|operator|there is no node nowhere' 'the record says what was asked'

# ------------------------------------------------------------------ an empty node
run hector drain n3
is "$status $(cat "$T/out")" '0 n3: it is empty, and takes no new tasks' 'an empty node'
is "$(drains n3)" 'drained' '... hector nodes shows it'
is "$(sql "SELECT draining FROM nodes WHERE node = 'n3'")" 1 '... as does the view'
refused 'not twice' 'node n3 is draining already' drain n3
refused 'nothing may leave for it' 'node n3 is draining: it takes no new tasks' \
    drain n1 --to n3
run $R -H n1,n3 -n 2 true
is "$status $(cat "$T/err")" \
    '125 hector: node n3 is draining: it takes no new tasks' 'nor a new job'
run $R -n 12 --oversubscribe sh -c 'hostname'
is "$status $(sort "$T/out" | uniq | xargs)" '0 n1 n2' \
    'a job that names no host passes it by'
begin a 2 -H n1:2 --oversubscribe --migratable
a=$job
refused 'nor a task by hand' 'node n3 is draining: it takes no new tasks' \
    migrate $a.1 n3

# -------------------------------------------------- the master is killed meanwhile
kill -KILL "$master_pid"
wait "$master_pid" 2>/dev/null
launch_master master-again
nodes_joined master-again
refused 'a master that is started again knows' 'node n3 is draining already' drain n3
run $R -H n3 -n 1 true
is "$status $(grep -c 'node n3 is draining' "$T/err")" '125 1' '... and refuses jobs'
wait_for '[ "$(up)" = 3 ]'
run hector undrain n3
is "$status $(cat "$T/out")" '0 n3: it takes tasks again' 'until it is undrained'
is "$(drains n3) $(sql "SELECT draining FROM nodes WHERE node = 'n3'")" 'null 0' \
    '... which is shown'
run $R -H n3 -n 1 hostname
is "$status $(cat "$T/out")" '0 n3' '... and takes jobs'

# ---------------------------------------------------- several jobs, some of which can
begin b 3 -H n1:2,n2 --oversubscribe --migratable
b=$job
begin c 2 -H n1,n2 --oversubscribe
c=$job
run hector drain n1 --wait
is "$status $(grep -c "job $c: it stays: .* was started without --migratable" "$T/err")" \
    '1 1' 'drained but for a job that cannot'
like "$T/err" '^hector: n1: 1 job cannot leave; it takes no new tasks$' '... which is said'
is "$(grep -Ec "^job ($a|$b): task.* and the job stood" "$T/out") $(wc -l <"$T/out")" \
    '2 2' '... without a word of steps, with what has left'
is "$(sql "SELECT count(*) FROM tasks WHERE node = 'n1' AND job IN ($a, $b)")" 0 \
    '... nothing of the others is there'
is "$(nodes $c)" 'n1 n2' '... and the one that stays is where it was'
is "$(drains n1)" draining '... shown as draining'
is "$(sql "SELECT job, ranks, action, by, result LIKE '%without --migratable'
        FROM actions WHERE why LIKE 'hector drain n1 by %' AND job > 0 ORDER BY job" | xargs)" \
    "$a|0-1|migrate|operator|0 $b|0-1|migrate|operator|0 $c|0|migrate|operator|1" \
    '... recorded, of each job'
is "$(sql "SELECT by, result FROM actions WHERE why LIKE 'hector drain n1 by %' AND
    action = 'drain'" | tail -n 1)" 'operator|n1 takes no new tasks' '... and of the node'
finish c 2 'the one that stayed goes on'
wait_for '[ "$(drains n1)" = drained ]'
is "$(drains n1)" drained '... and when it has ended the node is empty'
finish a 2 'those that left have gone on, the first one'
finish b 3 '... and the second one'

# --------------------------------------------------- not the last one; a file; a child
run hector drain n2 -j
is "$status $(cat "$T/out")" \
    '0 {"target":"n2","ok":true,"text":"it is empty, and takes no new tasks","jobs":[]}' \
    'in JSON'
refused 'not the last one' 'there is no other node .* nothing is moved' drain n3
is "$(drains n3)" null '... which goes on as before'
run $R -n 1 hostname
is "$(cat "$T/out")" n3 '... and takes what comes'
hector undrain n1 >"$T/out"
hector undrain n2 >"$T/out"

more=child
begin d 2 -H n1:2 --oversubscribe --migratable
more=
run hector drain n1 --wait -j
is "$status $(grep -Ec '"stays","text":"nothing was moved.*task 1 .*(child|pipe)' "$T/out")" \
    '1 1' 'a task with a child does not leave'
is "$(nodes $job)" 'n1 n1' '... nor do others of its job'
finish d 2 '... which goes on'
hector undrain n1 >"$T/out"
begin e 3 -H n1:3 --migratable 2>/dev/null
e=$job
cpus=$(sql "SELECT cpus FROM nodes WHERE node = 'n2'")
begin f $cpus -H n2:$cpus --migratable
f=$job
if [ "$cpus" -lt 3 ]; then
    run hector drain n1 --to n2 --wait
    is "$status $(grep -c "job $e: it stays: there is no room: 3 tasks are to" "$T/err")" \
        '1 1' 'where there is no room nothing leaves'
    hector undrain n1 >"$T/out"
else
    skip 'no room' 'there are many processors here'
fi
finish e 3 '... and all goes on'
finish f $cpus '... there, too'

# ----------------------------------------------------------------- many, to several
begin g 16 -H n1:16 --oversubscribe --migratable
g=$job
from_ns=$(date +%s%N)
run hector drain n1 --wait
to_ns=$(date +%s%N)
is "$status $(cat "$T/err")" '0 ' '16 tasks leave a node'
like "$T/out" '^n1: it is empty, and takes no new tasks$' '... which is said'
is "$(sql "SELECT node, count(*) FROM tasks WHERE job = $g GROUP BY node" | xargs)" \
    'n2|8 n3|8' '... as many to the one as to the other'
is "$(sql "SELECT count(DISTINCT ranks) FROM actions WHERE job = $g")" 1 '... in one move'
echo "# 16 tasks left in $(((to_ns - from_ns) / 1000000)) ms: $(sed -n \
    's/^job .*\(and the job stood.*\)/\1/p' "$T/out")"
hector undrain n1 >"$T/out"
run hector drain n2 --to n1
is "$status $(grep -Ec "^job $g: tasks .* leave for n1\$" "$T/out")" '0 1' \
    'without --wait it says what is under way'
wait_for '[ "$(drains n2)" = drained ]'
is "$(sql "SELECT node, count(*) FROM tasks WHERE job = $g GROUP BY node" | xargs)" \
    'n1|8 n3|8' '... which comes about'
hector undrain n2 >"$T/out"

moving()        # moves of the job that are not over
{
    sql "SELECT count(*) FROM actions WHERE job = $g AND result = 'ordered'"
}
wait_for '[ "$(moving)" = 0 ]'
# Back while the first move is under way: what n1 had of the job is on its way out
# when it is to take tasks of it again.
hector drain n1 >"$T/out"
hector undrain n1 >"$T/out"
run timeout 100 hector drain n2 --to n1 --wait
is "$status $(sql "SELECT node, count(*) FROM tasks WHERE job = $g GROUP BY node" | xargs)" \
    '0 n1|8 n3|8' 'and back at once'
cat "$T/out" "$T/err" >&2
finish g 16 'and the job has gone on'
done_testing
