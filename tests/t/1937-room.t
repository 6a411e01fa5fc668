# Memory for a task that moves is made where it comes while the job still runs: by the
# process that is to become the task, which has the same number then. A move that comes
# to nothing gives it back, and so does a slave whose master is another one; whoever
# ends that process does not end the move.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3
. "$top/tests/lib/rounds.sh"

start_nodes
R="hector-run --master $master"
tasks=3 more=ballast=100
LARGE=90000             # kB, not all that it has

waiting()       # processes of this test that wait for an image; they have no environment
{
    grep -ls "$build/bin/hector-restore" /proc/[0-9]*/cmdline | while read -r p; do
        ! tr '\0' ' ' <"$p" | grep -q "$T/.* --room [0-9a-f]*-" ||
            echo "$p" | cut -d / -f 3
    done 2>/dev/null
}
memory()        # PID: kB of its own
{
    sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status" 2>/dev/null
}
has_made()      # the one that waits has as much as the task
{
    w=$(waiting)
    [ -n "$w" ] && [ "$(memory "$w")" -gt $LARGE ]
}
move()          # [OPTION...]: of task 0 to n2, in the background, which task 1 holds up
{
    kill -STOP "$(pid_of 1)"
    hector migrate "$@" $job.0 n2 >"$T/moved" 2>&1 &
    asker=$!
    wait_for has_made || not_made
}
not_made()      # what there is to say of it
{
    for p in $(waiting); do grep -E '^(Rss|State)' "/proc/$p/status"; done
    cat "$T/moved"
    tail -n 20 "$T"/master.log "$T"/slave-n?.log
} >&2
let_go()
{
    kill -CONT "$(pid_of 1)"
    status=0
    wait $asker || status=$?
    cat "$T/moved" >&2
}

begin -H n1:1,n3:2 --oversubscribe --migratable
ok 'a task has much memory' [ "$(memory "$(pid_of 0)")" -gt $LARGE ]
move --quiesce-timeout 60
ok 'there is as much where it comes before the job stands' has_made
was=$w
further 0
let_go
is "$status $(grep -c 'on n2 now' "$T/moved")" '0 1' '... to which it moves'
is "$(pid_of 0)" "$was" '... as the same process'
ok '... that has no more memory than it had' [ "$(memory "$was")" -lt $((LARGE * 3 / 2)) ]
is "$(waiting)" '' '... and nobody waits there any more'
run hector migrate $job.0 n1
is $status 0 '... from where it can go back'

move --quiesce-timeout 8        # so long there is what is waited for
status=0
wait $asker || status=$?
is $status 1 'a job that cannot stand stays where it is'
wait_for '[ -z "$(waiting)" ]'
is "$(waiting)" '' '... and the memory is given back'
kill -CONT "$(pid_of 1)"
further 3

move --quiesce-timeout 60
kill -9 "$w"
wait_for '[ -z "$(waiting)" ]'
let_go
is "$status $(grep -c 'on n2 now' "$T/moved")" '0 1' \
    'the process is killed: the task moves without'
whole '... and the result is right'
done_testing
