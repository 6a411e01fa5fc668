# An optimizer is asked when something has changed, not only now and then: a job goes, a
# node joins, and tasks move to where there is room then, long before the next period.
# limit: 120
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3 taskset
mount --bind /proc/stat /proc/stat 2>/dev/null || skip_all 'no mounts over /proc here'

# Nodes of one processor, of which the slaves see what nobody else uses.
HECTOR_KEY_FILE=$T/key
export HECTOR_KEY_FILE
at=tcp:10.66.0.254:7119
master=unix:$T/master.sock
first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
grep -v '^cpu  ' /proc/stat >"$T/rest"
{ echo 'cpu  1000 0 1000 100000 0 0 0 0 0 0'; cat "$T/rest"; } >"$T/stat"
host()          # NAME: its slave
{
    on $1 mount --bind "$T/stat" /proc/stat || exit 1
    start "slave-$1" sh "$AGENT" $1 taskset -c "$first" hector-slave -d -v --master $at \
        --name $1
    h_name=$1
    wait_for 'sql "SELECT 1 FROM nodes WHERE node = '\''$h_name'\'' AND state = '\''up'\''" |
        grep -q 1'
}
printf '[master]\nlisten = %s\ndatabase = %s\njoin_wait = 10s\noptimizer_period = 600s\n' \
    "$master,$at" "$HECTOR_DB" >"$T/master.conf"
launch_master master -v --optimizer balance:margin=1
host n1
host n2
: >"$T/order"
begin()         # NAME TASKS OPTION...: its number in $job_NAME
{
    b_name=$1 b_n=$2
    shift 2
    hector-run --master "$master" --name $b_name --oversubscribe --policy none "$@" \
        -n $b_n "$APPS/paced" 10 "$T/order" cpu \
        </dev/null >"$T/$b_name.out" 2>"$T/$b_name.err" &
    eval "pid_$b_name=\$!"
    wait_for 'sql "SELECT 1 FROM jobs WHERE name = '\''$b_name'\'' AND
        state = '\''running'\''" | grep -q 1'
    eval "job_$b_name=\$(sql \"SELECT job FROM jobs WHERE name = '$b_name'\")"
}
nodes() { sql "SELECT node FROM tasks WHERE job = $1 ORDER BY node" | xargs; }
# So much has each task of the job computed, which it is believed to have before it still.
computed()      # JOB TICKS
{
    for p in $(sql "SELECT pid FROM tasks WHERE job = $1"); do
        awk -v most=$2 '{ exit !($14 + $15 >= most) }' "/proc/$p/stat" || return 1
    done
}
begin there 1 -H n2
begin here 2 --migratable -H n1:2,n2:2
wait_for 'computed $job_here 300'
is "$(nodes "$job_here")" 'n1 n1' 'two tasks share a processor, as the other node is full'
kill -TERM $pid_there
wait $pid_there 2>/dev/null
wait_for '[ "$(nodes "$job_here")" = "n1 n2" ]'
is "$(nodes "$job_here")" 'n1 n2' 'a job goes: one of them moves to where that was'
# What it makes of a node is its affair: one that begins on a busy machine is a slow one.
plans() { grep -c 'optimize: plan [0-9]* of' "$T/master.log"; }
before=$(plans)
host n3
ok 'a node joins: it is asked again' wait_for '[ "$(plans)" -gt "$before" ]'
echo end >"$T/order"
status=0
wait $pid_here || status=$?
is "$status" 0 'it ends well'
done_testing
