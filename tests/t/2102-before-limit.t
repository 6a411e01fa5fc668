# --before-limit: what is done so long before a batch system ends the allocation,
# here one that says in the environment when that is, for jobs of an ordinary user.
# limit: 60
# shellcheck disable=SC2086 # $nobody is words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/nobody.sh"
nobody_rather

limited()       # TIME:WHAT COMMAND...: 50 s before the end of the allocation
{
    limited_what=$1
    shift
    run $nobody env SLURM_JOB_NODELIST="$(uname -n)" SLURM_TASKS_PER_NODE=2 \
        SLURM_JOB_END_TIME=$(($(date +%s) + 50)) \
        hector-run --oversubscribe -n 2 --before-limit "$limited_what" "$@"
}
acts() { sql "SELECT action, by, result FROM actions WHERE job =
    (SELECT max(job) FROM jobs) ORDER BY at_ns LIMIT 1"; }

limited 60s:USR1 sh -c 'trap "echo got; exit 0" USR1; while :; do sleep 0.05; done'
is "$status $(sort "$T/out" | xargs)" '0 got got' 'a signal to all tasks'
like "$T/err" '^hector: Slurm ends in (4[0-9]|50) s: all tasks get USR1$' '... is said'
is "$(acts)" 'signal|batch system|done' '... and recorded'

limited 60s:kill sleep 100
is "$status $(sql 'SELECT state, exit_code FROM jobs ORDER BY job DESC LIMIT 1')" \
    '124 killed|124' 'the end of the job: as a time-out'

limited 60s:report sh -c 'until grep -q "ends in" "$T/err"; do sleep 0.05; done'
is "$status $(acts)" '0 report|batch system|done' 'a sentence alone'
limited 10s:kill sleep 1
is "$status $(cat "$T/err")" '0 ' 'nothing, before its time'
run $nobody hector-run -n 1 --before-limit 60s:kill true
is "$status $(cat "$T/err")" '0 ' '... and where there is no allocation'

for bad in 60s 60s:dance :kill 0s:kill x:kill; do
    run $nobody hector-run -n 1 --before-limit "$bad" true
    is "$status" 2 "--before-limit $bad: wrong usage"
done
run $nobody hector-run -n 1 --before-limit 9s:checkpoint true
is "$status" 2 '... and a checkpoint without --checkpoint-dir'
# Where the tasks have come to MPI by then it is the first one, or it is one after that.
one_is_made()   # $T/made is there when there is one
{
    rm -rf saved "$T/made"
    (until ls saved/*/checkpoint >/dev/null 2>&1; do sleep 0.1; done; : >"$T/made") &
    maker=$!
}
one_is_made
limited 40s:checkpoint --checkpoint-dir "$PWD/saved" "$APPS/hello" --wait-for "$T/made"
is "$status $(acts | cut -d'|' -f1,2)" '0 checkpoint|batch system' 'a checkpoint'
kill $maker 2>/dev/null

# Before the tasks are in MPI there is none, and it is tried again until the end.
one_is_made
limited 60s:checkpoint --checkpoint-dir "$PWD/saved" sh -c '
    until grep -q "there is no checkpoint 1.* MPI_Init" "$T/err"; do sleep 0.05; done
    exec "$APPS/hello" --wait-for "$T/made"'
is "$status $(sql "SELECT count(*), min(state), min(number) > 1 FROM checkpoints
    WHERE job = (SELECT max(job) FROM jobs)")" '0 1|whole|1' \
    '... and one that could not be made at first'
kill $maker 2>/dev/null
done_testing
