# Optimizers of a master that place jobs, or plan what makes no sense, or nothing at
# all: jobs start all the same, what is refused is counted, and it is switched off.
# limit: 90
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need cc sqlite3
odd=$T/odd.so
cc -std=c11 -Wall -Werror -shared -fPIC -I "$top/policies" -o "$odd" \
    "$top/tests/lib/odd_optimizer.c"
master=unix:$T/master.sock
conf()          # LINE...
{
    printf '[master]\nlisten = %s\ndatabase = %s\njoin_wait = 10s\noptimizer_period = 0.2s\n' \
        "$master" "$HECTOR_DB" >"$T/master.conf"
    [ $# = 0 ] || printf '%s\n' "$@" >>"$T/master.conf"
}
asks()          # NAME SPEC
{
    log=$T/$1.log
    launch_master "$1" -v --optimizer "$2"
}
leave()
{
    kill -TERM $master_pid
    wait_for '! kill -0 $master_pid 2>/dev/null'
}
R="hector-run --master $master"
placed()        # a job of three tasks, as a plan says? Who is not answered within 0.2 s
{               # is placed without; its number in $job
    run $R -n 3 true
    job=$(sql 'SELECT max(job) FROM jobs')
    [ "$(sql "SELECT count(*) FROM plans p JOIN tasks t ON t.job = p.job AND
        t.rank = p.rank AND t.node = p.node_to WHERE p.job = $job")" = 3 ]
}
ran()           # TASKS: how many of such a job had a node, and its status
{
    run $R -n $1 true
    echo "$(sql "SELECT count(node) FROM tasks WHERE job = (SELECT max(job) FROM jobs)")" \
        "$status"
}

# ------------------------------------------------------------------------- refused
refuses()       # SENTENCE SPEC: no master is started
{
    run hector-master -d -f "$T/master.conf" --optimizer "$2"
    is "$status $(grep -cF -- "$1" "$T/err")" '1 1' "refused: $1"
}
conf
sed 's/HCT_OPTIMIZER_MAJOR,/2,/' "$top/tests/lib/odd_optimizer.c" >"$T/major.c"
cc -shared -fPIC -I "$top/policies" -o "$T/major.so" "$T/major.c"
refuses 'was built for version 2.1' "$T/major.so"
refuses 'there is no optimizer called nix' nix
refuses 'hang is a policy, not an optimizer' hang
refuses 'has no parameter speed; it has margin, message' balance:speed=2
conf 'optimizer = nix'
run hector-master -d -n -f "$T/master.conf"
is "$status $(grep -c 'no optimizer called nix' "$T/err")" '1 1' '... also in the file'
run hector-master -d -n -f "$T/master.conf" --optimizer none
is "$status" 0 '... and the option says otherwise'

# ------------------------------------------------------------------------ it places
conf
asks places "$odd:how=0"
for n in a b; do
    start_slave $n
done
wait_for '[ "$(grep -c "joined with" "$log")" = 2 ]'
wait_for placed
nodes=$(sql "SELECT DISTINCT node FROM tasks WHERE job = $job" | xargs)
is "$(echo $nodes | wc -w)" 1 'an optimizer says where a job goes: all on the last node'
is "$(sql "SELECT count(*), min(state), min(reason), min(kind), min(node_to) = '${nodes%% *}'
    FROM plans WHERE job = $job")" '3|done|the last one|place|1' '... as the plan says'
is "$(sql "SELECT t.at_ns >= p.at_ns FROM plans p, transition t WHERE p.job = $job AND
    t.job = $job AND t.event = 'place' LIMIT 1")" 1 '... which came before'
run $R -n 2 --map-by node true
job=$(sql 'SELECT max(job) FROM jobs')
is "$(sql "SELECT count(DISTINCT node) FROM tasks WHERE job = $job")" 2 \
    '... but not where its user says it'
hector replay --optimizer - >"$T/replay"
sql "SELECT 'plan ' || seq || ' step ' || step || ': ' || detail FROM plan
    ORDER BY at_ns, seq, step" | cmp - "$T/replay" && same=yes || same=no
is "$same" yes 'replay places the same again'
leave

# ---------------------------------------------------------- what makes no sense
switched()      # off? If not, there is one job more: it may have begun after the first ones
{
    grep -q "is switched off" "$log" || { ran 2 >&2; false; }
}
off()           # NAME SPEC SENTENCE DESCRIPTION: jobs start, and it is switched off
{
    asks "$1" "$2"
    wait_for '[ "$(grep -c "joined with" "$log")" = 2 ]'
    for i in 1 2 3 4; do
        is "$(ran 2)" '2 0' "$4: job $i runs"
    done
    wait_for switched
    ok "... and it is switched off: $3" grep -q "is switched off: .*$3" "$log"
    leave
}
conf 'judge_restarts = 0'
off no_node "$odd:how=4" 'leads to a node that there is not' 'a node that there is not'
is "$(sql "SELECT DISTINCT state, error FROM plans WHERE state = 'refused'")" \
    'refused|leads to a node that there is not' '... and the view plans says why'
off part "$odd:how=5" 'places a part of a job' 'a part of a job'
conf 'judge_restarts = 0' 'judge_step = 0.2s'
off loop "$odd:how=1" 'it thought for more than\|a step took more than' 'one that loops'
conf 'judge_restarts = 0'
off crash "$odd:how=2" 'it was ended by signal 6' 'one that crashes'
off greedy "$odd:how=3" 'wants more memory than there is' 'one that wants too much memory'
off refuses "$odd:how=7" 'it says that it cannot go on (7)' 'one that cannot go on'
run hector optimize
is "$status" 1 'without a master that runs there is no plan'

# ---------------------------------------------------------------- one that thinks
conf 'judge_step = 600s'
asks thinks "$odd:how=1"
wait_for '[ "$(grep -c "joined with" "$log")" = 2 ]'
for i in 1 2 3 4 5 6; do
    is "$(ran 2)" '2 0' "while an optimizer thinks job $i runs"
done
is "$(grep -c 'was lost\|switched off' "$log")" 0 '... and it still thinks'
leave

# ------------------------------------------------------------------ one that is late
conf
asks late "$odd:how=10"
wait_for '[ "$(grep -c "joined with" "$log")" = 2 ]'
$R -n 2 sh -c "while [ ! -e $T/placed ]; do sleep 0.05; done" </dev/null >&2 &
runner=$!
ok 'a plan that comes when its job is placed is not said to be done' wait_for \
    '[ "$(sql "SELECT group_concat(DISTINCT state || '\'' '\'' || error) FROM plans WHERE
        job = (SELECT max(job) FROM jobs)")" = \
        "dropped it came too late, the job was placed without it" ]'
touch "$T/placed"
wait $runner
leave

# ----------------------------------------------------------------------- suspends
conf
asks suspends "$odd:how=8"
wait_for '[ "$(grep -c "joined with" "$log")" = 2 ]'
$R -n 1 sh -c "while [ ! -e $T/go ]; do sleep 0.05; done" </dev/null >"$T/a.out" 2>&1 &
runner=$!
wait_for '[ "$(sql "SELECT count(*) FROM plans WHERE kind = '\''suspend'\'' AND
    state <> '\''planned'\''")" -ge 1 ]'
is "$(sql "SELECT DISTINCT state, error FROM plans WHERE kind = 'suspend' AND
    state <> 'planned'")" \
    'failed|an optimizer suspends only jobs of class idle' 'no job is suspended that is not idle'
touch "$T/go"
status=0
wait $runner || status=$?
is "$status" 0 '... it runs on'
leave

# --------------------------------------------------------------------- without one
launch_master without           # that it listens is said before it is recorded
wait_for 'hector optimize 2>"$T/no"; grep -q "no optimizer" "$T/no"'
run hector optimize
is "$status $(grep -c 'this master has no optimizer' "$T/err")" '1 1' \
    'a master without an optimizer says so'
run hector optimize --optimizer stay
is "$status" 2 'another optimizer goes with --dry-run'
run hector optimize --nodes
is "$status" 2 '... as nodes do'
run hector optimize --dry-run
is "$status $(cat "$T/out")" '0 all is well as it is' 'a dry run asks balance then'
done_testing
