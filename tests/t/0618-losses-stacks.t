# Tasks on two hosts without the wrapper library, of which only stacks are known,
# exchange messages, and what is sent from one to the other is on its way for
# ever: it may be the network, so there is a notice that says so, no verdict, and
# nobody is ended.
# limit: 80
# busy
. "${0%/*}/../lib/t.sh"
hosts 2
need tc

keep()          # on: from n1 to n2 nothing, but Hector's own words; off
{
    case $1 in
    on) tc filter add dev vn2 egress bpf da bytecode \
            '4,32 0 0 26,21 0 1 172097537,6 0 0 2,6 0 0 4294967295' ;;
    off) tc filter del dev vn2 egress ;;
    esac
}
if ! tc qdisc add dev vn2 clsact 2>/dev/null || ! keep on 2>/dev/null; then
    skip_all 'no filter for packets in this kernel'
fi
keep off

count() { sql "SELECT count(*) FROM verdicts WHERE kind $1" 2>/dev/null; }

# A model that neither doubles its interval nor has to be very sure, so that it
# does not take minutes.
job=1
hector-run --launch-agent "$AGENT" -H n1:2,n2:2 -n 4 --on-hang kill:age=1s,sure=90 \
    --policy none --policy hang:interval_max=0.4,alpha=0.05 \
    env -u LD_PRELOAD "$APPS/halfway" 1000 -1 >"$T/out" 2>"$T/err" &
runner=$!
ok 'a job runs' wait_for 'sql "SELECT state FROM jobs" 2>/dev/null | grep -qx running'
ok '... and its model has seen that it moves' wait_for '[ "$(looks)" -ge 50 ]'
keep on
ok 'what is on its way for ever is worth a notice' \
    wait_for '[ "$(count "IN ('"'notice', 'hang', 'deadlock'"')")" -ge 1 ]'
wait_for 'grep -q "^hector: job 1: " "$T/err"'      # it comes after the commit
like "$T/err" 'all tasks are in MPI in [0-9]+ looks in a row, .*; a message between '\
'nodes may be under way: the network may lose packets' '... which says so'
after_looks
keep off
is "$(count "IN ('hang', 'deadlock')")" 0 '... and no verdict'
is "$(sql "SELECT count(*) FROM actions WHERE action = 'kill'")" 0 '... and nobody is ended'
# TCP may wait as long again as nothing has come through
ok '... and it moves again' wait_for '[ "$(count "= '"'progress'"'")" -ge 1 ]'
hector kill 1 >&2
wait $runner
done_testing
