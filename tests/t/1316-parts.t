# Parts of a look: a policy that needs models of tasks is given them, of several
# nodes, live and in the record, and what they say is what other counters say. One
# that asks for them later gets them later, one that does not gets none, and one of
# an older version is asked as ever.
# limit: 60
# shellcheck disable=SC2086 # several words
. "${0%/*}/../lib/t.sh"
need cc

models()        # NAME OPTION...
{
    name=$1
    shift
    cc -shared -fPIC -I "$top/policies" "$@" -o "$name.so" \
        "$top/tests/lib/model_policy.c"
}
models needs
models asks -DMAY_NEED=HCT_NEED_MODEL
models more -DNEEDS=128
start_master
start_slave n1
start_slave n2
wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '"'up'"'" 2>/dev/null)" = 2 ]'
M="hector-run --master $master --oversubscribe --policy none"

# Task 1 of four on two nodes stops in the middle: so nothing moves any more when
# the models are read, and others can count the same.
begin()         # POLICY...
{
    job=$((${job:-0} + 1))
    policies=
    for p in "$@"; do policies="$policies --policy $p"; done
    $M -n 4 -N 2 $policies --inject 'rank=1,call=MPI_Allreduce:30,fault=hang' \
        "$APPS/imbalance" 1000 >"$T/job.out" 2>"$T/job.err" </dev/null &
    runner=$!
}
end()
{
    kill -TERM "$runner"
    status=0
    wait "$runner" || status=$?
    is "$status" 143 '... until it is ended'
}
detail()        # POLICY: what it has found, as it is recorded
{
    sql "SELECT group_concat(detail, '') FROM verdict WHERE job = $job AND
        policy = '$1'"
}
told() { detail "$1" 2>/dev/null | grep -q 'model 3:'; }
lines() { detail "$1" | sed -n "s/^  rank [0-9]*: model $2: $3.*/\\1/p"; }

begin "$T/needs.so" "$T/asks.so:ask=1" hang
ok 'a policy that needs models is given them' wait_for 'told needs'
ok '... and one that asks for them' wait_for 'told asks'
is "$(detail needs | sed -n 2p)" '  4 models, all looks had them' \
    '... of tasks on two nodes, at each of its looks'
is "$(detail asks | sed -n 2p)" '  4 models, some looks were without' \
    '... and when it has asked'
is "$(sql "SELECT group_concat(DISTINCT node) FROM tasks WHERE job = $job")" 'n1,n2' \
    '... which are two'
is "$(lines needs '[0-3]' '.*places \([0-9a-f]*\), at MPI_Allreduce of' | sort -u |
    grep -vc '^0*$')" 1 '... the same places in each'
is "$(lines needs '[0-3]' '.*at \(MPI_Allreduce\) of' | sort | uniq -c |
    tr -s ' ')" ' 4 MPI_Allreduce' '... where they are now'
hector model -j "$job" >"$T/model"
is "$(lines needs '[0-3]' '.*visits, \([0-9]*\) steps' | awk '{ n += $1 } END {
    print n }')" "$(sqlite3 :memory: "SELECT json_extract(j, '\$.phases[0].steps')
    FROM (SELECT CAST(readfile('$T/model') AS TEXT) AS j)")" \
    '... as many steps as the model of the job has'
for r in 0 1 2 3; do
    visits=$(lines needs $r '.* edges, \([0-9]*\) visits')
    calls=$(lines needs $r '.* of \([0-9]*\), bytes')
    is "$((visits + 1))" "$calls" "... and visits of task $r as calls, but the last"
done
counts='\(.*\) steps'              # times get better known
is "$(lines asks '[0-3]' "$counts")" "$(lines needs '[0-3]' "$counts")" \
    '... the same to both'
ok 'the policy hang beside them has had its detail' \
    wait_for 'grep -Eq "^hector: job $job (hangs|is deadlocked)" "$T/job.err"'
end
for p in needs asks; do
    with=$p.so
    [ $p = needs ] || with=$p.so:ask=1
    run hector replay "$job" --policy "$T/$with"
    is "$status|$(cat "$T/err")|$(out)" "0||$(detail $p)" \
        "$p: the same bytes from the record"
done
is "$(sql "SELECT group_concat(by || ': ' || why) FROM actions WHERE job = $job AND
    action IN ('warn', 'switch off') AND why NOT LIKE 'it was busy%'")" '' \
    '... they have not had it, and nobody was odd'

# Without them nothing of the kind is recorded; a policy that needs models has
# nothing to be asked about then, which is said.
begin null:every=0.1
wait_for '[ "$(sql "SELECT count(*) FROM look WHERE job = $job" 2>/dev/null)" -ge 1 ]'
end
run hector replay "$job" --policy "$T/needs.so"
is "$status|$(out)|$(cat "$T/err")" "0||hector: policy needs was not asked: the \
recorded looks do not have what it needs" 'a record without models'

run $M -n 1 --policy "$T/more.so" true
is "$status" 2 'a policy that needs what there is not is refused'
like "$T/err" 'more.so needs a part of looks that this Hector does not have' \
    '... in words'

# One that was built before there were parts: its description ends before them.
mkdir old
sed -e 's/^#define HCT_POLICY_MINOR .*/#define HCT_POLICY_MINOR 6u/' \
    -e '/uint32_t needs, may_need;/d' "$top/policies/hct_policy.h" >old/hct_policy.h
ok 'a policy of an older version' cc -shared -fPIC -I old -o old.so \
    "$top/tests/lib/odd_policy.c"
job=$((job + 1))
run $M -n 2 --policy "$T/old.so:mode=1,at=5" --inject \
    'rank=1,call=MPI_Iprobe:100,fault=stall,time=6' "$APPS/tagloop" 1000
is "$status|$(sql "SELECT group_concat(kind) FROM verdicts WHERE job = $job")" \
    '0|hang,progress' '... watches as ever'
run hector replay "$job" --policy "$T/old.so:mode=1,at=5"
is "$status|$(out)" "0|$(detail old)" '... and over the record'
done_testing
