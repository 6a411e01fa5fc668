# Tasks that come to another host, or begin again there, have the priority of their
# job, also one that it was given meanwhile.
# limit: 60
# shellcheck disable=SC2016,SC2034,SC2154 # $job and $status are rounds.sh's
. "${0%/*}/../lib/t.sh"
hosts 2
need sqlite3

R="hector-run --launch-agent $AGENT -H n1:2,n2:2 --oversubscribe"
. "$top/tests/lib/rounds.sh"
tasks=2
nices()         # of the tasks, as the record and the kernel have them
{
    sql "SELECT node, nice, applied FROM tasks WHERE job = $job ORDER BY rank" | xargs
    ps -o ni= -p "$(pid_of 0),$(pid_of 1)" | xargs
}
begin --priority -3 --checkpoint-dir "$T/saved"
is "$(nices | xargs)" 'n1|3|yes n1|3|yes 3 3' 'two tasks on one host'
hector priority "$job" -6 >&2
run hector migrate "$job.1" n2
is "$status" 0 'one goes to another host'
wait_for '[ "$(nices | xargs)" = "n1|6|yes n2|6|yes 6 6" ]' 20
is "$(nices | xargs)" 'n1|6|yes n2|6|yes 6 6' '... and has what its job was given meanwhile'
hector checkpoint "$job" >&2
kill -9 "$(pid_of 0)"
launched 2
wait_for '[ "$(nices | xargs | grep -o "6|yes")" ] && further 2' 60
is "$(nices | sed 's/n[12]//g' | xargs)" '|6|yes |6|yes 6 6' \
    'so it is when they begin again from a checkpoint'
finish
is "$status" 0 '... and all goes on as it should'
rm "$T/enough"
R="$R --restart $T/saved"
$R "$build/apps/rounds" >"$T/out" 2>"$T/err" &
runner=$!
job_runs 30
wait_for '[ "$(sql "SELECT count(nice) FROM tasks WHERE job = $job")" = 2 ]' 30
is "$(sql "SELECT nice, applied FROM tasks WHERE job = $job" | xargs)" '6|yes 6|yes' \
    '... or another job does from it'
hector kill "$job" >&2
wait $runner || :
done_testing
