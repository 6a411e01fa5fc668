# An ordinary user to whom a control group of version 2 was delegated, as systemd does
# it, has tasks suspended by freezing, also where it is threaded; what is killed then
# leaves no process in it, and no group. Where it is not theirs signals do it.
# limit: 60
# shellcheck disable=SC2086,SC2154 # $nobody is words; $job is job_runs'
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/nobody.sh"
[ "$(id -u)" = 0 ] || skip_all 'a control group can be delegated by root only'
hosts 1                 # mounts of our own
mount -t cgroup2 none /mnt || skip_all 'no control groups of version 2 can be mounted'
group=/mnt/hector-test.$$
mkdir "$group" || skip_all 'no control group can be made'
[ -e "$group/cgroup.freeze" ] || skip_all 'the kernel does not freeze control groups'
nobody_only

hold() { sql "SELECT group_concat(DISTINCT hold) FROM tasks WHERE job = $job"; }
is_held() { [ "$(hold)" = "$1" ]; }
calls() { sql "SELECT ifnull(min(mpi_calls), 0) FROM tasks WHERE job = $job"; }
groups() { find "$1" -mindepth 1 -type d -name 'hector-*'; }
# A threaded one tells of threads alone.
in_it() { find "$1" -name cgroup.threads -exec cat {} + 2>/dev/null; }
begin()         # GROUP: $job runs there
{
    fresh out err
    sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$1" $nobody hector-run \
        --oversubscribe --policy none -n 2 "$APPS/stencil" 32 600 >"$T/out" 2>"$T/err" \
        </dev/null &
    runner=$!
    job_runs
    wait_for '[ "$(calls)" -gt 100 ]'
}
held_by()       # HOW
{
    $nobody hector suspend "$job" >"$T/log"
    ok 'a job is suspended' wait_for 'is_held suspended'
    is "$(sql "SELECT result FROM actions WHERE job = $job AND action = 'suspend'")" \
        "done, by $1" "... by $1"
}
delegated()     # GROUP
{
    begin "$1"
    held_by freezing
    is "$(groups "$1" | grep -c "$job\\.[01]\$")" 2 '... each task in a group of its own'
    is "$(groups "$1" | sed 's|$|/cgroup.events|' | xargs cat | grep -c '^frozen 1$')" 2 \
        '... which is frozen'
    $nobody hector resume "$job" >"$T/log"
    wait_for 'is_held going'
    seen=$(calls)
    ok 'resumed it goes on' wait_for '[ "$(calls)" -gt $((seen + 100)) ]'
    ok '... in the group that it was in' wait_for "[ -z \"\$(groups $1)\" ]"
    $nobody hector suspend "$job" >"$T/log"
    wait_for 'is_held suspended'
    inner=$(groups "$1" | head -n 1)/inner
    mkdir "$inner"
    $nobody hector resume "$job" >"$T/log"
    wait_for 'is_held going'
    rmdir "$inner"
    ok '... also where that cannot be removed at once' wait_for "[ -z \"\$(groups $1)\" ]"
    $nobody hector suspend "$job" >"$T/log"
    wait_for 'is_held suspended'
    $nobody hector kill "$job" >"$T/log"
    status=0
    wait $runner || status=$?
    is "$status" 143 'killed while it is frozen it ends'
    ok '... and no process is left there' wait_for "[ -z \"\$(in_it $1)\" ]"
    ok '... nor a group' wait_for "[ -z \"\$(groups $1)\" ]"
}

mkdir "$group/own" "$group/other" "$group/own/threaded"
chown 65534:65534 "$group/own" "$group/own/cgroup.procs" "$group/own/cgroup.threads"
delegated "$group/own"

echo threaded >"$group/own/threaded/cgroup.type"
chown 65534:65534 "$group/own/threaded" "$group/own/threaded/cgroup.procs" \
    "$group/own/threaded/cgroup.threads"
delegated "$group/own/threaded"

begin "$group/other"
held_by signals
$nobody hector kill "$job" >"$T/log"
wait $runner
ok 'no process is left in one of others' wait_for "[ -z \"\$(in_it $group/other)\" ]"
rmdir "$group/own/threaded" "$group/own" "$group/other" "$group"
done_testing
