# A node is lent while its owner is not there: he logs in, or types, and its tasks leave,
# or are suspended where they cannot; he is gone, and it takes tasks again; what an
# operator says stays.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
hosts 3
need sqlite3
. "$top/tests/lib/rounds.sh"
. "$top/tests/lib/owner.sh"

: >"$T/utmp"
: >"$T/typed"
touch -a -d '1 hour ago' "$T/typed"
printf '[slave]\nowner = user\nowner_utmp = %s\nowner_idle = 1s\nowner_look = 200ms\n%s\n' \
    "$T/utmp" 'owner_else = suspend' >"$T/n1.conf"
printf '[slave]\nowner = console\nowner_console = %s/typ*\nowner_idle = 2s\nowner_look = 200ms\n' \
    "$T" >"$T/n2.conf"
owner_nodes
R="hector-run --master $master --oversubscribe"

# ------------------------------------------------------------------- he is not there
wait_for '[ "$(owner_of n1) $(owner_of n2)" = "gone gone" ]'
is "$(owner_of n1) $(owner_of n2)" 'gone gone' 'no sign of the owners of two nodes'
is "$(owner_of n3)" '' '... and nobody looks for that of the third'
run hector nodes
is "$status $(grep -Ec ' (gone|OWNER)$' "$T/out")" '0 3' 'hector nodes shows it'
is "$(sql 'SELECT count(*) FROM actions')" 0 '... nothing is done'

# ------------------------------------------------------------------------ he is back
tasks=3
begin --migratable -H n1:2,n3
leaver=$job
at_ns=$(date +%s%N)
log_in "$T/utmp" alice :0
wait_for '[ "$(is_on n1)" = 0 ]'
is "$(is_on n1)" 0 'the owner logs in: the tasks leave'
like "$T/rounds.err" \
    '^hector: the owner of n1 is back \(alice is logged in on :0\): tasks 0-1 leave for n[23]' \
    '... of which who runs the job hears'
is "$(grep -c 'owner' "$T/rounds.err")" 1 '... in one sentence'
is "$(takes n1) $(owner_of n1)" '1|owner here' '... the node takes no new tasks for him'
is "$(sql "SELECT action, ranks, by, why FROM actions ORDER BY at_ns")" \
    'drain||owner|the owner of n1 is back: alice is logged in on :0
migrate|0-1|owner|the owner of n1 is back: alice is logged in on :0' '... it is in the record'
took_ms=$((($(sql "SELECT at_ns FROM actions WHERE action = 'drain'") - at_ns) / 1000000))
echo "# drained $took_ms ms after he has come"
ok '... within ten seconds' [ $took_ms -lt 10000 ]
run hector nodes -j
like "$T/out" '"node":"n1".*"drain":"drained","owner":"here"' '... hector nodes shows it'
run $R -H n1 -n 1 true
is "$status $(cat "$T/err")" \
    '125 hector: the owner of node n1 is there: it takes no new tasks' 'a new job is refused'
run $R -n 4 hostname
is "$status $(sort -u "$T/out" | xargs)" '0 n2 n3' '... or passes it by'
further 2

# ----------------------------------------------------------------------- he is gone
log_out
wait_for '[ "$(takes n1)" = "0|" ]'
is "$(takes n1) $(owner_of n1)" '0| gone' 'he is gone: the node takes tasks again'
is "$(sql "SELECT by, result FROM actions WHERE action = 'undrain'")" \
    'owner|n1 takes tasks again' '... for the same reason'
run $R -H n1 -n 1 hostname
is "$status $(cat "$T/out")" '0 n1' '... a new job runs there'
job=$leaver
whole 'the job whose tasks have left has lost nothing'

# ------------------------------------------------------------------ who cannot leave
held() { sql "SELECT count(*) FROM tasks WHERE job = $job AND hold = 'suspended'"; }
begin -H n1:2,n3
log_in "$T/utmp" "bob$(printf '\t')x" pts/7
wait_for '[ "$(held)" = 3 ]'
is "$(held)" 3 'a job that cannot leave is suspended, also where nobody else minds'
wait_for 'grep -q "is suspended until" "$T/rounds.err"'
like "$T/rounds.err" \
    "^hector: the owner of n1 is back \(bob.* is logged in on pts/7\), and job $job cannot \
leave: .*--migratable.*; it is suspended until the owner is gone\$" \
    '... which is said with its reason'
is "$(sql "SELECT ranks, by, result LIKE 'done%' FROM actions WHERE action = 'suspend'")" \
    '0-2|owner|1' '... and kept'
log_out
wait_for '[ "$(held)" = 0 ]'
is "$(held)" 0 'he is gone: it goes on'
wait_for 'grep -q "goes on$" "$T/rounds.err"'
like "$T/rounds.err" "^hector: the owner of n1 is gone: job $job goes on\$" '... which is said'

log_in "$T/utmp" alice :0
wait_for '[ "$(held)" = 3 ]'
hector resume $job.0,2 >"$T/out"
wait_for '[ "$(held)" = 1 ]'
hector suspend $job.1 >"$T/out"
log_out
wait_for '[ "$(takes n1)" = "0|" ]'
is "$(held)" 1 'what an operator has said of tasks meanwhile counts'
hector resume $job >"$T/out"
further 2
whole '... and the job is whole'

# ---------------------------------------------------------------------- an operator
hector drain n1 >"$T/out"
log_in "$T/utmp" alice :0
wait_for '[ "$(owner_of n1)" = here ]'
log_out
wait_for '[ "$(owner_of n1)" = gone ]'
is "$(takes n1)" '1|operator' 'a node that an operator has drained stays so when he goes'
hector undrain n1 >"$T/out"
log_in "$T/utmp" alice :0
wait_for '[ "$(takes n1)" = "1|owner" ]'
run hector drain n1
is "$status $(cat "$T/out")" '0 n1: it is empty, and takes no new tasks' \
    'an operator drains what is drained for the owner'
is "$(takes n1)" '1|operator' '... it is his from then on'
log_out
wait_for '[ "$(owner_of n1)" = gone ]'
is "$(takes n1)" '1|operator' '... and stays so'
log_in "$T/utmp" alice :0
wait_for '[ "$(owner_of n1)" = here ]'
run hector undrain n1
is "$status $(takes n1)" '0 0|' 'undrained by an operator it takes tasks, while he is there'
log_out
wait_for '[ "$(owner_of n1)" = gone ]'

# --------------------------------------------------- he types; there is no other node
hector drain n1 >"$T/out"
hector drain n3 >"$T/out"
begin -H n2:3 --migratable
types() { touch -a "$T/typed"; [ "$(takes n2)" = '1|owner' ]; }         # for 2 s
ok 'input at a terminal is a sign, and the last node is his, too' wait_for types
wait_for 'grep -q owner "$T/rounds.err"'
like "$T/rounds.err" \
    "^hector: the owner of n2 is back \(there was input at .*/typed\), and job $job cannot \
leave: .*; it goes on there\$" \
    '... where it is to go on what cannot leave does'
wait_for '[ "$(takes n2)" = "0|" ]'
is "$(owner_of n2) $(held)" 'gone 0' '... until he types no more'
whole '... it is whole'
done_testing
