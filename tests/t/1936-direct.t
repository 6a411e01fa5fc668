# The image of a task that moves goes from slave to slave, past the master; through the
# master where they do not reach each other; and where the link breaks in the middle of
# it all tasks go on where they were.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3
. "$top/tests/lib/rounds.sh"

start_nodes
R="hector-run --master $master"
tasks=3 more=ballast=100
LARGE=100000000

to_master()     # bytes that hosts have sent to the master's; the bridge counts no others
{
    awk '$1 == "lan:" { print $2 }' /proc/net/dev
}
received()      # HOST: bytes
{
    on $1 awk '$1 == "eth0:" { print $2 }' /proc/net/dev
}
apart()         # HOST HOST: neither reaches the other; a third one reaches both
{
    on $1 ip route add unreachable "10.66.0.${2#n}/32"
    on $2 ip route add blackhole "10.66.0.${1#n}/32"
}
together()      # HOST HOST
{
    on $1 ip route del unreachable "10.66.0.${2#n}/32"
    on $2 ip route del blackhole "10.66.0.${1#n}/32"
}
moved()         # DESCRIPTION TARGET NODE
{
    run hector migrate $2 $3
    is "$status $(grep -c "on $3 now" "$T/out")" '0 1' "$1"
    cat "$T/err" >&2
}
nodes()         # of the tasks, by rank
{
    sql "SELECT node FROM tasks WHERE job = $job ORDER BY rank" | xargs
}
unreached()     # HOST: how often its slave has said that it does not reach n2
{
    grep -c 'the slave of n2 is not reached' "$T/slave-$1.log"
}
last_bytes()    # of images, of the last move
{
    sql "SELECT image_bytes FROM moves WHERE job = $job ORDER BY number DESC LIMIT 1"
}

# ------------------------------------------------------------- past the master
begin -H n1:1,n3:2 --oversubscribe --migratable
before=$(to_master)
moved 'a large task moves' $job.0 n2
after=$(to_master)
ok '... and its image does not pass the master' [ $((after - before)) -lt $((LARGE / 10)) ]
ok '... who knows how large it was' [ "$(last_bytes)" -gt $LARGE ]
is "$(sql "SELECT image_ns > 0 AND restore_ns > 0 AND image_ns < stood_ns FROM moves
    WHERE job = $job")" 1 '... and how long it took'

# --------------------------------------------------------- not within reach
apart n2 n1
before=$(to_master)
moved 'back, where that slave cannot be reached' $job.0 n1
after=$(to_master)
ok '... through the master' [ $((after - before)) -gt $LARGE ]
is "$(grep -c 'the slave of n1 is not reached' "$T/slave-n2.log")" 1 '... which is said'
moved 'where no answer comes' $job.0 n2
is "$(nodes) $(unreached n1)" 'n2 n3 n3 1' '... as well'
moved 'and again, without a try' $job.0 n1
moved '... both ways' $job.0 n2
is "$(unreached n1) $(grep -c 'the slave of n1 is not reached' "$T/slave-n2.log")" '1 1' \
    '... which is not said again'
together n2 n1
whole 'nothing is lost'

# ------------------------------------------------------------------ broken
children()      # PID
{
    cat /proc/$1/task/*/children 2>/dev/null
}
restorer()      # on n2, the process that is to become the task
{
    for p in $(children $slave); do
        [ "$(cat /proc/$p/comm)" = hector-restore ] && echo $p
    done 2>/dev/null
}
slave=$(children $guard_n2 | tr -d ' ')
begin -H n3:1,n1:2 --oversubscribe --migratable
rank=$(sql "SELECT rank FROM tasks WHERE job = $job AND node = 'n3'")
# On a busy machine this shell may be late: it takes seconds in any case.
slower='dev eth0 root tbf rate 100mbit burst 1mb latency 50ms'
on n3 tc qdisc replace $slower || slower=
is "$(grep -c 'not reached' "$T/slave-n3.log")" 0 'another slave reaches all'
before=$(received n2)
hector migrate "$job.$rank" n2 >"$T/migrate" 2>&1 </dev/null &
mover=$!
# It goes on a bit at a time, from when it makes room until it has read that much.
while [ $(($(received n2) - before)) -le 10000000 ] && kill -0 $mover; do
    restorer=$(restorer)
    [ -z "$restorer" ] || kill -CONT $restorer
    [ -z "$restorer" ] || kill -STOP $restorer
done
ok 'an image is on its way' [ $(($(received n2) - before)) -gt 10000000 -a -n "$restorer" ]
apart n3 n2
wait_for "! kill -0 $mover 2>/dev/null" || kill -CONT $restorer
status=0
wait $mover || status=$?
is "$status" 1 '... when the cable is cut'
like "$T/migrate" "the job goes on: task $rank .*the link (to n2|from n3) is broken" \
    '... it is said what is broken'
is "$(nodes | grep -c n2) $(restorer)" '0 ' '... nobody is elsewhere'
further 2
[ -z "$slower" ] || on n3 tc qdisc del dev eth0 root
together n3 n2
moved 'and it moves when the cable is back' $job.$rank n2
whole 'nothing is lost of that, either'
done_testing
