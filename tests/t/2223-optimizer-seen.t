# What a master sees of tasks, and shows its optimizer: which of them send each other
# much end on the same node; a node that is slower than its loop has said is known by
# its calls; a quota that comes later is told. On three hosts.
# limit: 240
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3
cpu=/sys/fs/cgroup/cpu/hector-test.$$
mkdir -p "$cpu" 2>/dev/null || skip_all 'no control groups of processors here'

HECTOR_KEY_FILE=$T/key
export HECTOR_KEY_FILE
at=tcp:10.66.0.254:7119
master=unix:$T/master.sock
printf '[master]\nlisten = %s\ndatabase = %s\njoin_wait = 10s\noptimizer_period = 1s\n' \
    "$master,$at" "$HECTOR_DB" >"$T/master.conf"
R="hector-run --master $master"

begin()         # HOSTS TASKS MS BYTES: a job; its number in $job
{
    for h in n1 n2 n3; do
        : >"$T/order.$h"
    done
    $R --migratable -H "$1" -n $2 "$build/apps/paced" $3 "$T/order.@" cpu $4 \
        </dev/null >"$T/job.out" 2>"$T/job.err" &
    runner=$!
    was=$(sql 'SELECT ifnull(max(job), 0) FROM jobs')
    job_runs
}
finish()        # DESCRIPTION: it ends well
{
    for h in n1 n2 n3; do
        echo end >"$T/order.$h"
    done
    status=0
    wait $runner || status=$?
    is "$status" 0 "$1"
    [ "$status" = 0 ] || cat "$T/job.err" >&2
}
nodes()         # of its tasks, by rank
{
    sql "SELECT node FROM tasks WHERE job = $job ORDER BY rank" | xargs
}
began()         # ... and before the optimizer moved any
{
    sql "SELECT ifnull((SELECT node_from FROM plans p WHERE p.job = t.job AND
        p.rank = t.rank AND state = 'done' ORDER BY at_ns LIMIT 1), node)
        FROM tasks t WHERE job = $job ORDER BY rank" | xargs
}
of_node()       # NODE FIELD: what an optimizer is shown of it
{
    hector optimize --dry-run --nodes -j | tr '{' '\n' |
        sed -n 's/^"node":"'"$1"'",.*"'"$2"'":\([0-9.]*\).*/\1/p'
}
less()          # NUMBER NUMBER
{
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}
asks()          # NAME OPTIMIZER: a master by that name asks that one
{
    launch_master "$1" -v --optimizer "$2"
    nodes_joined "$1"
}
leave()         # the master: it goes, and the slaves wait for the next one
{
    kill -TERM $master_pid
    wait_for '! kill -0 $master_pid 2>/dev/null'
}
for h in n2 n3; do
    start slave-$h sh "$AGENT" $h hector-slave -d -v --master $at --name $h
done
start slave-n1 sh "$AGENT" n1 sh -c "echo \$\$ >$cpu/cgroup.procs &&
    exec hector-slave -d -v --master $at --name n1"

# ------------------------------------------------------------- speed, by the calls
asks stay stay
begin n2:2,n3:2 4 20 0
echo 'slow 3 0 9' >"$T/order.n2"
ok 'a node on which the same calls take three times the processor is slower' wait_for \
    'less "$(of_node n2 speed)" "$(of_node n3 speed | awk "{ print \$1 * 0.7 }")"'
is "$(nodes)" 'n2 n2 n3 n3' '... and stay leaves the job where it is'
finish '... which ends well'

# ------------------------------------------------------------- a quota, later
was_n1=$(of_node n1 speed)
echo 50000 >"$cpu/cpu.cfs_quota_us"
wait_for 'less "$(of_node n1 speed)" "$(echo $was_n1 | awk "{ print \$1 * 0.6 }")"'
ok 'a node that gets a quota of half a processor is told to be slower' \
    less "$(of_node n1 speed)" "$(echo $was_n1 | awk '{ print $1 * 0.6 }')"
echo -1 >"$cpu/cpu.cfs_quota_us"
wait_for '[ "$(of_node n1 speed)" = "$was_n1" ]'
is "$(of_node n1 speed)" "$was_n1" '... and as fast as before without it'
leave

# ------------------------------------------------------------- traffic
# Of four tasks 0 and 2 send each other much, and so do 1 and 3.
asks pairs balance:margin=1,message=20
begin n1:2,n3:2 4 5 4000000
is "$(began)" 'n1 n1 n3 n3' 'tasks that send each other much are far from each other'
nearer()        # how many steps are planned for that
{
    sql "SELECT count(*) FROM plans WHERE job = $job AND
        reason LIKE '%nearer to its partners'"
}
far()           # seen, until they have moved
{
    [ "$(of_node n1 far_bytes_s)" -gt 1000000 ] || [ "$(nearer)" -ge 1 ]
}
wait_for far
together()
{
    nodes | awk '{ exit !($1 == $3 && $2 == $4) }'
}
wait_for together
ok '... and come together' together
sql "SELECT rank, state, reason FROM plans WHERE job = $job" >&2
ok '... for that reason' wait_for '[ "$(sql "SELECT count(*) > 0 FROM plans WHERE
    job = $job AND state IN ('\''ordered'\'', '\''done'\'') AND
    reason LIKE '\''%nearer to its partners'\''")" = 1 ]'
near()          # but for what all four tell each other in each round
{
    for h in n1 n3; do
        far=$(of_node $h far_bytes_s)
        [ "$far" ] && less "$far" 20000 || return 1
    done
}
ok '... and what they send stays on their nodes' wait_for near
finish '... and the job ends well'
# ... by collective calls of two communicators.
begin n1:2,n3:2 4 5 -4000000
is "$(began)" 'n1 n1 n3 n3' 'members of communicators are far from each other'
ok '... whose collective calls are seen as traffic' wait_for far
wait_for together
ok '... and come together' together
finish '... and the job ends well'
sql "SELECT 'plan ' || seq || ' step ' || step || ': ' || detail FROM plan
    ORDER BY at_ns, seq, step" >"$T/plans"
hector replay --optimizer - >"$T/replay"
ok 'replay plans the same again from what was recorded, byte for byte' \
    cmp "$T/plans" "$T/replay"
rmdir "$cpu" 2>/dev/null || :
done_testing
