# hector suspend, resume and kill: of jobs and of tasks, twice, across a kill -9
# of master and slave; what is recorded, what hector ps shows; Ctrl-Z is the
# same.
# limit: 60
# shellcheck disable=SC2086,SC2154 # $R is several words
. "${0%/*}/../lib/t.sh"

# A task that counts, and a child of it in the same group. Who has called vfork() is not
# stopped before his child has called exec(), which a child that is stopped never does:
# so it is a shell that calls fork().
cat >count.sh <<'END'
(while :; do echo x >>"$T/child.$HECTOR_RANK"; sleep 0.02; done) &
while [ ! -e "$T/go" ]; do echo x >>"$T/task.$HECTOR_RANK"; sleep 0.02; done
END
hold() { sql "SELECT group_concat(hold, ' ') FROM
    (SELECT hold FROM tasks WHERE job = $job ORDER BY rank)"; }
is_held() { [ "$(hold)" = "$1" ]; }
size() { cat "$T/child.$1" "$T/task.$1" 2>/dev/null | wc -l; }
moves()         # RANK: it does something
{
    moved=$(size "$1")
    wait_for "[ \$(size $1) -gt $moved ]"
}
stands()        # RANK: neither the task nor its child does anything
{
    stood=$(size "$1")
    sleep 0.3           # fifteen turns of its loops
    [ "$(size "$1")" = "$stood" ]
}
running() { [ "$(sql "SELECT state FROM jobs WHERE job = $job")" = running ]; }
job=0
begin()
{
    job=$((job + 1))
    rm -f "$T/go" "$T"/child.* "$T"/task.*
    "$@" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    wait_for running
    moves 0
    moves 1
}
end() { status=0; wait $runner || status=$?; }

start_master
sed -i 's/^join_wait.*/join_wait = 60s/' "$T/master.conf"       # of the next ones
start_slave n1
start_slave n2
wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 2 ]'
R="hector-run --master $master -H n1,n2 -n 2 bash $T/count.sh"

begin $R
from=$(date +%s)
run hector suspend $job.1
is "$status $(out)" "0 $job.1: 1 task is being suspended" 'suspend one task'
ok '... it is' wait_for 'is_held "going suspended"'
ok '... with its child, and it does nothing' stands 1
ok '... the other one goes on' moves 0
run hector suspend $job
is "$(out)" "$job: 1 task is being suspended" 'suspend the rest'
wait_for 'is_held "suspended suspended"'
ok '... it stands' stands 0
run hector suspend $job
is "$status $(out)" "0 $job: suspended already" 'once more: nothing changes'
run hector ps
like "$T/out" "^ *$job bash +suspended " 'hector ps says so of the job'
run hector ps $job
like "$T/out" '^ *1 n2 .* suspended .* ([0-9.]+ m?s|[0-9]+m[0-9]+s) ' \
    '... of the tasks, and how long'
run hector resume -j $job
is "$(out)" "{\"target\":\"$job\",\"ok\":true,\"text\":\"2 tasks are being resumed\"}" \
    'resume, in JSON'
wait_for 'is_held "going going"'
ok '... they go on' moves 0
ok '... with their children' moves 1
run hector resume $job
is "$(out)" "$job: nothing is suspended" 'once more: nothing changes'
is "$(sql "SELECT group_concat(action || ' ' || ranks || ' ' || by || ' ' ||
    replace(replace(result, ', by freezing', ''), ', by signals', ''), ', ')
    FROM actions WHERE job = $job")" \
    'suspend 1 operator done, suspend 0-1 operator done, resume 0-1 operator done' \
    'the view of actions'
is "$(sql "SELECT group_concat(event || ':' || state_to, ' ') FROM transition
    WHERE job = $job AND machine = 'hold 1'")" \
    'suspend:suspending stopped:suspended resume:resuming went:going' \
    'every step is recorded'
ok 'the time suspended is counted' [ "$(sql "SELECT min(held_ns) > 1e7 AND
    max(held_ns) < ($(date +%s) - $from + 1) * 1e9 FROM tasks WHERE job = $job")" = 1 ]

# Whoever asks a task to stop: it is suspended, until somebody lets it go on.
group=$(sql "SELECT pid FROM tasks WHERE job = $job AND rank = 1")
kill -TSTP "-$group"
ok 'TSTP of somebody else: the task is suspended' wait_for 'is_held "going suspended"'
ok '... and does nothing' stands 1
kill -CONT "-$group"
ok '... until CONT' wait_for 'is_held "going going"'
moves 1
kill -TSTP "-$group"
wait_for 'is_held "going suspended"'
hector kill --signal CONT $job >/dev/null
ok '... or hector kill --signal CONT' wait_for 'is_held "going going"'
moves 1
kill -TSTP "-$group"
wait_for 'is_held "going suspended"'
hector resume $job.1 >/dev/null
ok '... or hector resume' wait_for 'is_held "going going"'
moves 1

# The master dies: suspended stays suspended, and an order can follow.
hector suspend $job.0 >/dev/null
wait_for 'is_held "suspended going"'
kill -KILL "$master_pid"
wait "$master_pid" 2>/dev/null
ok 'kill -9 of the master: who stands goes on standing' stands 0
launch_master master-2
again() { hector resume $job.0 >"$T/out" 2>&1; }
wait_for again
ok '... and the next one lets it go on' wait_for 'is_held "going going"'
moves 0
# It dies between the order and the word of it: stop the slave, then order.
inner=$(pgrep -P "$slave_pid" hector-slave)  # the slave proper: its parent is the guard
kill -STOP "$inner"
hector suspend $job.1 >/dev/null
wait_for 'is_held "going suspending"'
kill -KILL "$master_pid"
wait "$master_pid" 2>/dev/null
launch_master master-3
kill -CONT "$inner"
ok 'an order that was under way is given again' \
    wait_for 'is_held "going suspended"'
ok '... and done' stands 1
hector resume $job >/dev/null
wait_for 'is_held "going going"'

# One task is killed: TERM, the rest follows from its end.
hector suspend $job.1 >/dev/null
wait_for 'is_held "going suspended"'
run hector kill $job.1
is "$status" 0 'kill a task that is suspended'
end
is "$status" 143 '... it gets TERM and ends'
is "$(sql "SELECT action, ranks, result FROM actions WHERE job = $job AND
    action = 'kill'")" 'kill|1|done' '... recorded'
run hector suspend $job
is "$status" 1 'a job that has ended cannot be suspended'
like "$T/err" 'it has ended' '... in words'
run hector suspend 1.x
is "$status" 2 'bad target'
run hector resume
is "$status" 2 'no target'

# The slave dies while tasks are suspended: nothing is left, the job fails.
begin $R
hector suspend $job.1 >/dev/null
wait_for 'is_held "going suspended"'
kill -KILL "$(pgrep -P "$slave_pid" hector-slave)"
end
is "$status" 125 'a slave that is killed: the job fails'
wait_for '[ -z "$(t_processes | xargs -r ps -o stat= -p | grep T)" ]'
is "$(sql "SELECT count(*) FROM tasks WHERE job = $job AND state NOT IN
    ('lost', 'killed', 'exited')")" 0 '... and leaves no task standing'

# Ctrl-Z, and fg: the same thing, by the same way.
start_slave n2
wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 2 ]'
begin $R
kill -TSTP $runner
ok 'Ctrl-Z suspends the tasks' wait_for 'is_held "suspended suspended"'
stopped() { grep -q 'State:.T' /proc/$runner/status; }
wait_for stopped
kill -CONT $runner
ok '... fg lets them go on' wait_for 'is_held "going going"'
is "$(sql "SELECT group_concat(action || ' ' || by, ', ') FROM actions
    WHERE job = $job")" 'suspend hector-run, resume hector-run' '... recorded'
touch "$T/go"
end
is "$status" 0 '... to the end'

# The time of the program does not go on meanwhile: neither in MPI nor outside.
job=$((job + 1))
hector-run --master "$master" -H n1,n2 -n 2 "$APPS/hello" --wait-for "$T/end" \
    >"$T/out" 2>"$T/err" </dev/null &
runner=$!
wait_for '[ "$(sql "SELECT min(mpi_calls) > 2 FROM tasks WHERE job = $job")" = 1 ]'
hector suspend $job >/dev/null
wait_for 'is_held "suspended suspended"'
sleep 2                 # is how long it stands
hector resume $job >/dev/null
wait_for 'is_held "going going"'
touch "$T/end"
end
is "$status $(sql "SELECT min(held_ns) > 1.5e9,
    max(in_mpi_ns + out_mpi_ns + held_ns - (ended_ns - started_ns)) <= 0
    FROM tasks JOIN jobs USING (job) WHERE job = $job")" '0 1|1' \
    'the time of a program that is suspended stands still'

# Before anything runs: a host of the job has not joined yet.
job=$((job + 1))
rm -f "$T/go" "$T"/child.* "$T"/task.*
hector-run --master "$master" -H n1,n3 -n 2 bash "$T/count.sh" >"$T/out" \
    2>"$T/err" </dev/null &
runner=$!
wait_for '[ "$(sql "SELECT state FROM jobs WHERE job = $job")" = waiting ]'
run hector suspend $job
is "$status $(out)" "0 $job: 2 tasks are being suspended" 'suspend what does not run yet'
start_slave n3
ok '... it stops when it does' wait_for 'is_held "suspended suspended"'
hector resume $job >/dev/null
ok '... and goes on' wait_for 'is_held "going going"'
touch "$T/go"
end
is "$status" 0 '... to the end'
done_testing
