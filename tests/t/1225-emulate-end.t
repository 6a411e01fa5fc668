# hector-emulate ends when it is told to, and when its master is killed,
# whatever becomes of the processes that play slaves.
# limit: 60
# shellcheck disable=SC2046 # several words
. "${0%/*}/../lib/t.sh"

begin()
{
    hector-emulate -D 64 -n 16 -i 0 --seconds 60 >"$T/out" 2>"$T/err" &
    emulator=$!
    wait_for '[ -n "$(workers)" ]'
}
called()        # NAME: processes of this test
{
    for p in $(t_processes); do
        if [ "$(cat "/proc/$p/comm")" = "$1" ]; then echo "$p"; fi
    done 2>/dev/null
}
workers() { called hector-emulate | grep -vx "$emulator"; }
gone() { wait_for '! kill -0 $emulator 2>/dev/null'; }

begin
kill -STOP $(workers)
kill -TERM $emulator
ok 'its processes hang: it ends all the same' gone
wait $emulator
is "$?" 1 '... with status 1'

begin
kill -STOP $(workers)
kill -KILL $(called hector-master)
ok 'its master is killed as well: it ends' gone
wait $emulator
is "$?" 1 '... with status 1'
like "$T/err" '^hector-emulate: ' '... and a sentence'
done_testing
