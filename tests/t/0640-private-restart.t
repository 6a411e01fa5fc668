# kill -9 of the processes of a run of its own: the private master is started
# again and the job runs on; a slave's job fails with a sentence; hector-run's
# ends. Whatever it is, the record is complete.
# limit: 60
# shellcheck disable=SC2086,SC2154 # $R is several words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"
hosts 2

exactly_once()  # TASKS COUNT
{
    is "$(sql "SELECT count(*), count(DISTINCT rank * 100000000 + seq),
        count(exit_ns), max(seq) FROM event WHERE job = $job")" \
        "$(($1 * $2))|$(($1 * $2))|$(($1 * $2))|$(($2 - 1))" \
        'every event once, none is missing'
}
R="hector-run --launch-agent $AGENT"

begin hector-run -n 2 sh -c "'$APPS/tagloop' 150000
    while [ ! -e '$T/said' ]; do sleep 0.05; done"
wait_for 'stored 40000'
kill -KILL "$(child hector-master)"
wait_for 'grep -q "was killed" "$T/err"'
touch "$T/said"
end
is "$status" 0 'kill -9 of the master on one machine: the job runs on'
like "$T/err" '^hector: hector-master was killed by signal 9 .* runs on$' \
    '... with a sentence'
exactly_once 2 150000
is "$(sql "SELECT state, exit_code FROM jobs WHERE job = $job")" 'done|0' \
    '... and a record'

begin $R -H n1,n2 -n 2 sh -c "'$APPS/tagloop' 150000 || exit
    while [ ! -e '$T/killed' ]; do sleep 0.05; done"
wait_for 'stored 40000'
kill -KILL "$(child hector-master)"
touch "$T/killed"
end
is "$status" 0 'the same with slaves on other hosts'
exactly_once 2 150000

begin $R -H n1,n2 -n 2 sh -c "cat >/dev/null
    while [ ! -e '$T/go' ]; do sleep 0.05; done; exit 9"
kill -KILL "$(child hector-master)"
touch "$T/go"
end
is "$status" 9 'the exit status comes through'

begin hector-run -n 2 sleep 100
master=$(child hector-master)
kill -KILL "$master"
another()       # that is not the dead one, which may be listed yet
{
    [ -n "$(child hector-master)" ] && [ "$(child hector-master)" != "$master" ]
}
wait_for another
kill -KILL "$(child hector-master)"
end
is "$status" 125 'killed again: 125'
like "$T/err" 'hector-master was killed .* before the job was done' \
    '... with a sentence'
ok '... and nothing is left' wait_for '[ -z "$(t_processes)" ]'

# hector-run itself. What it could not remove any more the master does.
begin $R -H n1,n2 -n 2 "$APPS/tagloop" 100000000
wait_for 'stored 40000'
kill -KILL $runner
wait $runner 2>/dev/null
ok 'kill -9 of hector-run: the job ends' wait_for \
    'sql "SELECT state FROM jobs WHERE job = $job" | grep -q killed'
is "$(sql "SELECT why FROM job WHERE job = $job")" 'hector-run is gone' \
    '... which is recorded, with the reason'
is "$(sql "SELECT count(*) FROM task WHERE job = $job AND exit_code = 143")" 2 \
    '... and how each task ended'
is "$(sql "SELECT count(*) FROM (SELECT rank, count(*) AS n, max(seq) AS m
    FROM event WHERE job = $job GROUP BY rank) WHERE n <> m + 1")" 0 \
    '... and their events without a gap'
ok 'nothing is left' wait_for '[ -z "$(t_processes)" ]'

# The master is stopped first, or it may record how hector-run went.
begin hector-run -n 2 sleep 100
master=$(child hector-master)
kill -STOP "$master"
kill -KILL $runner "$master"
wait $runner 2>/dev/null
ok 'both of them: nothing is left' wait_for '[ -z "$(t_processes)" ]'
rm -rf "$TMPDIR"/hector-*
run hector-run -n 1 true
is "$(sql "SELECT state, why FROM job WHERE job = $job")" \
    'failed|hector-master died' '... and the next run sees to the record'
done_testing
