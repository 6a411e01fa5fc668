# ladder_moves.sh - for tests of steps that move tasks: two hosts of one processor that
# counts, and masters that are killed right after a row was stored. Sourced behind
# ladder.sh; needs hosts 2.
# shellcheck shell=sh disable=SC2016,SC2034,SC2086,SC2119,SC2154 # words; t.sh's

mount --bind /proc/stat /proc/stat 2>/dev/null || skip_all 'no mounts over /proc here'
cc -shared -fPIC -o "$T/killer.so" "$top/tests/lib/store_killer.c" -ldl 2>"$T/cc" ||
    skip_all "no header of SQLite: $(head -n 1 "$T/cc")"

# Of processors the slaves see what nobody else uses; n1 has one.
HECTOR_KEY_FILE=$T/key
export HECTOR_KEY_FILE
at=tcp:10.66.0.254:7119
grep -v '^cpu  ' /proc/stat >"$T/rest"
{ echo 'cpu  1000 0 1000 100000 0 0 0 0 0 0'; cat "$T/rest"; } >"$T/stat"
host()          # NAME COMMAND...: its slave
{
    h_name=$1
    shift
    start "slave-$h_name" sh "$AGENT" "$h_name" "$@" hector-slave -d -v --master "$at" \
        --name "$h_name"
}
second() { host n2 $ahead $drop; second=$started; }
up() { sql "SELECT count(*) FROM nodes WHERE state = 'up'"; }
start_master "$at"
for h in n1 n2; do
    on $h mount --bind "$T/stat" /proc/stat || exit 1
done
host n1 $ahead taskset -c "$first" $drop
second
wait_for '[ "$(up)" = 2 ]'

# The next master, until a row of that table has these texts; then it is killed itself, or
# the processes in the file.
masters=0
until_row()     # TABLE TEXTS [FILE]
{
    [ -z "$master_pid" ] || { kill -9 "$master_pid"; wait "$master_pid" 2>/dev/null; }
    masters=$((masters + 1))
    log=$T/master-$masters.log
    start "master-$masters" env LD_PRELOAD="$T/killer.so" KILL_AT="$1" \
        KILL_PIDS="${2-}" hector-master -d -v -f "$T/master.conf"
    master_pid=$started
    wait_for 'grep -q "listening on" "$log"'
    wait_for '[ "$(up)" = 2 ]'
}
killed()        # DESCRIPTION
{
    wait_for '! kill -0 $master_pid 2>/dev/null'
    status=0
    wait "$master_pid" || status=$?
    is "$status" 137 "$1"
    master_pid=
}
pids() { sql "SELECT pid FROM tasks WHERE job = $1 AND pid IS NOT NULL" 2>/dev/null; }
ticks()         # PID...: that they have computed
{
    n=0
    for p in "$@"; do
        read -r t <"/proc/$p/stat" && set -- ${t##*) } && n=$((n + ${12} + ${13}))
    done 2>/dev/null
    echo $n
}
# Its processes are those of before, and have computed for 0.1 s since.
computes()      # JOB
{
    c_pids=$(pids "$1" | xargs)
    c_now=$(ticks $c_pids)
    if [ "$c_pids" != "$c_were" ]; then
        c_were=$c_pids
        c_had=$c_now
    fi
    [ "$c_now" -ge $((c_had + 10)) ]
}
goes_on_again() # JOB DESCRIPTION
{
    job=$1 c_were=
    since=$(date +%s%N)
    wait_for 'computes $job'
    ok "$2" computes "$job"
    echo "# $((($(date +%s%N) - since) / 1000000)) ms until it had computed for 0.1 s" >&2
}
open_steps() { steps "state NOT IN ('undone', 'failed')"; }
none_open()     # DESCRIPTION
{
    wait_for '[ "$(open_steps)" = 0 ]'
    is "$(open_steps) $(held "$job_crowd")" '0 0' "$1"
}
# Only a live master has the steps of one before taken back.
next_master()
{
    masters=$((masters + 1))
    launch_master "master-$masters"
}
leaves() { begin crowd 0 20 -n 2 --priority -1 -H n1:4 --migratable --max-suspend 0; }
urgent() { begin rt 100 0 -n 2 -H n1:4 --policy deadline --deadline 'in..out<=100ms' \
    --on-deadline act; }

hurried() { begin rt 100 0 -n 2 -H n1:4 --migratable --policy deadline \
    --deadline 'in..out<=210ms' --on-deadline act; }
crowds() { begin crowd 0 20 -n 4 -H n1:4; }     # as important
