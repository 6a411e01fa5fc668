# A step for a deadline moves tasks, the master is killed, and no other one comes: tasks
# that only stand go on, and so do those that have dropped their MPI library, as long as
# all of them are on one node. Another master is told so.
# limit: 120
# busy
# shellcheck disable=SC2016,SC2086,SC2119,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 2
need sqlite3 taskset setpriv cc
. "$top/tests/lib/ladder.sh"
. "$top/tests/lib/ladder_moves.sh"

# Within the 5 s that are promised; half a minute is what a master may be silent for. The
# slave says that it has let them.
let_go() { grep -c 'move: the master is away: .* go on job=' "$T/slave-n1.log"; }
gone_on=0
alone()         # JOB DESCRIPTION
{
    job=$1 c_were=
    since=$(date +%s%N)
    wait_only '[ "$(let_go)" -gt $gone_on ]' 20
    wait_only 'computes $job' 20
    ok "$2" [ "$(let_go)" -gt $gone_on ]
    gone_on=$(let_go)
    ok '... and compute' computes "$job"
    echo "# $((($(date +%s%N) - since) / 1000000)) ms until it had computed for 0.1 s" >&2
}
stops_at()      # STATE: of the move of the less important tasks
{
    until_row "transition move $1"
    killed "the master is killed when the move of less important tasks is $1"
    alone "$job_crowd" '... without another one they go on'
}
# All have dropped it.
apart()         # JOB
{
    for p in $(pids "$1"); do
        ! grep -q 'libopen-pal' "/proc/$p/maps" || return 1
    done
}
over()          # DESCRIPTION
{
    kill -9 "$pid_rt" 2>/dev/null
    wait "$pid_rt" 2>/dev/null
    wait_for '[ "$(open_steps)" = 0 ]'
    is "$(open_steps) $(held "$job_crowd")" '0 0' "$1"
}

leaves
until_row 'rung leave doing'
urgent
killed 'the master is killed when less important tasks are to leave'
goes_on_again "$job_crowd" '... without another one they go on'
for at_state in quiet drained apart; do
    stops_at $at_state
done

# The slave of where they come stands, so that they stay apart.
pgrep -P "$second" -x hector-slave >"$T/stopped"
KILL_SIGNAL=19
export KILL_SIGNAL
until_row 'transition move apart' "$T/stopped"
unset KILL_SIGNAL
wait_for 'apart $job_crowd'
ok 'they have dropped their MPI libraries, and come nowhere' apart "$job_crowd"
kill -9 "$master_pid"
wait "$master_pid" 2>/dev/null
master_pid=
alone "$job_crowd" 'the master is killed: they join each other again, and go on'
xargs kill -CONT <"$T/stopped"
next_master
wait_for '[ "$(up)" = 2 ]'
over 'with another one nothing is given up when the real-time tasks are over'
# The step may have been done once more meanwhile.
where() { sql "SELECT DISTINCT node FROM tasks WHERE job = $job_crowd" | xargs; }
moves() { [ "$(where)" = n2 ] || hector migrate "$job_crowd.0-1" n2 >&2; }
ok 'they are as movable as before' wait_for moves
is "$(where)" n2 '... and are moved'
ends crowd
is "$ended" '0 rounds are over' '... to their end, and well'

# ------------------------------------------- real-time tasks, to free processors
crowds
until_row 'transition move drained'
hurried
killed 'the master is killed when the move of the real-time tasks is drained'
alone "$job_rt" '... without another one they go on'
until_row 'transition move apart'
killed 'the master is killed when it is apart'
alone "$job_rt" '... without another one they go on'
next_master
ends rt
is "$ended" '0 rounds are over' '... to their end, and well'
ends crowd
is "$ended" '0 rounds are over' '... and the others end well, too'
done_testing
