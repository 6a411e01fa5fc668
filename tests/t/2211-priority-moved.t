# Tasks that come to another host, or begin again there, have the priority of their
# job, also one that it was given meanwhile.
# limit: 60
# shellcheck disable=SC2016,SC2034,SC2154 # $job and $status are others'
. "${0%/*}/../lib/t.sh"
need_moves
hosts 2
need sqlite3

# Between rounds they sleep.
R="hector-run --launch-agent $AGENT -H n1:2,n2:2 --oversubscribe"
begin()         # WORD...: two tasks, in the background; $job
{
    echo none >"$T/order"
    fresh beat.out beat.err
    # shellcheck disable=SC2086 # words
    $R "$@" "$APPS/beat" 20 "$T/order" >"$T/beat.out" 2>"$T/beat.err" </dev/null &
    runner=$!
    job_runs
    further 3
}
further()       # so many rounds
{
    seen=$(rounds)
    wait_for "[ \$(rounds) -ge $((seen + $1)) ]"
}
rounds() { sql "SELECT count(*) FROM events WHERE job = $job AND label = 'in'"; }
nices()         # of the tasks, as the record and the kernel have them
{
    sql "SELECT node, nice, applied FROM tasks WHERE job = $job ORDER BY rank" | xargs
    ps -o ni= -p "$(pid_of 0),$(pid_of 1)" | xargs
}
pid_of()        # RANK
{
    sql "SELECT pid FROM tasks WHERE job = $job AND rank = $1"
}
begin -n 2 --priority -3 --checkpoint-dir "$T/saved"
is "$(nices | xargs)" 'n1|3|yes n1|3|yes 3 3' 'two tasks on one host'
hector priority "$job" -6 >&2
run hector migrate "$job.1" n2
is "$status" 0 'one goes to another host'
wait_for '[ "$(nices | xargs)" = "n1|6|yes n2|6|yes 6 6" ]'
is "$(nices | xargs)" 'n1|6|yes n2|6|yes 6 6' '... and has what its job was given meanwhile'
hector checkpoint "$job" >&2
kill -9 "$(pid_of 0)"
wait_for '[ "$(sql "SELECT count(*) FROM transition WHERE job = $job AND
    machine = '\''job'\'' AND event = '\''launched'\''")" = 2 ]'
wait_for '[ "$(nices | grep -o "6|yes" | wc -l)" = 2 ] && further 2'
is "$(nices | sed 's/n[12]//g' | xargs)" '|6|yes |6|yes 6 6' \
    'so it is when they begin again from a checkpoint'
echo end >"$T/order"
wait $runner
is $? 0 '... and all goes on as it should'
R="$R --restart $T/saved"
begin
is "$(sql "SELECT nice, applied FROM tasks WHERE job = $job" | xargs)" '6|yes 6|yes' \
    '... or another job does from it'
hector kill "$job" >&2
wait $runner || :
done_testing
