# The processor's counters of tasks: a slave reads them, or says once why it cannot;
# and not at all where the configuration does not want them.
# limit: 100
# shellcheck disable=SC2016,SC2154 # words are wanted; $slave_pid is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3

# Two tasks that are looked at; so many descriptors of counters has their slave.
job_on()        # SLAVE
{
    fresh out
    hector-run --master "$master" --oversubscribe -n 2 --policy none --policy slow \
        "$APPS/paced" 5 "$T/order" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    job_runs
    ok "a job on $1 is looked at" wait_for '[ "$(pieces)" -ge 1 ]'
    counters=$(for p in $(t_processes); do
        ls -l "/proc/$p/fd" 2>/dev/null
    done | grep -c 'perf_event')
    echo end >"$T/order"
    wait $runner || fail "the job on $1 ends"
    rm "$T/order"
}
says() { grep -c 'counters of the processor cannot be read: ..*' "$T/slave-$1.log"; }
joined() { wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 1 ]'; }

counted()
{
    start_master
    start_slave n1
    joined
    job_on n1
    first=$counters
    job_on n1
    if [ "$(says n1)" = 0 ]; then
        ok 'a slave reads counters of each task' [ $((first >= 4)) = 1 ]
    else
        is "$first $counters" '0 0' 'a slave has no counters here'
        is "$(says n1)" 1 '... and says why, once for all tasks and jobs'
    fi
}
not_wanted()
{
    printf '[slave]\ncounters = no\n' >"$T/slave.conf"
    start_master
    start_slave n2 -f "$T/slave.conf"
    joined
    job_on n2
    is "$counters $(says n2)" '0 0' 'counters = no: there are none, and nothing is said'
}
lane counted counted
lane not_wanted not_wanted
printf '[slave]\ncounters = perhaps\n' >"$T/slave.conf"
run hector-slave -n -f "$T/slave.conf"
is "$status $(grep -c counters "$T/err")" '1 1' 'another word is refused'
lanes
done_testing
