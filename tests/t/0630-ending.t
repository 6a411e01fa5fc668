# A job that is ending does not wait for ever: not for a slave that hangs,
# whatever its tasks do; but for a reader of its output it does.
# limit: 60
# shellcheck disable=SC2086,SC2154 # $hung is several; $status and the like are t.sh's
. "${0%/*}/../lib/t.sh"
mkdir -p "$HOME/.config/hector"
printf '[master]\nend_wait = 2s\n' >"$HOME/.config/hector/hector.conf"

slaves()        # pids: the slave and its guard
{
    for p in $(t_processes); do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" = hector-slave ] && echo "$p"
    done
}
begin()
{
    hector-run "$@" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" \
        2>/dev/null | grep -q running'
}
end()
{
    status=0
    wait $runner || status=$?
}

while_they_run()
{
    begin -n 2 sleep 100
    hung=$(slaves)
    kill -STOP $hung
    kill -TERM $runner
    end
    is "$status" 143 'the slave hangs: the job ends all the same'
    like "$T/err" 'its tasks have not ended within 4 s' '... with a sentence'
    is "$(sql 'SELECT state FROM jobs') $(sql 'SELECT DISTINCT state FROM tasks')" \
        'killed lost' '... and a record'
    kill -CONT $hung 2>/dev/null
    ok '... and leaves nothing, once it goes on' \
        wait_for '[ -z "$(t_processes)" ]'
    rm -rf "$TMPDIR"/hector-*
}
# Its tasks have ended, and nobody hears of it.
when_they_have_ended()
{
    begin -n 2 sh -c "while [ ! -e '$T/go' ]; do sleep 0.05; done"
    hung=$(slaves)
    kill -STOP $hung
    touch "$T/go"
    kill -TERM $runner
    end
    is "$status" 143 'the slave hangs when the tasks have ended'
    kill -CONT $hung 2>/dev/null
    wait_for '[ -z "$(t_processes)" ]'
    rm -rf "$TMPDIR"/hector-*
}
lane while_they_run while_they_run
lane when_they_have_ended when_they_have_ended
lanes

# Output that waits for its reader; and this slave clears up behind those.
hector-run -n 1 sh -c 'head -c 3000000 /dev/zero; echo end; exit 5' \
    2>"$T/err" | {
        sleep 5         # the reader is what is slow here
        cat
    } | tail -c 4 >"$T/tail"
is "$(cat "$T/tail")" end 'a reader that takes its time gets all'
ok '... without a word about a slave' sh -c "! grep -q cleared '$T/err'"
done_testing
