# --on-deadline act where what is in the way is no job of Hector: its tasks get the most
# weight that their user may have, and have again what they had when the margin is good,
# when it ends, or when the master is killed.
# limit: 120
# busy
# shellcheck disable=SC2016,SC2086,SC2119,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3 taskset
if [ "$(id -u)" != 0 ] || ! nice -n -18 true 2>/dev/null; then
    skip_all 'nobody here may have more weight than usual'
fi
. "$top/tests/lib/ladder.sh"

start_master
kill "$master_pid"
wait "$master_pid" 2>/dev/null
echo 'max_priority = 12' >>"$T/master.conf"
launch_master again
# Before what else runs on this machine, and so is what it has to be protected from.
ahead='nice -n -6' usual=-6 most=-18
# Others of its kind are on the first one.
last=$(taskset -cp $$ | sed 's/.*[^0-9]\([0-9]*\)$/\1/')
slave here "$last"
nices()                 # of all threads of all its tasks, each once
{
    for p in $(sql "SELECT pid FROM tasks WHERE job = $job_rt"); do
        ps -L -o ni= -p "$p"
    done | xargs -n 1 | sort -u | xargs
}
hogs=
burn()
{
    for _ in 1 2 3 4; do
        $ahead taskset -c "$last" sh -c 'while :; do :; done' &
        hogs="$hogs $!"
    done
}
burn_no_more()
{
    # shellcheck disable=SC2086 # several
    kill $hogs
    hogs=
}

rt
burn
wait_for '[ "$(steps "state = '\''done'\''")" -ge 1 ]'
is "$(steps "kind <> 'raise' OR target <> job OR gain <= 0")" 0 \
    'beside what is no job its tasks get more weight, and nothing else is done'
wait_for 'grep -q "given the most weight" "$T/rt.err"'
like "$T/rt.err" "^hector: deadline in\.\.out<=400ms: tasks of job $job_rt are given the \
most weight: margin -?[0-9]+ %, 20 % wanted; its own tasks: -?[0-9]+ % expected" \
    '... which is said'
# What else this machine does may leave it late all the same, which is said afterwards.
is "$(grep -oE 'given the most weight|nothing is done' "$T/rt.err" | head -n 1)" \
    'given the most weight' '... not that nothing can be before it is known how they fare'
run hector why "$job_rt"
like "$T/out" "for in..out<=400ms: job $job_rt given the most weight: margin" \
    '... and hector why says it'
burn_no_more
wait_for '[ "$(steps "undone_ns NOT NULL")" -ge 1 ]'
ok '... until the margin is good again' test "$(steps "undone_ns NOT NULL AND
    result = 'the margin is good again' AND brought > margin")" -ge 1
ends rt
is "$ended" '0 rounds are over' '... and it ends well'

burn
late
wait_for '[ "$(steps "job = $job_rt AND state = '\''done'\''")" -ge 1 ]'
is "$(nices)" "$most" 'all their threads have it, as max_priority says'
kill -9 "$master_pid"
wait "$master_pid" 2>/dev/null
ok 'the master is killed: they have again what they had' \
    wait_for '[ "$(nices)" = "$usual" ]'
burn_no_more
launch_master third
wait_for 'running rt'
ends rt
is "$ended" '0 rounds are over' '... and it ends well'
wait_for '[ "$(steps "state NOT IN ('\''undone'\'', '\''failed'\'')")" = 0 ]'
is "$(steps "state NOT IN ('undone', 'failed')")" 0 'nothing stays'

done_testing
