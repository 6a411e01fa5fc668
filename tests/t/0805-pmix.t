# Nobody in where tasks meet the PMIx server of a slave, on TCP: who says
# nothing, half a word, noise or is another user keeps no task waiting.
# limit: 70
. "${0%/*}/../lib/t.sh"
need ss

start_master
start_slave n1
wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 1 ]'
hector-run --master "$master" -n 1 "$APPS/hello" >"$T/out"
is "$(out)" 'task 0 of 1' 'a job'
slave=$(tr -d ' ' <"/proc/$slave_pid/task/$slave_pid/children")
pmix=$(ss -Hlntp | sed -n "s/.*127.0.0.1:\([0-9]*\) .*pid=$slave,.*/\1/p")
ok 'the PMIx server listens on this machine only' [ -n "$pmix" ]
cp "$APPS/stranger" "$T/stranger"
chmod 755 "$T"

# As a task that is killed while it connects.
"$T/stranger" -w 0 "tcp:127.0.0.1:$pmix" >"$T/fates" 2>/dev/null
run hector-run --master "$master" -n 1 "$APPS/hello"
is "$(grep -c refused "$T/slave-n1.log")" 0 'who comes and goes is not told of'

# A time that a job with a silent one in front of it never kept to.
meanwhile()     # DESCRIPTION [OPTION...]: strangers, and a job at the same time
{
    tap_what=$1
    shift
    "$T/stranger" -w 120 "$@" >"$T/fates" 2>"$T/made" &
    tap_crowd=$!
    wait_only '[ -s "$T/made" ] || [ -s "$T/fates" ]' 1 2>/dev/null
    run timeout 300 hector-run --master "$master" -n 3 --oversubscribe \
        "$APPS/hello"
    is "$status $(wc -l <"$T/out")" '0 3' "$tap_what: a job comes through"
    wait "$tap_crowd"
}
meanwhile 'one that says nothing' "tcp:127.0.0.1:$pmix"
is "$(tail -n 1 "$T/fates")" closed '... and is sent away'
meanwhile 'half a word' "tcp:127.0.0.1:$pmix" text:x
meanwhile 'noise' "tcp:127.0.0.1:$pmix" noise:3000
meanwhile 'the head of an endless message' "tcp:127.0.0.1:$pmix" \
    header:4294967295,1,1,0,0
meanwhile 'a thousand that say nothing' -n 1000 "tcp:127.0.0.1:$pmix"
like "$T/fates" '^1000 closed, 0 open, 0 failed' '... all are sent away'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    setpriv --reuid nobody --regid nogroup --clear-groups "$T/stranger" -w 120 \
        "tcp:127.0.0.1:$pmix" text:x >"$T/fates"
    is "$(tail -n 1 "$T/fates")" closed 'another user is sent away'
    like "$T/slave-n1.log" 'a user without a task here' '... and told of'
else
    skip 'another user' 'only root can become one'
fi
ok "the log stays short ($(wc -l <"$T/slave-n1.log") lines)" \
    [ "$(wc -l <"$T/slave-n1.log")" -lt 40 ]
kill -TERM "$slave_pid"
ok 'the slave ends as ever' wait_for '! kill -0 $slave_pid 2>/dev/null'
done_testing
