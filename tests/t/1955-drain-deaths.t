# A node dies at each step of a drain: the one that is drained, or one that its tasks
# leave for. Those that are lost with it are made again of the last checkpoint, on what
# remains, never on the node that is drained; the others leave all the same, and each
# number comes once. CASES='checked:n1 ...' are others: checked, apart and restored are
# steps, n1 is drained, and its tasks leave for n3.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3
. "$top/tests/lib/rounds.sh"

# Who is to become a task waits on a host, as long as it is to.
mkdir "$T/bin"
cp "$BIN"/* "$T/bin"
cp -a "$build/lib" "$T/lib"
mv "$T/bin/hector-restore" "$T/bin/hector-restore.real"
cat >"$T/bin/hector-restore" <<END
#!/bin/sh
: >"$T/at.\$(hostname)"
while [ -e "$T/hold.\$(hostname)" ]; do sleep 0.02; done
exec "$T/bin/hector-restore.real" "\$@"
END
chmod 755 "$T/bin/hector-restore"
BIN=$T/bin PATH=$T/bin:$PATH
start_nodes
R="hector-run --master $master --oversubscribe"
tasks=4
join()          # HOST: a slave there again
{
    start "again-$1" sh "$AGENT" $1 hector-slave -d -v --master $master_at --name $1
    wait_for 'sql "SELECT state FROM nodes WHERE node = '\'$1\''" | grep -qx up'
}
must()          # CONDITION: comes about, or all that is known is said
{
    wait_for "$1" && return
    tail -n 40 "$T/drain.out" "$T"/*.log "$T/rounds.err" >&2
    exit 1
}
reaches()       # STATE: of the move
{
    must "sql \"SELECT count(*) FROM transition WHERE job = $job AND machine = 'move'
        AND state_to = '$1'\" | grep -qv '^0'"
}
drain()         # n1, whose tasks 0 and 1 may go anywhere; n3 has none
{
    fresh drain.out
    hector drain n1 --wait >"$T/drain.out" 2>&1 </dev/null &
    asker=$!
}
on_n1() { sql "SELECT count(*) FROM tasks WHERE job = $job AND node = 'n1'"; }
# Held where a task is stopped that does not come to stand, where what is to become of
# those that leave for n3 waits, and where a task is stopped that takes no other library.
held_at()       # STATE
{
    case $1 in
    checked)
        kill -STOP "$(pid_of 3)"
        drain
        reaches checked
        ;;
    apart)
        rm -f "$T/at.n3"
        : >"$T/hold.n3"
        drain
        reaches apart
        must '[ -e "$T/at.n3" ]'
        ;;
    restored)
        held_at apart
        for r in 0 1 2 3; do
            must "! grep -q mca_ /proc/$(pid_of $r)/maps"
        done
        kill -STOP "$(pid_of 3)"
        rm "$T/hold.n3"
        reaches restored
        ;;
    esac
}
for case in ${CASES:-apart:n1 apart:n3 restored:n3}; do
    state=${case%:*} victim=${case#*:}
    rm -rf "$T/saved"
    begin --checkpoint-dir "$T/saved" -H n1:2,n2:2,n3:2 --map-by slot
    hector checkpoint $job >&2
    further 3
    task=$(pid_of 3)
    held_at $state
    kill_all_on $victim
    rm -f "$T/hold.n3"
    kill -CONT $task
    status=0
    wait $asker || status=$?
    cat "$T/drain.out" >&2
    is "$status" 0 "$state: $victim dies: the node is drained"
    # A node that has died has no tasks; they may still be on their way back.
    wait_for '[ "$(on_n1)" = 0 ]'
    is "$(on_n1)" 0 '... and none of its tasks is said to be there'
    further 3
    whole '... and the job has its result'
    join $victim
    hector undrain n1 >&2
done
done_testing
