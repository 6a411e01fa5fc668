# A node behind a slow link, and nodes whose clocks are wrong.
# limit: 60
# shellcheck disable=SC2086 # $R is several words
. "${0%/*}/../lib/t.sh"
hosts 3

R="hector-run --launch-agent $AGENT"

# A reader that takes nothing for longer than the kernel lets a link wait.
{ $R -H n1 -n 1 head -c 30000000 /dev/zero 2>"$T/paused.err"
  echo "$?" >"$T/paused.status"; } | (sleep 36; wc -c) >"$T/paused" &
paused=$!

# ----------------------------------------------------------------- slow link
# n2: 200 ms away where the kernel can do that, and 2 Mbit/s.
slow=
if tc qdisc add dev vn2 root netem delay 100ms rate 2mbit 2>/dev/null &&
    on n2 tc qdisc add dev eth0 root netem delay 100ms rate 2mbit; then
    slow='200 ms, 2 Mbit/s'
elif tc qdisc add dev vn2 root tbf rate 2mbit burst 4kb latency 400ms &&
    on n2 tc qdisc add dev eth0 root tbf rate 2mbit burst 4kb latency 400ms
then
    slow='2 Mbit/s'
fi
if [ -n "$slow" ]; then
    head -c 400000 /dev/urandom >"$T/data"
    a=$(date +%s%N)
    $R -H n1,n2 -n 2 --stdin 1 "$APPS/stream" cat <"$T/data" >"$T/out" 2>"$T/err"
    ok "a slow link ($slow): 400 kB there and back" cmp "$T/data" "$T/out"
    ms=$((($(date +%s%N) - a) / 1000000))
    ok "... take their time, so the link is slow ($ms ms)" [ $ms -gt 1500 ]
    run $R -H n1:2,n2:2 -n 4 "$APPS/hello"
    is "$status" 0 '... an MPI job over it'
    run $R -H n1,n2 -n 2 "$APPS/tagloop" 5000
    is "$(sql "SELECT rank, count(*), count(DISTINCT enter_ns) FROM events
        WHERE job = (SELECT max(job) FROM jobs) GROUP BY rank" |
        tr '\n' ' ')" '0|5000|5000 1|5000|5000 ' '... no event is lost'
    run $R -H n1,n2 -n 2 sh -c '[ $HECTOR_RANK = 0 ] || exit 3; sleep 60'
    is "$status" 3 '... a failure behind it ends the job'
    $R -H n1,n2 -n 2 -l sh -c 'yes' 2>"$T/err" | head -c 200000 >"$T/out"
    is "$(grep -cvE '^[01]: y$' "$T/out")$(cat "$T/err")" 0 \
        '... output without end, until the reader leaves'
    tc qdisc del dev vn2 root
    on n2 tc qdisc del dev eth0 root
else
    skip 'a slow link' 'the kernel has neither netem nor tbf'
fi

# -------------------------------------------------------------- wrong clocks
# Slave and task of n2 live 1000 s ahead, those of n3 500 s behind.
# shellcheck disable=SC2012 # the names are ours
fake=$(ls /usr/lib/*/faketime/libfaketimeMT.so.1 2>/dev/null | head -n 1)
if [ -n "$fake" ]; then
    cat >"$T/late" <<END
#!/bin/sh
# late OFFSET COMMAND...
FAKETIME=\$1 FAKETIME_DONT_FAKE_MONOTONIC=1
LD_PRELOAD=\${LD_PRELOAD:+\$LD_PRELOAD:}$fake
export FAKETIME FAKETIME_DONT_FAKE_MONOTONIC LD_PRELOAD
shift
exec "\$@"
END
    cat >"$T/by-clock" <<END
#!/bin/sh
host=\$1
shift
case \$host in
n2) exec sh "$AGENT" n2 "$T/late" +1000s "\$@" ;;
n3) exec sh "$AGENT" n3 "$T/late" -500s "\$@" ;;
*)  exec sh "$AGENT" "\$host" "\$@" ;;
esac
END
    chmod +x "$T/late" "$T/by-clock"
    run hector-run --launch-agent "$T/by-clock" -H n1,n2,n3 -n 3 sh -c '
        case $HECTOR_RANK in
        0) exec "$0" 1000 ;;
        1) exec "$1" +1000s "$0" 1000 ;;
        2) exec "$1" -500s "$0" 1000 ;;
        esac' "$APPS/tagloop" "$T/late"
    is "$status" 0 'a job on nodes with wrong clocks'
    sql "SELECT node, clock_offset_ns, clock_error_ns FROM nodes" >"$T/nodes"
    # How well depends on how long a message takes: they say it.
    is "$(sql "SELECT node FROM nodes
        WHERE abs(clock_offset_ns - CASE node WHEN 'n1' THEN 0
            WHEN 'n2' THEN 1000e9 WHEN 'n3' THEN -500e9 END)
            <= clock_error_ns + 5e6 AND clock_error_ns < 100e9
        ORDER BY node" | tr '\n' ' ')" 'n1 n2 n3 ' \
        'the offsets are known, as well as they say'
    # Events carry the clock of their node; with the offset they fall into
    # the time of the job.
    is "$(sql "SELECT count(*) FROM events e JOIN nodes n USING (node)
        JOIN jobs j USING (job) WHERE e.job = (SELECT max(job) FROM jobs) AND
        e.enter_ns - n.clock_offset_ns + n.clock_error_ns >= j.started_ns AND
        e.exit_ns - n.clock_offset_ns - n.clock_error_ns <= j.ended_ns")" \
        3000 'events less the offset lie in the time of the job'
    is "$(sql "SELECT count(*) FROM events e JOIN jobs j USING (job)
        WHERE e.job = (SELECT max(job) FROM jobs) AND
        e.enter_ns BETWEEN j.started_ns AND j.ended_ns")" 1000 \
        '... and without it only those of the node that is right'
    run hector-run --launch-agent "$T/by-clock" -H n1,n2,n3 -n 3 sh -c '
        case $HECTOR_RANK in
        0) sleep 60 ;;
        1) sleep 20; exit 8 ;;
        2) sleep 0.3; exit 7 ;;
        esac'
    is "$status" 7 'which failed first does not hang on the clocks'
    # The time in front of a line is that of the task's node.
    run hector-run --launch-agent "$T/by-clock" -H n1,n2,n3 -n 3 -l \
        --timestamp-output echo here
    sort -k 2 "$T/out" >"$T/sorted"
    is "$(cut -d' ' -f1 "$T/sorted" | date -f - +%s | awk '
        { at[NR] = $1 }
        END { print int((at[2] - at[1] + 5050) / 100), \
                    int((at[3] - at[1] + 5050) / 100) }')" '60 45' \
        '--timestamp-output: by the clock of the node' || cat "$T/out" >&2
    run hector nodes
    like "$T/out" '^n2 .* 16m(39|40|41)s ' 'hector nodes shows the offset'
else
    skip 'nodes with wrong clocks' 'no libfaketime here'
fi
wait $paused
is "$(cat "$T/paused" "$T/paused.status" "$T/paused.err" | tr '\n' ' ')" \
    '30000000 0 ' 'a reader that pauses for 36 s gets all of it'
done_testing
