# The techniques of SQLite's own tests: the n-th write or sync of the database
# fails, or is the last thing the master does before it is killed, for n of all
# sizes; kill -9 at any moment. Each time the job ends well, the file is whole,
# and every event is in it once.
# limit: 60
# shellcheck disable=SC2086,SC2154 # $R is several words
. "${0%/*}/../lib/t.sh"
need cc sqlite3

cat >"$T/fault.c" <<'END'
/* The FAULT_AT-th call that changes a file FAULT_FILE* fails with FAULT_ERRNO;
 * 0: the process is killed there, half of the write done. FAULT_TIMES calls
 * fail (0: only that one). One process in all, by the file FAULT_ONCE. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int fault(int fd, void (*half)(int, const void *, size_t, off_t),
                 const void *p, size_t n, off_t at)
{
    static long calls, left;
    static int ours = -1;
    const char *file = getenv("FAULT_FILE"), *times = getenv("FAULT_TIMES");
    char link[64], path[1000];
    ssize_t len;
    if (!file || !getenv("FAULT_AT"))
        return 0;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    len = readlink(link, path, sizeof(path) - 1);
    if (len < 0 || (path[len] = 0, strncmp(path, file, strlen(file))))
        return 0;
    if (left > 0 && left--)
        return atoi(getenv("FAULT_ERRNO"));
    if (++calls != atol(getenv("FAULT_AT")))
        return 0;
    ours = open(getenv("FAULT_ONCE"), O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (ours < 0)
        return 0;
    close(ours);
    left = times ? atol(times) : 0;
    if (atoi(getenv("FAULT_ERRNO")) == 0) {
        if (half)
            half(fd, p, n / 2, at);
        raise(SIGKILL);
    }
    return atoi(getenv("FAULT_ERRNO"));
}
#define REAL(name) __typeof__(&name) real = \
    (__typeof__(&name))dlsym(RTLD_NEXT, #name)
static void half_write(int fd, const void *p, size_t n, off_t at)
{
    REAL(pwrite64);
    if (real(fd, p, n, at) < 0)
        return;
}
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
    REAL(pwrite64);
    int e = fault(fd, half_write, p, n, at);
    return e ? errno = e, -1 : real(fd, p, n, at);
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
    return pwrite64(fd, p, n, at);
}
int fdatasync(int fd)
{
    REAL(fdatasync);
    int e = fault(fd, NULL, NULL, 0, 0);
    return e ? errno = e, -1 : real(fd);
}
int fsync(int fd)
{
    REAL(fsync);
    int e = fault(fd, NULL, NULL, 0, 0);
    return e ? errno = e, -1 : real(fd);
}
int ftruncate64(int fd, off64_t n)
{
    REAL(ftruncate64);
    int e = fault(fd, NULL, NULL, 0, 0);
    return e ? errno = e, -1 : real(fd, n);
}
END
cc -shared -fPIC -O1 -o "$T/fault.so" "$T/fault.c" -ldl || skip_all 'no compiler'

bad=0
judge()         # WHAT: the run before went well and left a good record
{
    job=$(sql 'SELECT max(job) FROM jobs')
    got="$status $(sql "SELECT state FROM jobs WHERE job = $job") $(sql "SELECT
        count(*), count(DISTINCT rank * 100000000 + seq), count(exit_ns),
        max(seq) FROM event WHERE job = $job") $(sql 'PRAGMA integrity_check')"
    want="0 done 6000|6000|6000|2999 ok"
    [ "$got" = "$want" ] && return
    bad=$((bad + 1))
    echo "# $1: $got"
    sed 's/^/#   /' "$T/err"
}
try()           # ERRNO TIMES N
{
    rm -f "$T/once"
    status=0
    FAULT_FILE=$HECTOR_DB FAULT_AT=$3 FAULT_ERRNO=$1 FAULT_TIMES=$2 \
        FAULT_ONCE="$T/once" LD_PRELOAD="$T/fault.so" \
        hector-run -n 2 "$APPS/tagloop" 3000 \
        >"$T/out" 2>"$T/err" </dev/null || status=$?
    [ ! -e "$T/once" ] || hit=$((hit + 1))
    judge "errno $1, $2 times, from call $3"
}
series()        # ERRNO TIMES DESCRIPTION N...
{
    tap_e=$1 tap_t=$2 tap_w=$3
    bad=0 hit=0
    shift 3
    for n; do
        try "$tap_e" "$tap_t" "$n"
    done
    is "$bad" 0 "$tap_w ($hit of $# were hit)"
    ok '... most of them were' [ "$hit" -ge $(($# / 2)) ]
}

# A new file first, then one that exists.
series 0 0 'killed at the first writes ever' 1
series 0 0 'killed at a write or sync' 1 2 3 4 5 6 7 8 9 10 12 14 17 20 25 30 40
series 28 0 'one write finds the disk full' 1 2 3 5 8 13 21 34
series 28 40 'forty writes find the disk full' 1 2 5 9 15 30
series 5 0 'one write fails (EIO)' 1 2 3 5 8 13 21 34
series 5 40 'forty writes fail (EIO)' 1 2 5 9 15 30

# kill -9 of the master at any moment, while two jobs run.
start_master
start_slave n1
wait_for 'sql "SELECT state FROM nodes WHERE node = '\''n1'\''" | grep -q up'
bad=0
for n in 1 2 3 4 5 6 7 8; do
    last=$(sql 'SELECT max(job) FROM jobs')
    hector-run --master "$master" -n 2 --oversubscribe "$APPS/tagloop" 3000 \
        >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    wait_for "[ \"\$(sql 'SELECT max(job) FROM jobs')\" -gt $last ]"
    sleep 0.$((n * 8 % 10))     # any moment will do
    kill -KILL "$master_pid"
    wait "$master_pid" 2>/dev/null
    launch_master "master-$n"
    status=0
    wait $runner || status=$?
    was=$bad
    judge "kill $n"
    [ "$bad" = "$was" ] || tail -n 5 "$T/master-$n.log" | sed 's/^/#   /'
done
is "$bad" 0 'killed at eight moments'
done_testing
