# When an optimizer is asked: every 10 s where nothing happens, and long before the next
# period when a job comes, when the margin of its deadlines declines, and when it goes.
# limit: 120
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need cc sqlite3
asked=$T/asked
: >"$asked"
cc -std=gnu11 -Wall -Werror -shared -fPIC -I "$top/policies" -DASKED="\"$asked\"" \
    -o "$T/asked.so" "$top/tests/lib/asked_optimizer.c"
master=unix:$T/master.sock
conf() { printf '[master]\nlisten = %s\ndatabase = %s\njoin_wait = 10s\n%s\n' \
    "$master" "$HECTOR_DB" "${1-}" >"$T/master.conf"; }
begin()         # NAME OPTION...
{
    name=$1
    shift
    : >"$T/order"
    hector-run --master "$master" --name $name --oversubscribe -n 2 "$@" \
        "$APPS/beat" 20 "$T/order" </dev/null >"$T/$name.out" 2>"$T/$name.err" &
    runner=$!
    wait_for 'sql "SELECT 1 FROM jobs WHERE name = '\''$name'\'' AND
        state = '\''running'\''" | grep -q 1'
}
ends()
{
    echo end >"$T/order"
    wait $runner
    is "$?" 0 "job $name ends well"
}
calls() { wc -l <"$asked"; }
# Between the last two calls.
apart()
{
    tail -n 2 "$asked" | { read -r a _; read -r b _; echo $((b - a)); }
}

# ------------------------------------------------------------------- by default
conf
launch_master default -v --optimizer "$T/asked.so"
start_slave a
wait_for 'grep -q "joined with" "$T/default.log"'
is "$(calls)" 0 'without a job nobody is asked'
begin quiet --policy none
wait_for '[ "$(calls)" -ge 1 ]'
ok 'a job comes: it is asked' test "$(calls)" -ge 1
wait_only '[ "$(calls)" -ge 2 ] && [ "$(apart)" -ge 5000 ]' 60
period=$(apart)
ok "nothing happens: it is asked every 10 s ($period ms)" \
    test "$period" -ge 9900 -a "$period" -le 25000
ends
kill -TERM $master_pid
wait_for '! kill -0 $master_pid 2>/dev/null'

# -------------------------------------------------------------- a margin declines
conf 'optimizer_period = 600s'
launch_master events -v --optimizer "$T/asked.so"
wait_for 'grep -q "joined with" "$T/events.log"'
begin due --policy deadline --deadline 'in..out<=2s'
job=$(sql 'SELECT max(job) FROM jobs')
wait_for '[ "$(sql "SELECT count(*) FROM deadlines WHERE job = $job")" -ge 20 ]'
before=$(calls)
verdicts() { sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = 'deadline'"; }
is "$(verdicts)" 0 'no margin has declined yet'
echo 'slow 1 1700' >"$T/order"
told()          # jobs, and is a margin small? At the last call
{
    tail -n 1 "$asked" | awk '{ print $2, $3 < 0.4 }'
}
wait_for '[ "$(calls)" -gt "$before" ] && [ "$(verdicts)" -ge 1 ]'
ok 'a margin declines: it is asked' test "$(calls)" -gt "$before"
wait_for '[ "$(told)" = "1 1" ]'         # it may have been asked just before as well
is "$(told)" '1 1' '... and is told that margin'
before=$(calls)
ends
run hector-run --master "$master" --name other -n 1 true
wait_for '[ "$(calls)" -gt "$before" ]'
ok 'jobs go and come: it is asked' test "$(calls)" -gt "$before"
done_testing
