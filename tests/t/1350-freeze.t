# Suspended by control groups, where that can be done: also what has left the
# process group of its task stands, nobody's SIGCONT wakes it, what is killed dies,
# and no control group is left. Where it cannot be done signals do it, as before.
# limit: 60
# shellcheck disable=SC2086,SC2154 # $R is several words
. "${0%/*}/../lib/t.sh"
need setsid

# A task that counts, a child of it that has left its group, and one of that,
# whose parent is gone.
cat >count.sh <<'END'
count() { while [ ! -e "$T/go" ]; do echo x >>"$T/$1"; sleep 0.02; done; }
case ${1:-} in
'') setsid sh "$0" away.$HECTOR_RANK &
    (setsid sh "$0" orphan.$HECTOR_RANK &)
    count task.$HECTOR_RANK; wait ;;
*) count "$1" ;;
esac
END
start beat sh -c 'while :; do echo x >>beat; sleep 0.02; done'
size() { if [ -e "$T/$1" ]; then wc -c <"$T/$1"; else echo 0; fi; }
moves()         # FILE
{
    moved=$(size "$1")
    wait_for "[ \$(size $1) -gt $moved ]"
}
stands()        # FILE
{
    stood=$(size "$1") turns=$(size beat)
    wait_for '[ "$(size beat)" -gt $((turns + 30)) ]'      # fifteen turns of its loop
    [ "$(size "$1")" = "$stood" ]
}
hold() { sql "SELECT group_concat(hold, ' ') FROM
    (SELECT hold FROM tasks WHERE job = $job ORDER BY rank)"; }
is_held() { [ "$(hold)" = "$1" ]; }
means() { sql "SELECT result FROM actions WHERE job = $job AND action = 'suspend'
    ORDER BY at_ns DESC LIMIT 1"; }
slave_of()      # JOB: the pid of its slave, in whose name control groups are
{
    awk '/^PPid/ { print $2 }' \
        "/proc/$(sql "SELECT pid FROM tasks WHERE job = $1 AND rank = 1")/status"
}
groups() { find /sys/fs/cgroup -maxdepth 8 -type d -name "hector-$slave-*" 2>/dev/null; }
begin()         # COMMAND...
{
    job=$((${job:-0} + 1))
    rm -f "$T/go" "$T"/task.* "$T"/away.* "$T"/orphan.*
    "$@" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    wait_for '[ "$(sql "SELECT state FROM jobs WHERE job = $job" 2>/dev/null)" = running ]'
    for tap_f in task away orphan; do
        moves $tap_f.0
        moves $tap_f.1
    done
}
end() { status=0; wait $runner || status=$?; }

begin hector-run -n 2 --policy none sh "$T/count.sh"
slave=$(slave_of $job)
hector suspend $job.1 >/dev/null
ok 'a task is suspended' wait_for 'is_held "going suspended"'
how=$(means)
case $how in
'done, by freezing')
    run hector why $job
    like "$T/out" 'suspend 1 by operator, done, by freezing' 'hector why says how'
    ok '... it stands' stands task.1
    ok '... and what has left its group' stands away.1
    ok '... or its parent' stands orphan.1
    ok '... the other task goes on' moves task.0
    ok '... with its own' moves orphan.0
    ok '... it has a control group' [ "$(groups | grep -c "$job\\.1\$")" = 1 ]
    pid=$(sql "SELECT pid FROM tasks WHERE job = $job AND rank = 1")
    kill -s CONT -- "-$pid"
    ok '... SIGCONT of somebody does not wake it' stands task.1
    # On a busy machine there is not always the time to unwind one; and a shell that has
    # vforked and waits for its child, which is frozen before it has become the command,
    # cannot be stopped by anybody: then it is to stand somewhere else.
    both_seen()
    {
        hector stack $job >"$T/out" 2>&1 && grep -q '2 tasks' "$T/out" && return
        grep -q 'sleeps in the kernel' "$T/out" || return 1
        hector resume $job.1 >/dev/null
        wait_for 'is_held "going going"'
        hector suspend $job.1 >/dev/null
        wait_for 'is_held "going suspended"'
        return 1
    }
    ok '... its stack can be seen' wait_for both_seen
    cat "$T/out" >&2
    ok '... and it stands after that' stands task.1
    hector suspend $job >/dev/null
    ok 'the other one, too' wait_for 'is_held "suspended suspended"'
    ok '... it stands' stands orphan.0
    hector resume $job.1 >/dev/null
    wait_for 'is_held "suspended going"'
    ok 'resumed: it goes on' moves task.1
    ok '... with what has left its group' moves away.1
    ok '... or its parent' moves orphan.1
    ok '... the other one stands' stands task.0
    hector suspend $job.1 >/dev/null
    wait_for 'is_held "suspended suspended"'
    hector kill $job >/dev/null
    end
    is "$status" 143 'killed while it is frozen: it gets TERM and ends'
    ok '... no control group is left' wait_for '[ -z "$(groups)" ]'

    # The slave is killed: its guard removes them.
    begin hector-run -n 2 --policy none sh "$T/count.sh"
    hector suspend $job >/dev/null
    wait_for 'is_held "suspended suspended"'
    slave=$(slave_of $job)
    is "$(groups | wc -l)" 2 'each task has a control group'
    kill -KILL "$slave"
    end
    is "$status" 125 'a slave that is killed'
    ok '... no control group is left' wait_for '[ -z "$(groups)" ]'
    ;;
'done, by signals')
    skip 'by freezing' 'no control groups to use here'
    ok '... it stands' stands task.1
    hector resume $job >/dev/null
    touch "$T/go"
    end
    ;;
*)
    fail 'how it was done' "$how"
    ;;
esac

# Nothing is to be seen of control groups.
if unshare -m sh -c 'mount -t tmpfs none /sys/fs/cgroup' 2>/dev/null; then
    begin unshare -m sh -c "mount -t tmpfs none /sys/fs/cgroup &&
        exec hector-run -n 2 --policy none sh '$T/count.sh'"
    hector suspend $job.1 >/dev/null
    ok 'without control groups' wait_for 'is_held "going suspended"'
    is "$(means)" 'done, by signals' '... it is done by signals'
    ok '... the task stands' stands task.1
    ok '... what has left its group goes on' moves away.1
    hector resume $job.1 >/dev/null
    ok '... resumed: it goes on' moves task.1
    touch "$T/go"
    end
    is "$status" 0 '... to the end'
else
    skip 'without control groups' 'no mount namespaces here'
fi
done_testing
