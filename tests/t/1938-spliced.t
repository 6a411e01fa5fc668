# The image of a task goes through a connection of its own: a cut of the network of some
# seconds is survived, and one that ends too early, as of a slave that is killed, is found
# where it comes, and the job goes on where it was.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3 cc
. "$top/tests/lib/rounds.sh"

# As long as a file is there, no more than 3 MB of what the slave writes into a link of
# TCP as an image arrives, and then there is an end.
cat >"$T/short.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t write(int to, const void *p, size_t n)
{
    static ssize_t (*real)(int, const void *, size_t);
    static size_t sent;
    int family = 0;
    socklen_t size = sizeof(family);
    ssize_t did;

    if (!real)
        real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (getsockopt(to, SOL_SOCKET, SO_DOMAIN, &family, &size) ||
        (family != AF_INET && family != AF_INET6) || access(getenv("SHORT"), F_OK))
        return real(to, p, n);
    if (sent >= 3000000) {
        shutdown(to, SHUT_WR);
        return (ssize_t)n;
    }
    did = real(to, p, n);
    sent += did > 0 ? (size_t)did : 0;
    return did;
}
C
cc -shared -fPIC -o "$T/short.so" "$T/short.c" || exit 1
SHORT=$T/short LD_PRELOAD=$T/short.so
export SHORT LD_PRELOAD
start_nodes
unset SHORT LD_PRELOAD
R="hector-run --master $master"
tasks=3 more=ballast=100

nodes()         # of the tasks, by rank
{
    sql "SELECT node FROM tasks WHERE job = $job ORDER BY rank" | xargs
}
again()         # how many segments n1 has sent again so far
{
    on n1 awk '$1 == "Tcp:" && $13 ~ /^[0-9]+$/ { print $13 }' /proc/net/snmp
}
received()      # by n2: bytes
{
    on n2 awk '$1 == "eth0:" { print $2 }' /proc/net/dev
}

# ------------------------------------------------------------------ too short
begin -H n1:1,n3:2 --oversubscribe --migratable
: >"$T/short"
run hector migrate $job.0 n2
is "$status" 1 'an image that ends too early is no task'
cut='(ends too early: it was cut off|the link (from n1|to n2) is broken)'
like "$T/err" "the job goes on: task 0 .*$cut" '... which is said'
is "$(nodes)" 'n1 n3 n3' '... nobody has moved'
further 2
rm "$T/short"

# ------------------------------------------------------------- cut for a while
if on n1 tc qdisc replace dev eth0 root tbf rate 100mbit burst 1mb latency 50ms; then
    before=$(received)
    hector migrate "$job.0" n2 >"$T/migrate" 2>&1 </dev/null &
    mover=$!
    ok 'an image is on its way' wait_for '[ $(($(received) - before)) -gt 10000000 ]'
    on n2 ip route add blackhole 10.66.0.1/32
    before=$(again)
    ok 'nothing comes back for seconds' wait_for '[ $(($(again) - before)) -ge 6 ]'
    ok '... and the move waits' kill -0 $mover
    on n2 ip route del blackhole 10.66.0.1/32
    status=0
    wait $mover || status=$?
    is "$status $(nodes)" '0 n2 n3 n3' '... and goes on'
    cat "$T/migrate" >&2
else
    skip 'a cut of some seconds is survived' 'no link can be made slower'
fi
whole 'nothing is lost'
done_testing
