# While a step for a deadline moves tasks, the master is killed, the slave of the node
# that they come to, or the real-time job dies: less important tasks that leave, and
# real-time tasks that go to where processors are free. Each time all others go on, and
# nothing is left suspended or given up.
# limit: 170
# busy
# shellcheck disable=SC2016,SC2086,SC2119,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
hosts 2
need sqlite3 taskset setpriv cc
. "$top/tests/lib/ladder.sh"
. "$top/tests/lib/ladder_moves.sh"
running()       # NAME: or it has, as it may be killed before that is seen
{
    sql "SELECT 1 FROM transition WHERE job = $(number "$1") AND machine = 'job' AND
        state_to = 'running'" 2>/dev/null | grep -q 1
}

# It is over with the real-time job, whoever ends it.
over()          # DESCRIPTION
{
    kill -9 "$pid_rt" 2>/dev/null
    wait "$pid_rt" 2>/dev/null
    none_open "$1"
}

# A task that is in the file before anybody moves.
printf '#!/bin/sh\necho $$ >>"%s"\nexec "$@"\n' "$T/victims" >"$T/victim"
chmod +x "$T/victim"
# Where nobody is killed but others.
others()        # HOW-THE-CROWD-BEGINS HOW-THE-REAL-TIME-JOB-DOES WHOSE-MOVE
{
    $1
    pgrep -P "$second" -x hector-slave >"$T/victims"
    until_row 'transition move drained' "$T/victims"
    $2
    wait_for '! kill -0 $second 2>/dev/null'
    wait "$second" 2>/dev/null
    wait_for '[ "$(up)" = 1 ]'
    ok "the slave of where $3 come is killed" [ "$(up)" = 1 ]
    goes_on_again "$job_crowd" '... the others go on'
    goes_on_again "$job_rt" '... the real-time tasks go on'
    second
    over '... and when these are over nothing is given up'
    : >"$T/victims"
    until_row 'transition move drained' "$T/victims"
    wrap=$T/victim
    $2
    wrap=
    rt_status=0
    wait "$pid_rt" || rt_status=$?
    is "$rt_status" 137 "the real-time job dies while $3 move"
    goes_on_again "$job_crowd" '... the others go on'
    none_open '... and nothing is given up'
    ends crowd
    is "$ended" '0 rounds are over' '... to their end, and well'
}

# ------------------------------------------------------------ they leave
others leaves urgent 'less important tasks'
leaves
until_row 'rung leave doing'
urgent
killed 'the master is killed when less important tasks were to leave'
for row in 'transition move drained' 'transition move imaged'; do
    until_row "$row"
    killed "it is killed when their move is ${row##* }"
done
next_master
goes_on_again "$job_crowd" '... with the next one they go on'
goes_on_again "$job_rt" '... and so do the real-time tasks'
over '... and nothing is given up when these are over'
ends crowd
is "$ended" '0 rounds are over' '... they end well'

# ------------------------------------------------------- to free processors
others crowds hurried 'real-time tasks'
crowds
until_row 'rung faster doing'
hurried
killed 'the master is killed when real-time tasks were to go to free processors'
for row in 'transition move drained' 'transition move imaged'; do
    until_row "$row"
    killed "it is killed when their move is ${row##* }"
done
next_master
goes_on_again "$job_rt" '... with the next one they go on'
ends rt
is "$ended" '0 rounds are over' '... to their end, and well'
none_open '... and nothing is given up'
ends crowd
is "$ended" '0 rounds are over' '... and the others end well, too'
is "$(sql "SELECT count(*) FROM ladder a JOIN ladder b ON a.job = b.job AND
    a.number < b.number AND a.at_ns >= b.at_ns")" 0 'later steps have higher numbers'
done_testing
