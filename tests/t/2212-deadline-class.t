# Class realtime where something comes round in a job: SCHED_DEADLINE, as the kernel has
# it, with what the tasks need; why not, in words; all of it undone. And processors
# of that class are kept from others.
# limit: 80
# shellcheck disable=SC2015,SC2016,SC2086,SC2154 # tasks' shells expand; t.sh's; words
. "${0%/*}/../lib/t.sh"
need sqlite3 taskset chrt
[ "$(nproc)" -gt 1 ] && chrt -d --sched-runtime 1000000 --sched-deadline 20000000 \
    --sched-period 20000000 0 true 2>/dev/null || skip_all 'no SCHED_DEADLINE here'

all=$(taskset -cp $$ | sed 's/.*: *//')
start_master
printf 'max_priority = 5\nrealtime = yes\n' >>"$T/master.conf"
kill "$master_pid"
wait "$master_pid" 2>/dev/null || :
launch_master again
start_slave here
R="hector-run --master $master --oversubscribe --policy none --policy deadline"

begin()         # CYCLES NEED OPTION...: tact, in the background; its job is $job
{
    fresh "$1.out" "$1.err"
    of=$1 need=$2
    shift 2
    # shellcheck disable=SC2086 # words
    $R "$@" --deadline 'cycle/20ms' "$APPS/tact" "$of" 20 "$need" 1 >"$T/$of.out" \
        2>"$T/$of.err" </dev/null &
    runner=$!
    job_runs
}
shares()        # as the record has them
{
    sql "SELECT DISTINCT class, applied FROM tasks WHERE job = $job" | xargs
}
pids() { sql "SELECT pid FROM tasks WHERE job = $job AND pid IS NOT NULL"; }
kernel()        # classes of the tasks' first threads, as the kernel has them
{
    for pid in $(pids); do ps -o cls= -p "$pid"; done | sort -u | xargs
}
where()         # PID: processors that its first thread may use
{
    taskset -cp "$1" | sed 's/.*: *//'
}

begin 100000 10 -n 3 --class realtime --priority -2
wait_for '[ "$(shares)" = "deadline|yes" ]'
is "$(shares) $(kernel)" 'deadline|yes DLN' 'tasks get so much of each period'
chrt -p "$(pids | head -n 1)" >"$T/chrt"
is "$(sed -n 's/.*period parameters: [0-9]*//p' "$T/chrt")" /20000000/20000000 \
    '... which is that of the calendar'
ok '... as much as they need, and some more' awk -F '[:/ ]+' '/period parameters/ {
    n = $(NF - 2); found = n >= 500000 && n < 15000000 } END { exit !found }' "$T/chrt"
is "$(grep -c "^hector: node here: class realtime is not given to 3 tasks: .*; the tasks \
have nice -*[0-9]* until it is known what they need in each 20 ms$" "$T/100000.err")" 1 \
    'until then they have what they can, which is said'
run hector ps "$job"
like "$T/out" ' deadline .*yes' '... and hector ps shows it'
run hector priority "$job" --class normal
wait_for '[ "$(kernel)" = TS ]'
is "$status $(kernel) $(where "$(pids | tail -n 1)")" "0 TS $all" \
    'it is undone with the class'
run hector priority "$job" --class realtime
wait_for '[ "$(kernel)" = DLN ]'
is "$status $(kernel)" '0 DLN' '... and comes back with it'
$R -n 2 --class realtime --deadline cycle/20ms "$APPS/tact" 100000 20 10 2 >"$T/second" 2>&1 &
second=$!
seconds() { sql "SELECT DISTINCT class FROM tasks WHERE job = $((job + 1))" | xargs; }
wait_for '[ "$(seconds)" = deadline ]'
is "$(seconds) $(kernel)" 'deadline DLN' 'a second job gets some, too, beside it'
hector kill "$((job + 1))" >&2
wait $second
is "$?" 143 '... until it is ended'
hector kill "$job" >&2
wait $runner

# Why not.
cycles() { sql "SELECT count(*) FROM deadlines WHERE job = $job"; }
said() { grep -c "^hector: node here: SCHED_DEADLINE is not given$1$" "$T/100000.err"; }
until_said()    # WORDS: and what comes in fifty cycles more
{
    wait_for '[ "$(said "$no")" -ge 1 ]'
    had=$(cycles)
    wait_for '[ "$(cycles)" -ge $((had + 50)) ]'
    hector kill "$job" >&2
    wait $runner
}
begin 100000 96 -n 1 --class realtime
no=': tasks compute for .* ms in each 20 ms'
until_said
is "$(shares) $(said "$no")" 'realtime|yes 1' \
    'who computes all the time has SCHED_RR, which is said once'
begin 100000 10 -n 1 --class realtime --migratable
no=' to tasks that can be moved (--migratable)'
until_said
is "$(shares) $(said "$no")" 'realtime|yes 1' '... so does who can be moved'

# ------------------------------------------------------------ processors kept apart
slave=$(pgrep -P "$slave_pid" hector-slave)
fresh spin low
start run-spin $R -n 1 --class realtime sh -c 'echo $$ >"$0"; while :; do :; done' \
    "$T/spin"
wait_for '[ -s "$T/spin" ]'
own=$(where "$(cat "$T/spin")")
start run-low $R -n 1 sh -c 'echo $$ >"$0"; exec sleep 1000' "$T/low"
wait_for '[ -s "$T/low" ]'
is "$(echo "$own" | grep -c '[-,]')" 0 'a task of class realtime has one processor'
apart() { [ "$(taskset -c "$(where "$1")" taskset -c "$own" sh -c 'echo in' 2>&1)" = in ] &&
    ! echo ",$(where "$1")," | grep -q ",$own,"; }
ok '... on which this slave is not' apart "$slave"
ok '... nor what it starts' apart "$(cat "$T/low")"
before=$(date +%s%N)
run hector stack "$(sql "SELECT max(job) FROM jobs WHERE class = 'realtime'" 2>/dev/null ||
    sql "SELECT min(job) FROM jobs WHERE ended_ns IS NULL")"
echo "# a stack took $((($(date +%s%N) - before) / 1000000)) ms" >&2
is "$status" 0 '... so it answers'
kill "$(cat "$T/spin")"
wait_for '[ "$(where $slave) $(where "$(cat "$T/low")")" = "$all $all" ]'
is "$(where "$slave") $(where "$(cat "$T/low")")" "$all $all" 'afterwards all is as it was'
kill "$(cat "$T/low")"
wait_for '[ "$(sql "SELECT count(*) FROM jobs WHERE ended_ns IS NULL")" = 0 ]'

# ------------------------------------------------------------- an ordinary user
. "$top/tests/lib/nobody.sh"
if [ "$(id -u)" = 0 ] && nobody_may; then
    HECTOR_DB=$T/nobody/db
    cd "$T/nobody" || exit 1
    theirs="$nobody env HOME=$T/nobody HECTOR_DB=$HECTOR_DB"
    fresh err
    $theirs prlimit --nice=0 --rtprio=0 \
        hector-run -n 1 --class realtime --policy deadline --deadline 'cycle/20ms' \
        "$APPS/tact" 100000 20 10 1 >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    want='this user may not have it, or not all of its processors; class realtime is not'
    why="SCHED_DEADLINE: $want given: the kernel does not let this user have it (ulimit -r)"
    wait_for 'grep -q "$why$" "$T/err"'
    $theirs hector kill 1 >&2
    status=0
    wait $runner || status=$?
    is "$status $(sql 'SELECT class, applied FROM tasks') $(grep -c "$why$" "$T/err")" \
        '143 normal|no 1' 'an ordinary user has no class, and is told why'
    cd "$top" || exit 1
else
    skip 'an ordinary user' 'not root, or the build is in a closed folder'
fi
done_testing
