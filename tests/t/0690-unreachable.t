# Slaves that cannot prepare a job: one that does not reach hector-run, at once
# or by a network that swallows everything, and one that hangs. Each time the
# job fails with a sentence, within bounded time.
# limit: 60
. "${0%/*}/../lib/t.sh"
hosts 2
HECTOR_KEY_FILE=$T/key
export HECTOR_KEY_FILE

printf '[master]\nlisten = tcp:10.66.0.254:7117\ndatabase = %s\n%s\n' \
    "$HECTOR_DB" 'prepare_wait = 8s' >"$T/master.conf"
launch_master master
master=tcp:10.66.0.254:7117
start slave on n1 hector-slave -d --master "$master" --name n1
wait_for '[ "$(sql "SELECT state FROM nodes" 2>/dev/null)" = up ]'

slaves()
{
    t_processes | while read -r p; do
        [ "$(cat "/proc/$p/comm")" != hector-slave ] || echo "$p"
    done
}
away()          # HOST: hector-run, and what it took; $seconds
{
    began=$(date +%s)
    run on "$1" timeout 120 hector-run --master "$master" -H n1 -n 1 echo here
    seconds=$(($(date +%s) - began))
}
away n2
is "$status $(out)" '0 here' 'from another host'

on n1 ip route add unreachable 10.66.0.2/32
away n2
is "$status" 125 'a slave without a way to hector-run: status 125'
like "$T/err" '^hector: node n1 cannot run the job: n1 cannot reach hector-run' \
    '... in words'
on n1 ip route del unreachable 10.66.0.2/32

# Answers do not arrive.
on n2 ip route add blackhole 10.66.0.1/32
away n2
is "$status" 125 'a network that swallows everything: status 125'
like "$T/err" '^hector: node n1 (cannot run|did not prepare) the job' \
    '... in words'
echo "# $seconds s"
on n2 ip route del blackhole 10.66.0.1/32
is "$(sql "SELECT DISTINCT state, exit_code FROM jobs WHERE job > 1")" \
    'failed|125' '... and recorded'
away n2
is "$status $(out)" '0 here' 'the way is free again'
# shellcheck disable=SC2046 # words
kill $(slaves)

# A slave on this machine that hangs.
start_master
printf 'prepare_wait = 8s\n' >>"$T/master.conf"
kill "$master_pid"
wait_for '! kill -0 '"$master_pid"' 2>/dev/null'
launch_master master
start_slave hung
wait_for '[ "$(sql "SELECT state FROM nodes WHERE node = '\''hung'\''")" = up ]'
hung="$slave_pid $(cat "/proc/$slave_pid/task/$slave_pid/children")"
# shellcheck disable=SC2086 # two
kill -STOP $hung
run timeout 120 hector-run --master "$master" -H hung -n 1 true
is "$status" 125 'a slave that hangs: status 125'
like "$T/err" '^hector: node hung did not prepare the job within 8 s' \
    '... in words'
# shellcheck disable=SC2086
kill -CONT $hung
run timeout 120 hector-run --master "$master" -H hung -n 1 echo here
is "$status $(out)" '0 here' '... and when it goes on it serves'

# A hector-run that a person has stopped meanwhile: that time does not count,
# neither in preparing nor in waiting for a node.
kill "$master_pid"
wait_for '! kill -0 '"$master_pid"' 2>/dev/null'
sed -i 's/^join_wait.*/join_wait = 8s/' "$T/master.conf"
launch_master master
wait_for '[ "$(sql "SELECT state FROM nodes WHERE node = '\''hung'\''")" = up ]'
slave=$hung
# shellcheck disable=SC2086
kill -STOP $slave
for node in hung later; do
    hector-run --master "$master" -H $node -n 1 echo here >"$T/$node.out" \
        2>"$T/$node.err" &
    eval "$node=$!"
done
begun() { sql "SELECT count(*) FROM jobs WHERE ended_ns IS NULL
    AND state IN ('preparing', 'waiting')"; }
wait_for '[ "$(begun)" = 2 ]'
# shellcheck disable=SC2154 # set by eval
kill -STOP "$hung" "$later"
sleep 10        # this is what is tested
is "$(begun)" 2 'two that are stopped for longer than is waited: none has failed'
# shellcheck disable=SC2086
kill -CONT $slave "$hung" "$later"
start_slave later
for node in hung later; do
    eval "wait \$$node"
    is "$? $(cat "$T/$node.out" "$T/$node.err")" '0 here' "... $node runs"
done
done_testing
