# Reductions over real slaves on four hosts: trees of one level and of several,
# a slave that dies in the middle, one that is silent, the next reduction, and
# those of a job; bad input.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154
. "${0%/*}/../lib/t.sh"
hosts 4

slave()         # HOST: pid of its slave, the child of the guard
{
    for p in $(t_processes); do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" = hector-slave ] || continue
        grep -q hector-slave "/proc/$(awk '/^PPid/ { print $2 }' \
            "/proc/$p/status")/comm" || continue
        tr '\0' ' ' <"/proc/$p/cmdline" | grep -q -- "--name $1 " && echo "$p"
    done
}
up()            # NUMBER: so many slaves are there, and have said where
{
    wait_for "hector tree -j >'$T/up' 2>/dev/null &&
        grep -q '\"slaves\":$1,' '$T/up'"
}
began() { grep -c 'begins$' "$T/master.log"; }

HECTOR_KEY_FILE=$T/key
export HECTOR_KEY_FILE
printf '[master]\nlisten = unix:%s,tcp:10.66.0.254:0\ndatabase = %s\n%s\n' \
    "$T/master.sock" "$HECTOR_DB" 'tree_wait = 3s' >"$T/master.conf"
launch_master master -v
port=$(master_port)
run hector tree
is "$status,$(cat "$T/err")" '1,hector: no slave is there to be asked' \
    'no slave yet'
for i in 1 2 3 4; do
    start "n$i" on "n$i" hector-slave -d -v --master "tcp:10.66.0.254:$port" \
        --name "n$i"
done
ok 'four slaves join' up 4

run hector tree -n 1
is "$status" 0 'one level'
like "$T/out" '^4 slaves, 1 level, fan-out 4: [0-9.]* ms, 0 missing' \
    '... of four'
run hector tree -n 4
like "$T/out" '^        n[1-4]$' 'four levels: a chain'
run hector tree -j -n 2
is "$(sed 's/.*"missing":\[\]}/ok/' "$T/out")" ok 'two levels, nobody missing'
top=$(hector tree -n 2 | sed -n '2s/ *//p')

# The one at the top is stopped, so it cannot answer; then it dies.
pid=$(slave "$top")
before=$(began)
kill -STOP "$pid"
hector tree -n 2 >"$T/partial" 2>&1 &
asked=$!
ok 'a reduction begins' wait_for "[ \$(began) -gt $before ]"
kill -KILL "$pid"
wait $asked
is "$?" 1 'a slave dies in the middle: the exit status says so'
like "$T/partial" '^4 slaves, 2 levels, fan-out 2: .* ms, 1 missing' \
    '... the result is without it alone, not without those below it'
like "$T/partial" "^  $top: .*(reset|closed|gone|ended|left)" '... and says why'
ok 'the next one is complete without it' up 3
run hector tree -n 2
like "$T/out" '^3 slaves, 2 levels, .* 0 missing' '... also in two levels'

# A silent one is not waited for longer than tree_wait.
silent=$(hector tree -n 3 | sed -n '4s/ *//p')
pid=$(slave "$silent")
kill -STOP "$pid"
run hector tree -n 3
kill -CONT "$pid"
is "$status" 1 'a slave is silent'
like "$T/out" "^ *$silent: nothing came in time" '... and named'
is "$(grep -c in.time "$T/out")" 1 '... it alone'
ok 'it goes on, and the next one is complete' up 3

# One that hangs at the top does not hide those below it.
silent=$(hector tree -n 3 | sed -n '2s/ *//p')
pid=$(slave "$silent")
kill -STOP "$pid"
run hector tree -n 3
kill -CONT "$pid"
is "$status" 1 'the one at the top is silent'
like "$T/out" '^3 slaves, 3 levels, .* 1 missing' '... those below it are there'
like "$T/out" "^ *$silent: nothing came in time" '... it is named'
ok 'it goes on, and the next one is complete' up 3

# Of a job.
hector-run --master "unix:$T/master.sock" -n 6 --map-by node --oversubscribe \
    sleep 100 >"$T/run.log" 2>&1 &
run=$!
wait_for '[ "$(sql "SELECT state FROM jobs WHERE job = 1")" = running ]'
run hector tree 1
is "$status" 0 'the slaves of a job'
like "$T/out" '^3 slaves, 1 level, fan-out 3: .* 0 missing' '... are three'

# The call tree of a job without the node of a slave that dies, which is kept.
node=$(sql 'SELECT node FROM tasks WHERE job = 1 AND rank = 0')
pid=$(slave "$node")
before=$(began)
kill -STOP "$pid"
hector stack 1 >"$T/partial" 2>&1 &
asked=$!
ok 'a call tree is asked for' wait_for "[ \$(began) -gt $before ]"
kill -KILL "$pid"
wait $asked
like "$T/partial" "^\[[0-9,]+\]: not here, node $node: " \
    '... a slave dies: its tasks are named'
like "$T/partial" '^job 1: 4 tasks' '... the others are there'
run hector stack 1 --last
is "$(grep 'not here' "$T/out")" "$(grep 'not here' "$T/partial")" \
    '... and so it is kept'
run hector kill 1
wait $run
run hector tree 1
is "$status,$(cat "$T/err")" '1,hector: 1: it has ended' 'a job that has ended'
run hector tree 99
is "$status,$(cat "$T/err")" '1,hector: 99: there is no such job' 'no such job'
run hector tree x
is "$status" 2 'a job that is no number'
for i in 1 2 3 4; do
    pid=$(slave "n$i")
    [ -z "$pid" ] || kill "$pid"
done
wait_for '[ -z "$(t_processes | xargs -r ps -o comm= -p | grep slave)" ]'

# A run with slaves of its own, on other hosts and on this one.
for where in '--launch-agent '"$AGENT"' -H n1,n2,n3' ''; do
    hector-run $where -n 3 --oversubscribe sleep 100 >"$T/run.log" 2>&1 &
    run=$!
    ok "a run ${where:+on hosts}" wait_for 'job=$(sql "SELECT job FROM jobs
        WHERE state = '\''running'\''") && [ -n "$job" ]'
    run hector tree -n 2 "$job"
    is "$status" 0 '... has a tree'
    like "$T/out" "^[13] slaves, [12] levels?, .* 0 missing" '... of its slaves'
    hector kill "$job" >/dev/null
    wait $run
done
done_testing
