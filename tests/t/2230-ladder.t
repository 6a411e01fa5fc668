# hector-run --on-deadline act: a less important job is suspended when the margin of a
# deadline declines, goes on when it is good again, and when who it was for, or the
# master, is killed; alone, and beside others that do not matter, nothing is done.
# limit: 160
# shellcheck disable=SC2016,SC2086,SC2119,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3 taskset setpriv

. "$top/tests/lib/ladder.sh"
went()                  # how often tasks of the crowd have gone on: they may be stopped again
{
    sql "SELECT count(*) FROM transition WHERE job = $job_crowd AND
        machine LIKE 'hold %' AND state_to = 'going'"
}
open_steps() { steps "state NOT IN ('undone', 'failed')"; }

start_master
slave here "$first" $drop

# --------------------------------------------------------------- undisturbed
rt ,firm
wait_for '[ "$(instances "$job_rt")" -ge 10 ]'
is "$(steps 1)" 0 'alone: no step'

# --------------------------------------------------------- suspended and resumed
crowd
wait_for '[ "$(steps "state = '\''done'\'' AND kind = '\''suspend'\''")" -ge 1 ]'
ok 'a less important job beside it is suspended' \
    test "$(steps "job = $job_rt AND target = $job_crowd AND kind = 'suspend'")" -ge 1
# What one has brought is seen some rounds later: beside others on a busy machine it may be
# the next one that has brought something.
good="undone_ns NOT NULL AND result = 'the margin is good again'"
ok '... and resumed when the margin is good again, with a margin that is better' \
    wait_for '[ "$(steps "$good AND brought > margin")" -ge 1 ]'
is "$(steps "at_ns > done_ns OR done_ns > undone_ns OR gain <= 0 OR margin IS NULL")" 0 \
    '... each with margin, gain, and times in order'
like "$T/rt.err" "^hector: deadline in\.\.out<=400ms,firm: job $job_crowd is suspended: \
margin -?[0-9]+ %, [0-9]+ % wanted; job $job_crowd of priority -1: -?[0-9]+ % expected" \
    'who runs the one is told'
like "$T/crowd.err" "^hector: job $job_crowd is suspended for the deadline \
in\.\.out<=400ms,firm of job $job_rt$" '... and who runs the other'
no_longer="job $job_crowd is no longer suspended for the deadline .* of job $job_rt: \
the margin is good again"
wait_for 'grep -q "$no_longer" "$T/crowd.err"'
like "$T/crowd.err" "$no_longer" '... that it goes on'
ends rt
is "$ended" '0 rounds are over' 'the one ends well'
wait_for '[ "$(held "$job_crowd") $(open_steps)" = "0 0" ]'
ends crowd
is "$ended" '0 rounds are over' '... and so does the other'
is "$(open_steps)" 0 'nothing stays given up'

# ------------------------------------------------- while it stands: who dies, who orders
# It is late all the time, so that nothing is given back as the margin is good.
crowd
late
stands
run hector ps
like "$T/out" "suspended for the deadline of job $job_rt" 'hector ps says for whom'
run hector deadlines "$job_rt"
like "$T/out" "100ms,firm .* job $job_crowd suspended" '... and hector deadlines what was done'
run hector why "$job_rt"
like "$T/out" "for in..out<=100ms,firm: job $job_crowd suspended: margin " \
    '... and hector why all of it'
kill -9 "$pid_rt"
ok 'hector-run of the real-time job is killed: the other goes on' goes_on
wait_for '[ "$(steps "job = $job_rt AND state <> '\''undone'\''")" = 0 ]'
is "$(steps "job = $job_rt AND state <> 'undone'")" 0 '... and the step is undone'

late
stands
had=$(went)
kill -9 "$master_pid"
wait "$master_pid" 2>/dev/null
launch_master again
ok 'the master is killed and started again: it goes on' \
    wait_for '[ "$(went)" -ge $((had + 4)) ]'
ok '... which the record says' test "$(steps "job = $job_rt AND
    result = 'hector-master was started again'")" -ge 1
stands
ok '... and gives way again, as the deadline is missed still' test "$(held "$job_crowd")" = 4
kill -9 "$master_pid"
wait "$master_pid" 2>/dev/null
ticks()                 # that the processes of the crowd have computed
{
    n=0
    for p in $crowd_pids; do
        read -r t <"/proc/$p/stat" && set -- ${t##*) } && n=$((n + ${12} + ${13}))
    done
    echo $n
}
crowd_pids=$(sql "SELECT pid FROM tasks WHERE job = $job_crowd")
had=$(ticks)
ok 'the master is killed and nobody starts it: its slave lets it go on' \
    wait_for '[ "$(ticks)" -ge $((had + 20)) ]'
launch_master third
wait_for 'running rt'
ends rt
is "$ended" '0 rounds are over' 'both end well after all that'
ends crowd
is "$ended" '0 rounds are over' '... the other one, too'

# ------------------------------------------------------------------- all of it again
sql 'SELECT detail FROM climb ORDER BY at_ns, job, number, back' >"$T/steps"
hector replay --steps >"$T/replay"
ok 'replay decides each step again, byte for byte, and what was taken back' \
    cmp "$T/steps" "$T/replay"
is "$(grep -c ": suspend job [0-9]* for in..out<=" "$T/replay") $(
    grep -c 'is taken back: the margin is good$' "$T/replay")" "$(steps 1) $(
    steps "result = 'the margin is good again'")" '... all of them'
hector replay --steps "$job_rt" >"$T/replay"
grep "^job $job_rt " "$T/steps" | cmp - "$T/replay" || echo differs >"$T/replay"
is "$(grep -c . "$T/replay")" "$(sql "SELECT count(*) FROM climb WHERE job = $job_rt")" \
    '... or those of one job'
run hector replay --steps "$job_crowd"
is "$status $(cat "$T/err")" \
    '1 hector: no step for a deadline is recorded of that job' '... if there are any'
done_testing
