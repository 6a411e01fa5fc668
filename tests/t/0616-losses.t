# The network loses three packets in ten, is slow, comes and goes in short pieces,
# or stands still for MPI alone, so that Hector sees all of it, while tasks on two
# hosts exchange messages: nothing is taken for proven, and nobody is ended. By a
# filter that draws lots, and by netem where the kernel has it, else by a bucket that
# drips. Where lots fall so that nothing goes through for 7 s, a job may well be said
# to hang: that is no proof, and make healthy counts how often.
# limit: 240
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

hector-run --launch-agent "$AGENT" -H n1:1,n2:1 -n 2 --on-hang kill \
    "$APPS/poll" 20000 600 >"$T/poll.out" 2>"$T/poll.err" &
poll=$!
hector-run --launch-agent "$AGENT" -H n1:2,n2:2 -n 4 --on-hang kill \
    "$APPS/ring" 600 >"$T/ring.out" 2>"$T/ring.err" &
ring=$!
hector-run --launch-agent "$AGENT" -H n1:1,n2:1 -n 2 --on-hang kill \
    "$APPS/pingpong" >"$T/pp.out" 2>"$T/pp.err" &
pingpong=$!
ok 'three jobs run' wait_for '[ "$(sql "SELECT count(*) FROM (SELECT job FROM tasks
    WHERE mpi_calls > 100 GROUP BY job)" 2>/dev/null || echo 0)" -ge 2 ]' 60
verdicts()
{
    sql "SELECT count(*) FROM verdicts WHERE kind = 'deadlock'"
}
for what in losses delay losses; do
    $what on
    sleep 8             # the fault itself
    $what off
    sleep 4
    is "$(verdicts)" 0 "$what: nobody is called deadlocked"
done
# From n1 to n2 nothing, for a time: what was sent is on its way.
for seconds in 0.4 0.7 1 2 5; do
    tc filter add dev vn2 egress bpf da bytecode \
        '4,32 0 0 26,21 0 1 172097537,6 0 0 2,6 0 0 4294967295'
    sleep $seconds      # the fault itself
    tc filter del dev vn2 egress
    sleep 2
done
is "$(verdicts)" 0 'messages that are on their way for 0.4 to 5 s: neither'
i=0
while [ $i -lt 20 ]; do
    ip link set vn2 down
    sleep 0.2
    ip link set vn2 up
    sleep 0.3
    i=$((i + 1))
done
sleep 4
is "$(verdicts)" 0 'a network that comes and goes: neither'
is "$(sql "SELECT count(*) FROM actions WHERE action = 'kill'")" 0 '... and nobody is ended'
for job in $(sql "SELECT job FROM jobs WHERE state = 'running'"); do
    hector kill "$job" >&2
done
wait $poll $ring $pingpong
grep -hE 'deadlock|hang' "$T"/*.err >&2
done_testing
