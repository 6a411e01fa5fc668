# Priorities and classes that make no sense, that are not allowed, by the master or by
# the kernel: each in words, once; the job runs with what there is. And tasks of others
# get back what they had when the slave is killed.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # tasks' shells expand; words are wanted
. "${0%/*}/../lib/t.sh"
need sqlite3 setpriv

base=$(ps -o ni= -p $$ | tr -d ' ')
wrong()         # DESCRIPTION SENTENCE WORD...: status 2, and one line that begins so
{
    wrong_d=$1 wrong_s=$2
    shift 2
    run "$@"
    is "$status $(wc -l <"$T/err") $(cut -c "1-$((${#wrong_s} + 8))" "$T/err")" \
        "2 1 hector: $wrong_s" "$wrong_d"
}

# ---------------------------------------------------------------- makes no sense
for n in 21 -21 1e3 99999999999999999999 ' ' 0x5 +; do
    wrong "a priority out of range, or none: \"$n\"" \
        "--priority: \"$n\" is no number from -20 to 20" \
        hector-run --priority "$n" touch "$T/ran"
done
for c in urgent REALTIME 'real time'; do
    wrong "no class: \"$c\"" "--class: \"$c\" is none of realtime, normal and idle" \
        hector-run --class "$c" touch "$T/ran"
done
wrong 'no value' '--priority needs a value that is not empty' hector-run --priority '' true
is "$(ls "$T/ran" 2>/dev/null)" '' 'nothing was started'

# -------------------------------------------------------------------- not allowed
start_master
start_slave here
R="hector-run --master $master"
fresh pid
start run $R --priority -3 sh -c 'echo $$ >"$0"; exec sleep 1000' "$T/pid"
wait_for '[ -s "$T/pid" ]'
pid=$(cat "$T/pid")
nice_of() { ps -o cls=,ni= -p "$1" | xargs; }
denied()        # DESCRIPTION SENTENCE WORD...: status not 0, in words
{
    wrong_d=$1 wrong_s=$2
    shift 2
    run "$@"
    is "$([ $status = 0 ] || echo no) $(grep -c "$wrong_s" "$T/err") $(nice_of "$pid")" \
        "no 1 TS $((base + 3))" "$wrong_d"
}
denied 'more than 0' 'priority 20 is more than this master allows: max_priority is 0 in its' \
    hector priority 1 20
denied 'class realtime' 'class realtime is not allowed by this master: realtime is no in' \
    hector priority 1 --class realtime
denied 'a number out of range' 'is no number from -20 to 20' hector priority 1 21
denied 'no class' 'is none of realtime, normal and idle' hector priority 1 --class best
denied 'neither of both' 'a number from -20 to 20 or --class' hector priority 1
denied 'no job' '7: there is no such job' hector priority 7 1
is "$(sql "SELECT count(*) FROM actions")" 0 'nothing of it is recorded as done'
hector kill 1 >&2
wait_for '[ "$(sql "SELECT count(*) FROM jobs WHERE ended_ns IS NULL")" = 0 ]'

# --------------------------------------------- a configuration that makes no sense
for line in 'max_priority = 21' 'max_priority = -21' 'realtime = perhaps'; do
    printf '[master]\nlisten = unix:%s/no.sock\n%s\n' "$T" "$line" >"$T/bad.conf"
    run hector-master -n -f "$T/bad.conf"
    is "$([ $status = 0 ] || echo no) $(grep -c "${line%% *}" "$T/err")" 'no 1' \
        "hector.conf: $line"
done

# ------------------------------------------------- no permission for any class
. "$top/tests/lib/nobody.sh"
if [ "$(id -u)" = 0 ] && nobody_may; then
    HECTOR_DB=$T/nobody/db
    N="$nobody env HOME=$T/nobody HECTOR_DB=$HECTOR_DB prlimit --nice=0 --rtprio=0"
    cd "$T/nobody" || exit 1
    run $N hector-run --class realtime --priority 7 -n 3 --oversubscribe sh -c \
        'ps -o cls=,ni= -p $$'
    is "$status $(sort -u "$T/out" | xargs) $(sql "SELECT DISTINCT applied FROM tasks")" \
        "0 TS $base no" 'without any right a job runs as all do'
    is "$(wc -l <"$T/err") $(grep -c '^hector: node .*: class realtime is not given' \
        "$T/err")" '1 1' '... which is said once'
    run $N hector-run --class idle --priority -2 sh -c 'ps -o cls=,ni= -p $$'
    is "$status $(xargs <"$T/out") $(wc -l <"$T/err")" "0 IDL - 0" \
        '... and may be less than that'
    cd "$top" || exit 1
    HECTOR_DB=$T/hector.db
else
    skip 'no permission for any class' 'not root, or the build is in a closed folder'
fi

# ------------------------------------------------------------ tasks of others
if command -v mpirun >/dev/null; then
    echo none >"$T/order"
    HECTOR_DB=$T/adopted.db
    fresh beat.out
    hector-run --adopt --class idle --priority -4 -- mpirun --oversubscribe -n 2 \
        "$APPS/beat" 20 "$T/order" >"$T/beat.out" 2>"$T/beat.err" </dev/null &
    runner=$!
    job_runs
    wait_for '[ "$(sql "SELECT count(*) FROM tasks WHERE applied = '\''yes'\''")" = 2 ]'
    pids=$(sql 'SELECT pid FROM tasks')
    classes() { for pid in $pids; do ps -o cls= -p "$pid"; done | sort -u | xargs; }
    nices() { for pid in $pids; do awk '{ sub(/.*\) /, ""); print $17 }' "/proc/$pid/stat"
        done | sort -u | xargs; }
    is "$(classes) $(nices)" "IDL $((base + 4))" 'tasks of others get it'
    for pid in $(t_processes); do
        if [ "$(cat "/proc/$pid/comm")" = hector-slave ] && grep -qx hector-slave \
            "/proc/$(awk '/^PPid/ { print $2 }' "/proc/$pid/status")/comm" &&
            tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q -- --private; then
            kill -9 "$pid"
        fi
    done 2>/dev/null
    wait_for '[ "$(classes) $(nices)" = "TS $base" ]'
    is "$(classes) $(nices)" "TS $base" '... and have what they had when the slave is killed'
    echo end >"$T/order"
    wait $runner || :
    like "$T/beat.out" 'rounds are over' '... and go on'
else
    skip 'tasks of others' 'there is no mpirun'
fi
done_testing
