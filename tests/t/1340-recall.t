# Policies of a master that is killed and started again: they know what they
# knew, say nothing twice and lose nothing; a replay of the whole says the same.
# Where the record is not whole that is said.
# limit: 80
# shellcheck disable=SC2086 # several words
. "${0%/*}/../lib/t.sh"
need cc

cc -shared -fPIC -I "$top/policies" -o odd.so "$top/tests/lib/odd_policy.c"
start_master
start_slave n1
wait_for 'sql "SELECT state FROM nodes" 2>/dev/null | grep -q up'
R="hector-run --master $master --oversubscribe --policy none"
n=0
down()          # the master is killed
{
    kill -KILL "$master_pid"
    wait "$master_pid" 2>/dev/null
}
up()            # ... and started again
{
    n=$((n + 1))
    launch_master "master-$n"
}
begin()         # COMMAND...
{
    job=$((${job:-0} + 1))
    rm -f "$T/go"
    $R "$@" >"$T/job.out" 2>"$T/job.err" </dev/null &
    runner=$!
}
end() { status=0; wait $runner || status=$?; }
said() { grep -c "^hector: job $job $1" "$T/job.err"; }
replayed()      # POLICY
{
    run hector replay "$job" --policy "$1"
    is "$(out)$(cat "$T/err")" "$(sql "SELECT group_concat(detail, '') FROM verdict
        WHERE job = $job")" '... and a replay of both says the same'
}

# What a healthy run looks like is learned from it, and cannot be learned any more
# when the job hangs, which it does while there is no master.
model=hang:interval_max=0.4,alpha=0.05
begin -n 4 --policy $model --on-hang kill:age=1s,sure=90 --timeout 600 \
    env -u LD_PRELOAD "$APPS/halfway" 1000 2 "$T/go"
ok 'a model is learned' wait_for '[ "$(pieces)" -ge 2 ]'
down
touch "$T/go"
up
end
is "$status" 123 'a hang is found by what a master before has learned'
is "$(said hangs)" 1 '... and told'
is "$(sql "SELECT group_concat(kind || ' ' || ranks) FROM verdicts
    WHERE job = $job AND kind <> 'slowdown'")" 'hang 2' '... once, with its task'
ok '... the looks before are remembered' \
    grep -Eq "[1-9][0-9]+ looks recalled job=$job" "$T/master-$n.log"
replayed $model

# What was said is not said again, and that it is over is.
odd="$T/odd.so:mode=1,at=30,every=0.1,tagged=0"
begin -n 2 --policy "$odd" sh -c "while [ ! -e $T/go ]; do sleep 0.05; done"
wait_for '[ "$(said hangs)" = 1 ]'
down
up
ok 'that it moves again is told by the next master' \
    wait_for '[ "$(said "is moving again")" = 1 ]'
touch "$T/go"
end
is "$status|$(said hangs)" '0|1' '... and the hang only by the first'
is "$(sql "SELECT group_concat(kind) FROM verdicts WHERE job = $job")" \
    'hang,progress' '... both are recorded once'
replayed "$odd"

# A hang is recorded, and the master dies before it has told it.
begin -n 2 --policy "$T/odd.so:mode=9,at=30,every=0.1,tagged=0" \
    sh -c "while [ ! -e $T/go ]; do sleep 0.05; done"
wait_for '[ "$(said hangs)" = 1 ] && [ "$(pieces)" -ge 2 ]'
down
sqlite3 "$HECTOR_DB" "DELETE FROM action WHERE job = $job"
up
reports() { sql "SELECT count(*) FROM actions WHERE job = $job AND action = 'report'"; }
ok 'a hang that was not told yet is' \
    wait_for '[ "$(said hangs)" = 2 ] && [ "$(reports)" -ge 1 ]'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job")|$(reports)" '1|1' \
    '... recorded once'

# The first looks are not kept any more, as of a long job; then nothing of it can
# be read. It is told how much is known, and the hang is not told again.
recalled() { sql "SELECT result FROM actions WHERE job = $job AND
    action = 'recall'" | grep -q "$1"; }
down
sqlite3 "$HECTOR_DB" "DELETE FROM look WHERE job = $job AND seq = 1"
up
ok 'a record that has been cut' \
    wait_for 'recalled "know nothing of the first [1-9][0-9]* looks"'
run hector why "$job"
like "$T/out" 'recall by hector-master, the policies know nothing of the first' \
    '... hector why says so'
down
sqlite3 "$HECTOR_DB" "UPDATE look SET data = x'7a' WHERE job = $job"
up
ok 'a record that is damaged' wait_for 'recalled "begin anew"'
is "$(said hangs)" 2 '... the hang is not told again'
wait_for '[ "$(sql "SELECT count(*) FROM look WHERE job = $job AND
    length(data) > 1")" -ge 1 ]'
touch "$T/go"
end
is "$status" 0 '... and the job ends well'
run hector replay "$job" --policy null
is "$status" 0 '... what was seen since can be replayed'
done_testing
