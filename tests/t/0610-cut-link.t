# The network between a slave and its master is cut, with streams of tagged
# events and of output under way: for 5 s nothing is lost, doubled or ended;
# a host that does not come back ends its job within 10 s, with a sentence.
# limit: 80
# shellcheck disable=SC2086,SC2154 # $R is several words
. "${0%/*}/../lib/t.sh"
hosts 2

before_others           # a link is cut for no longer than is wanted
cut()           # HOST SECONDS; $was_cut: the milliseconds it took, at most
{
    was_cut=$(date +%s%N)
    $now sh -c 'ip link set "v$1" down
        sleep "$2"      # this is the fault itself
        ip link set "v$1" up' - "$1" "$2"
    was_cut=$((($(date +%s%N) - was_cut) / 1000000))
}
exactly_once()  # JOB TASKS COUNT
{
    is "$(sql "SELECT count(*), count(DISTINCT rank * 100000000 + seq),
        count(exit_ns), max(seq) FROM event WHERE job = $1")" \
        "$(($2 * $3))|$(($2 * $3))|$(($2 * $3))|$(($3 - 1))" \
        "job $1: every event once, none is missing"
}
R="hector-run --launch-agent $AGENT"

# Tasks that only tag and write: MPI between the hosts would wait by itself. (That
# they do nothing else is worth a notice, which is not what is tested.)
$R --policy none -H n1:1,n2:1 -n 2 "$APPS/tagloop" 1000000 --stdtim=- >"$T/out" 2>"$T/err" &
runner=$!
wait_for '[ "$(sql "SELECT count(*) FROM event" 2>/dev/null || echo 0)" \
    -gt 200000 ]'
cut n2 5
status=0
wait $runner || status=$?
is "$status" 0 '5 s without a network in a run of tagged events'
is "$(cat "$T/err")" '' '... without a word'
exactly_once 1 2 1000000
is "$(sql 'SELECT sum(ring_lost) FROM task')" 0 'no wrapper gave up'

cat >"$T/count" <<'END'
i=0
while [ $i -lt 400 ]; do
    echo "$HECTOR_RANK $i"
    i=$((i + 1))
    sleep 0.02
done
END
fresh out
$R -H n1,n2 -n 2 sh "$T/count" >"$T/out" 2>"$T/err" &
runner=$!
wait_for '[ "$(grep -c . "$T/out")" -gt 50 ]'
cut n2 5
status=0
wait $runner || status=$?
is "$status$(cat "$T/err")" 0 'the same for what tasks write'
is "$(sort -u "$T/out" | wc -l) $(wc -l <"$T/out")" '800 800' \
    '... of which nothing is lost or doubled'
is "$(sed -n 's/^1 //p' "$T/out" | awk '$1 != NR - 1' | wc -l)" 0 '... in order'

# With a standing master, and hector-run on a host of its own. The slave has
# been told addresses where nobody answers: it knows by then which is good.
start_master tcp:10.66.0.254:7117
start slave-n1 sh "$AGENT" n1 hector-slave -d --name n1 \
    --master tcp:10.66.0.98:1,tcp:10.66.0.99:1,tcp:10.66.0.254:7117
wait_for 'sql "SELECT state FROM nodes WHERE node = '\''n1'\''" | grep -q up'
standing=$(t_processes | wc -l)
for host in n2 n1; do
    for try in 1 2 3; do
        fresh out
        on n2 hector-run --master tcp:10.66.0.254:7117 -H n1 -n 1 \
            sh "$T/count" >"$T/out" 2>"$T/err" &
        runner=$!
        wait_for '[ "$(grep -c . "$T/out")" -gt 50 ]'
        cut $host 5
        status=0
        wait $runner || status=$?
        # A busy machine may put the link up too late: try again.
        if [ $status -eq 0 ] || [ "$was_cut" -le 5500 ]; then break; fi
        echo "# try $try: cut for $was_cut ms: $(cat "$T/err")"
    done
    is "$status$(grep -v 'hector-master is' "$T/err")" 0 \
        "hector-run on n2, a slave on n1: $host is cut off for 5 s"
    is "$(wc -l <"$T/out")" 400 '... and all the output is there'
done

# For good.
ours_have_ended()       # no task of that job is left
{
    for p in $(t_processes); do
        tr '\0' ' ' <"/proc/$p/cmdline" | grep -q '^sleep 1000 $' && return 1
    done 2>/dev/null
    return 0
}
vanish()                # COMMAND...: n2 does; $status
{
    $R -H n1,n2 -n 2 "$@" >"$T/out" 2>"$T/err" &
    runner=$!
    wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" |
        grep -q running'
    ip link set vn2 down
    status=0
    wait $runner || status=$?
}
vanish sleep 1000
is "$status" 125 'a host vanishes: 125'
like "$T/err" '^hector: node n2 was lost' '... with a sentence'
is "$(sql 'SELECT rank, state FROM tasks ORDER BY job DESC, rank LIMIT 2' |
    tr '\n' ' ')" '0|killed 1|lost ' '... and a record'
ip link set vn2 up
ok 'the tasks there end when it is back' \
    wait_for 'ours_have_ended'

# The last words of the other tasks are still on their slow way then.
if tc qdisc add dev vn1 root tbf rate 100mbit burst 16kb latency 400ms \
        2>/dev/null &&
    on n1 tc qdisc add dev eth0 root tbf rate 2mbit burst 4kb latency 400ms
then
    cat >"$T/last" <<'END'
trap 'head -c 300000 /dev/zero | tr "\0" x; exit 1' TERM
sleep 1000 &
wait
END
    vanish sh "$T/last"
    is "$status" 125 'a host vanishes, and another one has much to say'
    is "$(wc -c <"$T/out")" 300000 '... and is heard'
    ip link set vn2 up
    tc qdisc del dev vn1 root
    on n1 tc qdisc del dev eth0 root
else
    skip 'a slow host when another one vanishes' 'the kernel has no tbf'
fi
wait_for '[ "$(t_processes | wc -l)" -le "$standing" ]'
done_testing
