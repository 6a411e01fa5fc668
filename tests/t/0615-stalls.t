# The network stands still while tasks on two hosts wait for each other's
# messages: these are on their way, however long that takes, and nobody is
# called deadlocked, not even when Hector's own links are back before MPI's.
# limit: 60
# busy
. "${0%/*}/../lib/t.sh"
hosts 2

before_others           # the link is cut for no longer than is wanted
stall()         # SECONDS [BETWEEN]: the fault itself, and what comes after it
{
    $now sh -c 'ip link set vn2 down; sleep "$1"; ip link set vn2 up' - "$1"
    sleep "${2:-2}"
}

hector-run --launch-agent "$AGENT" -H n1:1,n2:1 -n 2 --on-hang kill \
    "$APPS/pingpong" 500 >"$T/out" 2>"$T/err" &
runner=$!
wait_for '[ "$(sql "SELECT coalesce(sum(mpi_calls), 0) FROM tasks" 2>/dev/null || echo 0)" \
    -gt 1000 ]'
for seconds in 0.3 0.5 0.7 1.2 2 3; do
    stall $seconds 4
    is "$(sql "SELECT state FROM jobs")|$(sql "SELECT count(*) FROM verdicts
        WHERE kind = 'deadlock'")" 'running|0' \
        "the job goes on after $seconds s without a network"
done
hector kill 1 >&2
wait $runner
is "$(grep -c 'deadlock' "$T/err")" 0 '... and nobody has spoken of a deadlock'
done_testing
