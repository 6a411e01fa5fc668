# The network loses three packets in ten, is slow, comes and goes in short pieces,
# or stands still for MPI alone, so that Hector sees all of it, while tasks on two
# hosts exchange messages: there is no verdict, and nobody is ended, however the lots
# fall; where nothing comes for long there is a notice that names what is under way. By
# a filter that draws lots, and by netem where the kernel has it, else by a bucket
# that drips.
# limit: 110
# busy
. "${0%/*}/../lib/t.sh"
hosts 2

losses()        # on: of what goes to and from n2; off
{
    for d in ingress egress; do
        case $1 in
        on) tc filter add dev vn2 $d bpf da bytecode \
            '4,32 0 0 4294963256,53 0 1 1288490188,6 0 0 4294967295,6 0 0 2' ;;
        off) tc filter del dev vn2 $d ;;
        esac
    done
}
delay()         # on: up to half a second; off
{
    case $1 in
    on)
        tc qdisc add dev vn2 root netem delay 250ms 200ms loss 5% 2>/dev/null ||
            tc qdisc add dev vn2 root tbf rate 200kbit burst 4kb latency 500ms ;;
    off) tc qdisc del dev vn2 root ;;
    esac
}
need tc
if ! tc qdisc add dev vn2 clsact 2>/dev/null || ! losses on 2>/dev/null; then
    skip_all 'no filter for packets in this kernel'
fi
losses off
delay on 2>/dev/null || skip_all 'nothing here makes a network slow'
delay off

begin()         # three jobs: N, of how many there are then; OPTION... of each
{
    n=$1
    shift
    hector-run --launch-agent "$AGENT" -H n1:1,n2:1 -n 2 --on-hang kill "$@" \
        "$APPS/poll" 20000 600 >"$T/poll.$n.out" 2>"$T/poll.$n.err" &
    runners=$!
    hector-run --launch-agent "$AGENT" -H n1:2,n2:2 -n 4 --on-hang kill "$@" \
        "$APPS/ring" 600 600 >"$T/ring.$n.out" 2>"$T/ring.$n.err" &
    runners="$runners $!"
    hector-run --launch-agent "$AGENT" -H n1:1,n2:1 -n 2 --on-hang kill "$@" \
        "$APPS/pingpong" 500 >"$T/pp.$n.out" 2>"$T/pp.$n.err" &
    runners="$runners $!"
    ok "$n jobs run" wait_for '[ "$(sql "SELECT count(*) FROM (SELECT job FROM tasks
        GROUP BY job HAVING min(mpi_calls) > 20)" 2>/dev/null || echo 0)" -ge '"$n ]"
}
finish()
{
    for job in $(sql "SELECT job FROM jobs WHERE state = 'running'"); do
        hector kill "$job" >&2
    done
    # shellcheck disable=SC2086 # several of them
    wait $runners
}
begin 3
silent()        # DESCRIPTION: no verdict of any kind but notices, and that these are over
{
    is "$(sql "SELECT count(*), group_concat('job ' || job || ': ' || kind || ' by ' ||
        policy || ' of ' || ranks || ' ' || score || ': ' || why, char(10)) FROM verdicts
        WHERE kind NOT IN ('notice', 'progress')")" '0|' "$1"
}
calls() { sql 'SELECT job, sum(mpi_calls) FROM tasks GROUP BY job'; }
go_on()         # all of them do, when the fault is over
{
    calls >"$T/calls"
    wait_for '! calls | grep -qxFf "$T/calls"' && return
    {
        cat "$T/calls"
        sql 'SELECT job, state, exit_code, reason FROM jobs'
        tail -n 5 "$T"/*.err
    } >&2
    return 1
}
for what in losses delay; do
    $what on
    sleep 6             # the fault itself
    $what off
    ok "$what: all go on behind it" go_on
    silent "$what: there is no verdict"
done
# From n1 to n2 nothing, for a time: what was sent is on its way. Hector's own
# words go another way.
keep()          # on, off
{
    case $1 in
    on) tc filter add dev vn2 egress bpf da bytecode \
            '4,32 0 0 26,21 0 1 172097537,6 0 0 2,6 0 0 4294967295' ;;
    off) tc filter del dev vn2 egress ;;
    esac
}
for seconds in 0.4 1 5; do
    keep on
    sleep $seconds      # the fault itself
    keep off
    ok "all go on when $seconds s are over" go_on
done
silent 'messages that are on their way for 0.4 to 5 s: neither'
# Two times: for each packet that is lost TCP waits twice as long before the next one,
# and a node is taken to be gone when nothing has come from it for 3 s.
i=0
while [ $i -lt 4 ]; do
    for _ in 1 2; do
        ip link set vn2 down
        sleep 0.2
        ip link set vn2 up
        sleep 0.3
    done
    go_on || break
    i=$((i + 1))
done
is $i 4 'all go on when the network comes and goes'
silent 'a network that comes and goes: neither'
is "$(sql "SELECT group_concat(state), (SELECT count(*) FROM actions WHERE action = 'kill')
    FROM jobs")" 'running,running,running|0' '... and nobody is ended'
finish

# Of jobs that have never stood still, for as long as it takes until somebody is
# told: by a model whose interval does not double, so that it does not take minutes.
begin 6 --policy none --policy hang:interval_max=0.4
noticed()
{
    sql "SELECT count(DISTINCT job) FROM verdicts WHERE kind = 'notice' AND job > 3
        AND why LIKE '%under way%: the network may lose packets'"
}
keep on
ok 'what is on its way for ever is worth a notice' \
    wait_for '[ "$(noticed)" = 3 ]'
sql 'SELECT job, kind, why FROM verdicts WHERE job > 3' >&2
keep off
silent '... and no verdict'
finish
grep -hE 'deadlock|hang' "$T"/*.err >&2
done_testing
