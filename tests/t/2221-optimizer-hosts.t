# A master that asks an optimizer: on three hosts, one with half a processor, a job that
# was placed badly is moved by balance, by nobody with stay, and not where nothing is
# to be gained. Each step is in the database, and is planned again by hector replay.
# limit: 240
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3
cpu=/sys/fs/cgroup/cpu/hector-test.$$
mkdir -p "$cpu" 2>/dev/null || skip_all 'no control groups of processors here'
echo 50000 >"$cpu/cpu.cfs_quota_us"

HECTOR_KEY_FILE=$T/key
export HECTOR_KEY_FILE
at=tcp:10.66.0.254:7119
master=unix:$T/master.sock
printf '[master]\nlisten = %s\ndatabase = %s\njoin_wait = 10s\noptimizer_period = 0.5s\n' \
    "$master,$at" "$HECTOR_DB" >"$T/master.conf"
R="hector-run --master $master"

begin()         # HOSTS: a job of two tasks that compute; its number in $job
{
    : >"$T/order"
    $R --migratable -H "$1" -n 2 "$build/apps/paced" 20 "$T/order" cpu \
        </dev/null >"$T/job.out" 2>"$T/job.err" &
    runner=$!
    was=$(sql 'SELECT ifnull(max(job), 0) FROM jobs')
    job_runs
}
finish()        # DESCRIPTION: it ends well
{
    echo end >"$T/order"
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
plans()         # so many have been made
{
    grep -c 'optimize: plan [0-9]* of' "$T/$log.log"
}
more_plans()    # so many more
{
    seen=$(plans)
    wait_for '[ "$(plans)" -ge $((seen + '"$1"')) ]'
}

asks()          # NAME OPTIMIZER: a master by that name asks that one
{
    log=$1
    launch_master "$1" -v --optimizer "$2"
}
leave()         # the master: it goes, and the slaves wait for the next one
{
    kill -TERM $master_pid
    wait_for '! kill -0 $master_pid 2>/dev/null'
}

# -------------------------------------------------------------- a badly placed job
asks balance balance:margin=1
start slave-n1 sh "$AGENT" n1 sh -c "echo \$\$ >$cpu/cgroup.procs &&
    exec hector-slave -d -v --master $at --name n1"
for h in n2 n3; do
    start slave-$h sh "$AGENT" $h hector-slave -d -v --master $at --name $h
done
nodes_joined balance
begin n1:2,n2:2,n3:2
is "$(began)" 'n1 n1' 'a job on the slow host'
wait_for '[ "$(sql "SELECT count(*) FROM plans WHERE state = '\''done'\''")" -ge 2 ]'
is "$(nodes | grep -c n1)" 0 '... leaves it'
more_plans 4
finish '... and ends well'
is "$(sql "SELECT DISTINCT optimizer, kind, job = $job, node_from, gain_s > cost_s, reason,
    state, error IS NULL FROM plans")" 'balance|move|1|n1|1|a faster node|done|1' \
    '... and why is in the view plans'
is "$(sql "SELECT count(*) FROM plans")" "$(sql "SELECT count(DISTINCT rank) FROM plans")" \
    '... each task has moved once'
is "$(sql "SELECT p.at_ns < m.asked_ns, m.result FROM plans p, moves m LIMIT 1")" '1|done' \
    '... and was planned before'
is "$(sql "SELECT DISTINCT action, by, result FROM actions WHERE job = $job")" \
    'migrate|balance|done' '... as the actions say'
sql "SELECT 'plan ' || seq || ' step ' || step || ': ' || detail FROM plan
    ORDER BY at_ns, seq, step" >"$T/plans"
hector replay --optimizer - >"$T/replay"
ok 'replay plans the same again, byte for byte' cmp "$T/plans" "$T/replay"
hector replay --optimizer stay >"$T/replay"
is "$(wc -l <"$T/replay")" 0 '... and another optimizer its own'

# --------------------------------------------------------- nothing is to be gained
begin n2:1,n3:1
more_plans 12
run hector optimize
is "$status $(cat "$T/out")" '0 all is well as it is' 'a job that is well placed stays'
is "$(sql "SELECT count(*) FROM plans WHERE job = $job")$(nodes)" '0n2 n3' '... where it is'
run hector optimize --dry-run --nodes -j
is "$(grep -o '"node":"n1","cpus":1,"speed":[0-9.]*,' "$T/out" | grep -c .)" 1 \
    'a host with half a processor has one'
is "$(tr '{' '\n' <"$T/out" | sed -n 's/.*"speed":\([0-9.]*\).*"takes":"yes".*/\1/p' |
    sort -n | awk 'NR == 1 { a = $1 } END { print NR, ($1 > 1.5 * a) }')" '3 1' \
    '... that is slower than the others'
finish '... and ends well'

# -------------------------------------------------------------------------- stay
leave
asks stay stay
nodes_joined stay
begin n1:2,n2:2,n3:2
more_plans 20
is "$(nodes)" 'n1 n1' 'nothing moves with stay'
would()         # balance moves it
{
    hector optimize --dry-run --optimizer balance:margin=1 -j >"$T/out" &&
        grep -q '"kind":"move","job":'$job',' "$T/out"
}
wait_for would
ok '... whatever balance would do' would
hector optimize --dry-run --optimizer balance:margin=1 >"$T/out"
like "$T/out" '^move +'$job' +[01] n1 +n[23] .* a faster node' '... as a table shows'
run hector optimize --dry-run
is "$status $(cat "$T/out")" '0 all is well as it is' '... a dry run asks the one of the master'
finish '... and the job ends well'
is "$(sql "SELECT count(*) FROM moves WHERE job = $job")" 0 '... without a move'
rmdir "$cpu" 2>/dev/null || :
done_testing
