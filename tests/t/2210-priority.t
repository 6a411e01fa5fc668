# hector-run --priority and --class, and hector priority: what tasks get of the
# processors, by root, by an ordinary user, and of a standing master; what is not
# allowed is said.
# limit: 80
# shellcheck disable=SC2016,SC2086,SC2154 # tasks' shells expand; words are wanted
. "${0%/*}/../lib/t.sh"
need sqlite3 taskset setpriv

share='ps -o cls=,ni= -p $$'    # as the kernel has it: "TS 0"
mine() { xargs -n 2 <"$T/out"; }
shares()        # JOB: as the record has them
{
    sql "SELECT class, nice, applied FROM tasks WHERE job = $1 ORDER BY rank" | xargs
}
base=$(ps -o ni= -p $$ | tr -d ' ')

run hector-run --priority -7 -n 1 sh -c "$share" : -n 1 sh -c "sh -c '$share'"
is "$status $(mine | sort -u)" "0 TS $((base + 7))" \
    'tasks of both programs, and what they start, are less important'
is "$(shares 1) $(cat "$T/err")" \
    "normal|$((base + 7))|yes normal|$((base + 7))|yes " '... and it is recorded'
run hector ps 1
like "$T/out" "SUSPENDED CLASS +NICE APPLIED" '... and hector ps has columns for it'
like "$T/out" "- normal +$((base + 7)) yes" '... that say so'
run hector-run sh -c "$share"
is "$(mine) $(shares 2)" "TS $base ||" 'who asks for nothing gets that'
run hector ps 2
is "$(grep -c CLASS "$T/out")" 0 '... and no columns'
run hector-run --class idle sh -c "$share"
is "$(mine) $(shares 3)" "IDL - idle|$base|yes" 'class idle is SCHED_IDLE'
is "$(for n in 21 -21 2.5 x; do hector-run --priority "$n" true 2>&1; echo $?; done)" \
    "$(for n in 21 -21 2.5 x; do
        echo "hector: --priority: \"$n\" is no number from -20 to 20"; echo 2; done)" \
    'what is no priority is refused in words'

# ------------------------------------------------------------------------ realtime
cpus=$(nproc)
if [ "$cpus" -gt 1 ] && chrt --rr 1 true 2>/dev/null &&
    [ "$(cat /proc/sys/kernel/sched_rt_runtime_us)" -gt 0 ]; then
    kept=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    run hector-run --class realtime --priority 4 sh -c \
        'ps -o cls=,rtprio= -p $$; sh -c "taskset -cp \$\$"'
    is "$(head -n 1 "$T/out" | xargs) $(shares 4) $(cat "$T/err")" \
        "RR 5 realtime|$base|yes " 'class realtime'
    is "$(sed -n 's/.*: */,/p' "$T/out" | grep -cE ",$kept(\$|[,-])")" 0 \
        '... leaves a processor to others'
    run hector-run --class realtime --priority -2 --oversubscribe -n "$cpus" \
        sh -c "$share"
    is "$status $(mine | sort -u)" "0 TS $((base + 2))" \
        '... is not given where none would be left'
    is "$(grep -c "^hector: node .*: class realtime is not given to $cpus tasks: of \
$cpus processors one is kept, and 0 are taken; the tasks have nice $((base + 2))$" \
        "$T/err") $(wc -l <"$T/err")" '1 1' '... which is said once'
    run taskset -c "$kept" hector-run --class realtime sh -c "$share"
    is "$status $(mine)" "0 TS $base" '... nor where there is one processor'
    like "$T/err" 'not given where one processor is all there is' '... which is said'
else
    skip 'class realtime' 'there is one processor, or no right to have it'
fi

# ------------------------------------------------------- a standing master, changes
# One processor for all: what one job uses there another does not get.
allowed()       # LINES: of its configuration
{
    printf '%b' "$1" >>"$T/master.conf"
    kill -9 "$master_pid"
    wait "$master_pid" 2>/dev/null || :
    launch_master again
}
start_master
first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
start slave-here taskset -c "$first" hector-slave -d --master "$master" --name here
R="hector-run --master $master"
refused()       # DESCRIPTION SENTENCE OPTION...
{
    said_d=$1 said_s=$2
    shift 2
    run $R "$@" true
    is "$status $(grep -c "^hector: $said_s" "$T/err")" '2 1' "$said_d"
}
refused 'a standing master does not allow more than 0' \
    'priority 1 is more than this master allows: max_priority is 0 in its ' --priority 1
refused '... nor class realtime' 'class realtime is not allowed by this master: ' \
    --class realtime

# Computes, and says how far it is by a line of /proc.
spin='echo $$ >"$0"; while :; do :; done'
spins()         # NAME OPTION...: in the background; its pid in $T/NAME
{
    fresh "$1"
    spun=$1
    shift
    start "run-$spun" $R "$@" sh -c "$spin" "$T/$spun"
    wait_for "[ -s '$T/$spun' ]"
}
ticks()         # NAME: that it has had of the processor
{
    read -r stat <"/proc/$(cat "$T/$1")/stat"
    set -- ${stat##*) }
    echo $((${12} + ${13}))
}
has()           # NAME
{
    ps -o cls=,ni= -p "$(cat "$T/$1")" | xargs
}
# While the first has computed for a second, more than twice as long as the other?
more()          # NAME NAME
{
    had_a=$(ticks "$1") had_b=$(ticks "$2")
    wait_for "[ \$(ticks $1) -ge $((had_a + 100)) ]"
    had_a=$(($(ticks "$1") - had_a)) had_b=$(($(ticks "$2") - had_b))
    echo "# $1 has had $had_a ticks, $2 $had_b" >&2
    [ "$had_a" -gt $((2 * had_b)) ]
}
spins low --priority -20
low=$(sql 'SELECT max(job) FROM jobs')
spins high
high=$(sql 'SELECT max(job) FROM jobs')
is "$(has low) $(has high)" "TS 19 TS $base" 'jobs of two priorities on one processor'
ok '... of which the more important one gets much more' more high low
run hector priority "$low" 0
is "$status $(has low)" "0 TS $base" 'the other one gets more'
if more high low; then fail '... and then as much'; else pass '... and then as much'; fi
wait_for '[ "$(shares $low)" = "normal|$base|yes" ]'
is "$(shares "$low")" "normal|$base|yes" '... and that is recorded'
wait_for '[ "$(sql "SELECT count(*) FROM actions WHERE action = '\''priority'\'' AND
    result = '\''done'\''")" = 1 ]'
is "$(sql "SELECT job, action, by, result, why LIKE 'hector priority by %' FROM actions
    WHERE action = 'priority'")" "$low|priority|operator|done|1" '... as is who did it'
run hector priority "$low" 3
is "$status $(grep -c 'priority 3 is more than this master allows' "$T/err")" '1 1' \
    'more than 0 is not allowed while it runs either'
run hector priority "$low.0" -3
is "$status $(grep -c 'of a whole JOB' "$T/err")" '2 1' '... nor for some tasks'
run hector priority "$high" -5 --class idle
is "$status $(has high)" '0 IDL -' 'number and class change while it runs'
allowed 'max_priority = 5\nrealtime = yes\n'
wait_for 'hector priority "$high" 2 --class normal'
wait_for '[ "$(has high)" = "TS $((base - 2))" ]'
is "$(has high)" "TS $((base - 2))" 'a master that allows it is obeyed, of a job before it'
kill -9 "$master_pid"
wait "$master_pid" 2>/dev/null || :
launch_master third
wait_for 'hector priority "$high" --class idle'
wait_for '[ "$(shares "$high")" = "idle|$((base - 2))|yes" ]'
is "$(shares "$high") $(ps -o cls= -p "$(cat "$T/high")")" "idle|$((base - 2))|yes IDL" \
    '... and the next one knows what it was'
hector kill "$low" "$high" >&2
wait_for '[ "$(sql "SELECT count(*) FROM jobs WHERE ended_ns IS NULL")" = 0 ]'

# --------------------------------------------------------------- adopted tasks
if command -v mpirun >/dev/null; then
    HECTOR_DB=$T/adopted.db
    run hector-run --adopt --priority -4 -- mpirun -n 2 "$APPS/hello"
    is "$status $(shares 1)" "0 normal|$((base + 4))|yes normal|$((base + 4))|yes" \
        'tasks that others start get it when they register'
else
    skip 'adopted tasks' 'there is no mpirun'
fi

# ------------------------------------------------------------- an ordinary user
. "$top/tests/lib/nobody.sh"
if [ "$(id -u)" = 0 ] && nobody_may; then
    HECTOR_DB=$T/nobody/db
    N="$nobody env HOME=$T/nobody HECTOR_DB=$HECTOR_DB prlimit --nice=0 --rtprio=0"
    N="$N hector-run"
    cd "$T/nobody" || exit 1
    run $N --priority -5 sh -c "$share"
    is "$(mine) $(shares 1) $(cat "$T/err")" \
        "TS $((base + 5)) normal|$((base + 5))|yes " 'an ordinary user may be modest'
    run $N -n 2 --oversubscribe --priority 5 sh -c "$share"
    is "$status $(mine | sort -u) $(shares 2)" \
        "0 TS $base normal|$base|no normal|$base|no" '... and nothing else'
    is "$(grep -c "^hector: node .*: priority 5 would be nice $((base - 5)), and the \
kernel lets this user have no less than $base (ulimit -e)" "$T/err") $(wc -l <"$T/err")" \
        '1 1' '... which is said once'
    run $N --class realtime sh -c "$share"
    is "$status $(mine) $(wc -l <"$T/err")" "0 TS $base 1" '... nor class realtime'
    cd "$top" || exit 1
else
    skip 'an ordinary user' 'not root, or the build is in a closed folder'
fi
done_testing
