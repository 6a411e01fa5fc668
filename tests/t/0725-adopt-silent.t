# A master that is busy when the command has ended: hector-run waits for its last
# word for as long as it may come, not for twenty seconds.
# limit: 60
. "${0%/*}/../lib/t.sh"
need mpirun

start_master
start_slave one
printf 'touch "%s"; while [ ! -e "%s" ]; do sleep 0.05; done; exit 7\n' \
    "$T/here" "$T/go" >"$T/command"
fresh out err
hector-run --adopt --master "$master" -- sh "$T/command" >"$T/out" 2>"$T/err" &
runner=$!
wait_for '[ -e "$T/here" ]'
kill -STOP "$master_pid"
touch "$T/go"
sleep 25        # this is the fault itself
ok 'it waits for a master that is silent' kill -0 $runner
kill -CONT "$master_pid"
status=0
wait $runner || status=$?
is "$status" 7 '... and ends as the command did'
is "$(grep -v 'not be reached\|is away' "$T/err")" '' '... without a word of what is not recorded'
is "$(sql 'SELECT exit_code FROM jobs')" 7 '... which is recorded'
done_testing
