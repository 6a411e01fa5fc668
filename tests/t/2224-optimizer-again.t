# What an optimizer has suspended, and a master that is killed: the next one knows who it
# was. Without that optimizer the job goes on; with it, it stays as it is; and whom a
# person has suspended stays so.
# limit: 90
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need cc sqlite3
odd=$T/odd.so
cc -std=c11 -Wall -Werror -shared -fPIC -I "$top/policies" -o "$odd" \
    "$top/tests/lib/odd_optimizer.c"
master=unix:$T/master.sock
printf '[master]\nlisten = %s\ndatabase = %s\njoin_wait = 10s\noptimizer_period = 0.2s\n' \
    "$master" "$HECTOR_DB" >"$T/master.conf"
asks()          # NAME OPTIMIZER
{
    log=$T/$1.log
    launch_master "$1" -v --optimizer "$2"
    [ "$1" != first ] || start_slave a
    wait_for '[ "$(grep -c "joined with" "$log")" = 1 ]'
}
dies()          # the master, at once
{
    kill -KILL $master_pid
    wait_for '! kill -0 $master_pid 2>/dev/null'
}
hold()          # what hands have done to the job's task
{
    sql "SELECT hold FROM task WHERE job = $job"
}
begin()         # a job of class idle; its number in $job
{
    rm -f "$T/go"
    hector-run --master $master --class idle -n 1 \
        sh -c "while [ ! -e $T/go ]; do sleep 0.05; done; echo right" \
        </dev/null >"$T/job.out" 2>"$T/job.err" &
    runner=$!
    was=$(sql 'SELECT ifnull(max(job), 0) FROM jobs')
    job_runs
}
finish()        # DESCRIPTION
{
    touch "$T/go"
    status=0
    wait $runner || status=$?
    is "$status $(cat "$T/job.out")" '0 right' "$1"
    [ "$status" = 0 ] || cat "$T/job.err" >&2
}
suspended()     # DESCRIPTION
{
    wait_for '[ "$(hold)" = suspended ]'
    is "$(hold)" suspended "$1"
}

asks first "$odd:how=8"
begin
suspended 'an optimizer suspends a job of class idle'
is "$(sql "SELECT count(*), min(state) FROM plans WHERE job = $job AND kind = 'suspend'")" \
    '1|done' '... once, as the plan says'
is "$(sql "SELECT (SELECT min(at_ns) FROM plans WHERE kind = 'suspend') >= (SELECT at_ns
    FROM transition WHERE job = $job AND machine = 'job' AND state_to = 'running')")" 1 \
    '... when it runs'
dies
asks again "$odd:how=8"
wait_for 'grep -q "suspended by optimizer odd, which goes on seeing to it" "$log"'
ok 'a master that is started again with it knows of it' \
    grep -q "suspended by optimizer odd, which goes on seeing to it job=$job" "$log"
is "$(hold)" suspended '... and leaves the job as it is'
dies
asks without none
wait_for '[ "$(hold)" = going ]'
is "$(hold)" going 'without that optimizer the job goes on'
is "$(sql "SELECT by, why FROM actions WHERE job = $job AND action = 'resume'")" \
    'optimizer|its optimizer is not there any more' '... and why is in the actions'
finish '... and ends well'

dies
asks second "$odd:how=8"
begin
suspended 'another job is suspended'
dies
asks other stay
wait_for '[ "$(hold)" = going ]'
is "$(hold)" going 'it goes on where the next master has another optimizer'
run hector suspend $job
suspended 'a person suspends it'
dies
asks person none
wait_for '[ "$(sql "SELECT state FROM nodes")" = up ]'
run hector ps
is "$(hold)$(grep -c 'suspended by optimizer' "$log")" suspended0 \
    '... and it stays so, whoever comes'
run hector resume $job
finish 'until a person resumes it, and it ends well'
done_testing
