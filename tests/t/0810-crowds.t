# Ten thousand connections that say nothing, and as many that say anything:
# they are gone in bounded time, memory stays flat, descriptors may run out,
# real peers come through, and a job keeps its speed.
# limit: 80
. "${0%/*}/../lib/t.sh"

[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 10100 ] ||
    skip_all 'fewer than 10,100 descriptors a process'
crowd=10000

# With sanitizers: what has been freed is not kept, it would count.
export ASAN_OPTIONS="$ASAN_OPTIONS:quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
# From a limit as low as this one descriptors do run out.
ulimit -Sn 512
start_tcp_master
ulimit -Sn "$(ulimit -Hn)"
start_slave n1
wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 1 ]'

rss() { awk '/VmRSS/ { print $2 }' "/proc/$1/status"; }
fds() { find "/proc/$1/fd" -mindepth 1 | wc -l; }
now() { date +%s%N; }

hector-run --master "$master" -n 1 true
rss_before=$(rss "$master_pid") fds_before=$(fds "$master_pid")

several()       # NAME ADDRESS WORD...: the crowd, a job meanwhile
{
    tap_name=$1
    shift
    tap_t0=$(now)
    "$APPS/stranger" -n "$crowd" -w 120 "$@" >"$T/fates" 2>"$T/made" &
    tap_crowd=$!
    sleep 1
    timeout 100 hector-run --master "$master" -n 2 "$APPS/hello" \
        >"$T/out" 2>"$T/err"
    is "$?" 0 "$tap_name: a job comes through"
    timeout 100 hector ps >/dev/null 2>&1
    tap_peak=$(rss "$master_pid")
    wait "$tap_crowd"
    tap_s=$((($(now) - tap_t0) / 1000000000))
    like "$T/fates" "^$crowd closed, 0 open, 0 failed" \
        "$tap_name: all are sent away ($tap_s s)"
    ok "$tap_name: in bounded memory (${rss_before} to $tap_peak KiB)" \
        [ "$tap_peak" -lt $((rss_before + 8192)) ]
}
several 'TCP, silence' "tcp:127.0.0.1:$port"
several 'TCP, noise' "tcp:127.0.0.1:$port" noise:100
several 'Unix, noise' "$master" noise:100
crowd=3000
several 'TCP, half the proof' "tcp:127.0.0.1:$port" call
several 'Unix, silence' "$master"

wait_for '[ "$(fds "$master_pid")" -le $((fds_before + 2)) ]'
is "$(($(fds "$master_pid") <= fds_before + 2))" 1 'no descriptor is left'
ok "the log stays short ($(wc -l <"$T/master.log") lines)" \
    [ "$(wc -l <"$T/master.log")" -lt 80 ]

# A job that runs does not notice: the daemons take little of a processor for them,
# whatever else the machine does.
ticks()         # hundredths of a second of the master, the slave and its guard
{
    for p in $master_pid $slave_pid $(pgrep -P "$slave_pid"); do
        cat "/proc/$p/stat"
    done | sed 's/.*) //' | awk '{ n += $12 + $13 } END { print n }'
}
hector-run --master "$master" -n 1 sh -c 'until [ -e "$0" ]; do sleep 0.1; done' \
    "$T/gone" &
job=$!
wait_for '[ "$(sql "SELECT count(*) FROM jobs WHERE state = \"running\"")" = 1 ]'
before=$(ticks)
"$APPS/stranger" -n 2000 -w 60 "tcp:127.0.0.1:$port" >/dev/null 2>&1 || true
took=$(($(ticks) - before))
touch "$T/gone"
status=0
wait $job || status=$?
is "$status" 0 'a job goes on in a crowd'
ok "... of which 2000 cost less than 4 s of processor (${took}0 ms)" \
    [ "$took" -lt 400 ]

run hector-run --master "$master" -n 2 "$APPS/hello"
is "$status" 0 'all is as before'
done_testing
