# What is given up for a deadline besides all of the time: weight, and processors, both
# given back as they were; a person has the last word; --max-suspend; a slave is killed.
# limit: 160
# busy
# shellcheck disable=SC2016,SC2020,SC2086,SC2119,SC2154 # words; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
need sqlite3 taskset setpriv
. "$top/tests/lib/ladder.sh"

start_master
cpus=$(taskset -cp $$ | sed 's/.*: *//' | tr ',-' '\n\n' | head -n 2 | paste -sd ,)
done_step()     # KIND
{
    kind=$1
    wait_for '[ "$(steps "job = $job_rt AND done_ns NOT NULL AND
        kind = '\''$kind'\''")" -ge 1 ]'
}
pids() { sql "SELECT pid FROM tasks WHERE job = $job_crowd"; }
of_all()        # COMMAND...: of each process of the crowd, each answer once
{
    for p in $(pids); do "$@" "$p" | sed 's/.*: *//' | xargs; done | sort -u | xargs
}
nice_of() { ps -o ni= -p "$1"; }

# It is late all the time, and soft: nothing is undone before its end, and who may not
# be suspended is not.
lasting()
{
    begin rt 100 0 -n 2 --policy deadline --deadline 'in..out<=100ms' --on-deadline act
}

# ------------------------------------------------------------------ processors
case $cpus in
*,*)
    slave two "$cpus" $drop
    two=$started
    crowd --max-suspend 0 --migratable --checkpoint-dir "$T/saved"
    had=$(of_all taskset -cp)
    wrap="taskset -c $first"
    lasting
    done_step aside
    is "$(of_all taskset -cp)" "${cpus#*,}" \
        'a less important job is kept off the processor of the real-time tasks'
    is "$(held "$job_crowd")" 0 '... and not suspended'
    run hector checkpoint "$job_crowd"
    were=$(pids)
    kill -9 "$(echo "$were" | head -n 1)"
    wait_for '[ "$(sql "SELECT count(*) FROM tasks WHERE job = $job_crowd AND
        state = '\''connected'\'' AND pid > 0")" = 4 ] && [ "$(pids)" != "$were" ]'
    wait_for '[ "$(of_all taskset -cp)" = "${cpus#*,}" ]'
    is "$status $(of_all taskset -cp)" "0 ${cpus#*,}" \
        '... nor are those that are made again of images of this time on it'
    ends rt
    is "$ended" '0 rounds are over' '... which end well'
    wait_for '[ "$(steps "state = '\''undone'\'' AND kind = '\''aside'\''")" -ge 1 ] &&
        [ "$(of_all taskset -cp)" = "$had" ]'
    is "$(of_all taskset -cp)" "$had" '... and then it has again what it had'
    lasting
    done_step aside
    slave other "$cpus" $drop
    other=$started
    wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE node = '\''other'\'' AND
        state = '\''up'\''")" = 1 ]'
    run hector migrate "$job_crowd" other
    is "$status $(of_all taskset -cp)" "0 $had" \
        'moved to another node meanwhile it has all that there is'
    ends rt
    ends crowd
    is "$ended" '0 rounds are over' '... to its end'
    wrap=
    kill "$two" "$other"
    wait "$two" "$other" 2>/dev/null
    ;;
*) skip 'processors' 'there is one' ;;
esac

# ------------------------------------------------------------------------ weight
slave one "$first"
one=$started
crowd --max-suspend 0
had=$(of_all nice_of)
lasting
if [ "$(id -u)" = 0 ] && nice -n -1 true 2>/dev/null; then
    done_step calm
    is "$(of_all nice_of) $(held "$job_crowd")" '19 0' \
        'a less important job gets the least weight'
    ends rt
    wait_for '[ "$(steps "job = $job_rt AND state = '\''undone'\''")" -ge 1 ] &&
        [ "$(of_all nice_of)" = "$had" ]'
    is "$(of_all nice_of)" "$had" '... and has its own when it is over'
else
    skip 'weight' 'this user could not give it back'
    ends rt
fi
kill "$one"
wait "$one" 2>/dev/null
wait "$pid_crowd" 2>/dev/null

# ------------------------------------------------------- the person, and patience
slave here "$first" $drop
crowd
late
stands
went()          # how often tasks of the crowd have gone on: it is suspended again soon
{
    sql "SELECT count(*) FROM transition WHERE job = $job_crowd AND
        machine LIKE 'hold %' AND state_to = 'going'"
}
had=$(went)
run hector resume "$job_crowd"
ok 'a person resumes it: it goes on' wait_for '[ "$(went)" -ge $((had + 4)) ]'
is "$(steps "job = $job_rt AND result = 'a person has resumed it'")" 1 '... and the step is over'
stands
run hector suspend "$job_crowd"
wait_for '[ "$(steps "result = '\''a person has suspended it'\''")" -ge 1 ]'
ends rt
wait_for '[ "$(steps "state NOT IN ('\''undone'\'', '\''failed'\'')")" = 0 ]'
is "$(held "$job_crowd")" 4 'what a person has suspended stays so when the job ends'
hector resume "$job_crowd" >/dev/null
ends crowd
is "$ended" '0 rounds are over' '... until he resumes it'

crowd --max-suspend 0
lasting
wait_for 'grep -q "nothing is done about it" "$T/rt.err"'
is "$(steps "target = $job_crowd")" 0 '--max-suspend 0: it is not suspended'
ends crowd
ends rt
crowd --max-suspend 10
lasting
stands
most='suspended for the deadline .*, for [12] s at most now \(--max-suspend 10\)'
wait_for 'grep -Eq -- "$most" "$T/crowd.err"'
like "$T/crowd.err" "$most" '--max-suspend 10: two seconds of 20, which is said'
wait_for '[ "$(steps "target = $job_crowd AND result LIKE '\''it has stood for as long%'\''")" \
    -ge 1 ]'
ok '... and then it goes on, though the deadline is missed' goes_on
ends rt
ends crowd
is "$ended" '0 rounds are over' '... to its end'

# --------------------------------------------------------------- a slave is killed
slave there "$first"
there=$started
wait_for 'grep -q "node there joined" "$T/master.log"'
crowd -H here:4
late -H here:1,there:1
stands
kill -9 "$(pgrep -P "$there" -x hector-slave)"
ok 'a slave of the real-time job is killed: the other goes on' goes_on
wait "$pid_rt"
wait_for '[ "$(steps "state NOT IN ('\''undone'\'', '\''failed'\'')")" = 0 ]'
is "$(steps "state NOT IN ('undone', 'failed')")" 0 '... and nothing is given up any more'
ends crowd
is "$ended" '0 rounds are over' '... and it ends well'

done_testing
