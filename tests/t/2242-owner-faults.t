# That an owner is there outlives a killed master and a killed slave, and what was done
# for him is undone by the next ones.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
hosts 3
need sqlite3
. "$top/tests/lib/rounds.sh"
. "$top/tests/lib/owner.sh"

: >"$T/utmp"
conf()          # LINE...: of n1
{
    printf '[slave]\nowner_utmp = %s\nowner_idle = 2s\nowner_look = 200ms\n' "$T/utmp" \
        >"$T/n1.conf"
    printf '%s\n' "$@" >>"$T/n1.conf"
}
conf 'owner = user' 'owner_else = suspend'
owner_nodes
R="hector-run --master $master --oversubscribe"
masters=0
kill_master() { kill -KILL $master_pid; wait $master_pid 2>/dev/null || :; }
again()
{
    masters=$((masters + 1))
    launch_master "master-$masters"
    nodes_joined "master-$masters"
}
held() { sql "SELECT count(*) FROM tasks WHERE job = $job AND hold = 'suspended'"; }
drains() { sql "SELECT count(*) FROM actions WHERE action = 'drain'"; }
tasks=2
wait_for '[ "$(owner_of n1)" = gone ]'

# ------------------------------------------------------------- the master is killed
begin -H n1,n3
log_in "$T/utmp" alice :0
wait_for '[ "$(held)" = 2 ]'
kill_master
again
is "$(takes n1) $(owner_of n1) $(held)" '1|owner here 2' 'the next master knows all of it'
run $R -H n1 -n 1 true
is "$status $(grep -c 'the owner of node n1 is there' "$T/err")" '125 1' '... and keeps to it'
is "$(drains)" 1 '... without doing it once more'
kill_master
log_out
again
wait_for '[ "$(held) $(takes n1)" = "0 0|" ]'
is "$(held) $(takes n1)" '0 0|' 'gone while there was no master: the next one lets all go on'
further 2
kill_master
log_in "$T/utmp" alice :0
again
wait_for '[ "$(held)" = 2 ]'
is "$(held) $(takes n1)" '2 1|owner' 'and come while there was none'
log_out
wait_for '[ "$(held)" = 0 ]'
whole '... the job is whole'

# --------------------------------------------------------------- the slave is killed
log_in "$T/utmp" alice :0
wait_for '[ "$(takes n1)" = "1|owner" ]'
n=$(drains)
gone() { sql "SELECT state FROM nodes WHERE node = 'n1'"; }
kill -KILL "$(slave_on n1)"
wait_for '[ "$(gone)" != up ]'
is "$(takes n1) $(owner_of n1)" '1|owner here' 'the slave is killed: he is there all the same'
owner_slave n1
wait_for '[ "$(gone)" = up ]'
is "$(takes n1) $(drains)" "1|owner $n" '... and for the next one, too'
kill -KILL "$(slave_on n1)"
wait_for '[ "$(gone)" != up ]'
log_out
conf 'owner = user' 'owner_idle = 1d'
owner_slave n1
wait_for '[ "$(gone)" = up ]'
wait_for '[ "$(grep -c "node n1 joined" "$T/master-$masters.log")" = 3 ]'
is "$(takes n1) $(owner_of n1)" '1|owner here' \
    'one that has not looked for long enough does not say that he is gone'
kill -KILL "$(slave_on n1)"
wait_for '[ "$(gone)" != up ]'
conf 'owner ='
owner_slave n1
wait_for '[ "$(takes n1)" = "0|" ]'
is "$(takes n1) $(owner_of n1)" '0| ' 'one that does not look any more gives the node back'
done_testing
