# Locks that know which thread has them, by its number, while images are made of the
# program and restored, where threads have other numbers: whoever had one has it, and
# whoever waits for it gets it. Nothing else that looks like one is changed.
# limit: 60
# shellcheck disable=SC2016 # evaluated later
. "${0%/*}/../lib/t.sh"
need cc c++
[ "$(uname -m)" = x86_64 ] || skip_all 'images are of x86-64 only'

cc -std=c11 -D_GNU_SOURCE -shared -fPIC -O2 -I"$top" -pthread \
    -o "$T/imaged.so" "$top/tests/lib/imaged.c" "$build/pic/image.a" || exit 1
cc -std=c11 -D_GNU_SOURCE -O2 -pthread -o "$T/locks" \
    "$top/tests/lib/image_locks.c" || exit 1

said()          # LINE: how often
{
    grep -cx "$1" "$T/err"
}
# N COMMAND...: an image each time that it holds what it shall
generations()
{
    many=$1
    shift
    fresh out err
    rm -f "$T/stop"
    IMAGE_TO=$T/img LD_PRELOAD=$T/imaged.so "$@" "$T/stop" </dev/null >"$T/out" 2>"$T/err" &
    task=$!
    for g in $(seq "$many"); do
        wait_for '[ "$(said held)" = $g ] || ! kill -0 $task' || return
        rm -f "$T/img"
        kill -USR2 $task
        wait $task
        status=$?
        [ -e "$T/img" ] || return $status
        hector-restore "$T/img" </dev/null >>"$T/out" 2>>"$T/err" &
        task=$!
        wait_for '[ "$(said "imaged: restored")" = $g ] || ! kill -0 $task'
    done
    : >"$T/stop"
    wait $task
}

for who in 'the first thread' 'another thread'; do
    [ "$who" = 'the first thread' ] || export IMAGE_THREAD=1
    generations 6 "$T/locks"
    is "$? $(cat "$T/out")" '0 locks: all right' \
        "mutexes and read-write locks, in an image by $who"
    cat "$T/err" >&2
done
unset IMAGE_THREAD

# Who has such a one may die for all that others know.
cat >"$T/shares.c" <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
    pthread_mutexattr_t a;
    pthread_mutex_t *m;
    if (argc < 3 || ftruncate(fd, 4096))
        return 2;
    m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(m, &a);
    pthread_mutex_lock(m);
    fputs("held\n", stderr);
    while (access(argv[2], F_OK))
        usleep(1000);
    return pthread_mutex_unlock(m);
}
C
cc -O2 -pthread -o "$T/shares" "$T/shares.c" || exit 1
fresh out err
rm -f "$T/stop"
IMAGE_TO=$T/img LD_PRELOAD=$T/imaged.so "$T/shares" "$T/file" "$T/stop" 2>"$T/err" &
task=$!
wait_for '[ "$(said held)" = 1 ]'
kill -USR2 $task
wait_for 'grep -q "imaged: [rw]e*[fr]" "$T/err"'
like "$T/err" 'imaged: refused: it holds a robust mutex in a file that is mapped as shared' \
    'not while a robust mutex is held that others see'
: >"$T/stop"
wait $task
is $? 0 '... and it goes on'

# In a container numbers of threads are those of much else: nothing is changed by guess.
if [ "$(id -u)" = 0 ] && unshare -pf true 2>/dev/null; then
    fresh out err
    rm -f "$T/stop" "$T/img"
    IMAGE_TO=$T/img LD_PRELOAD=$T/imaged.so unshare -pf --mount-proc --kill-child \
        "$T/locks" "$T/stop" </dev/null >"$T/out" 2>"$T/err" &
    task=$!
    wait_for '[ "$(said held)" = 1 ]'
    pkill -USR2 -P $task locks
    wait_for 'grep -q "imaged: [rw]e*[fr]" "$T/err"'
    like "$T/err" 'imaged: refused: .*its own is so small that other values are like it' \
        'not while one with a small number waits for a lock'
    : >"$T/stop"
    wait $task
    is "$? $(cat "$T/out")" '0 locks: all right' '... and it goes on'
else
    skip 'threads with small numbers' 'no namespace of processes here'
fi

cat >"$T/held.cc" <<'C'
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <system_error>
#include <thread>
#include <unistd.h>

static std::recursive_mutex recursive[2];
static std::recursive_timed_mutex timed;
static std::shared_mutex shared_;
static long wrong;

static void until_over(pid_t before, const char *stop)
{
    while (getpid() == before && access(stop, F_OK))
        usleep(1000);
}

static void hold(int i, pid_t before, const char *stop, void (*ready)(), void (*join)())
{
    std::lock_guard<std::recursive_mutex> one(recursive[i]);
    std::lock_guard<std::recursive_mutex> two(recursive[i]);
    ready();
    until_over(before, stop);
    if (!recursive[i].try_lock())
        wrong++;
    else
        recursive[i].unlock();
    join();
}

static std::thread other;
static const char *stop;
static pid_t before;

static void nothing() { }

static void begin()
{
    static bool is_ready;
    is_ready = false;
    other = std::thread([] {
        hold(1, before, stop, [] {
            timed.lock();
            timed.lock();
            shared_.lock();
            __atomic_store_n(&is_ready, true, __ATOMIC_SEQ_CST);
        }, nothing);
        if (!timed.try_lock())
            wrong++;
        timed.unlock(), timed.unlock(), timed.unlock();
        try {
            shared_.lock();
            wrong++;
        } catch (const std::system_error &e) {
            wrong += e.code() != std::errc::resource_deadlock_would_occur;
        }
        shared_.unlock();
    });
    while (!__atomic_load_n(&is_ready, __ATOMIC_SEQ_CST))
        usleep(100);
    fputs("held\n", stderr);
}

int main(int, char **argv)
{
    stop = argv[1];
    do {
        before = getpid();
        hold(0, before, stop, begin, [] { other.join(); });
        std::lock_guard<std::recursive_mutex> a(recursive[1]);
        std::lock_guard<std::recursive_timed_mutex> b(timed);
        std::lock_guard<std::shared_mutex> c(shared_);
        std::thread([] { std::lock_guard<std::recursive_mutex> d(recursive[0]); }).join();
    } while (access(stop, F_OK));
    printf("wrong: %ld\n", wrong);
}
C
c++ -std=c++17 -O2 -pthread -o "$T/held" "$T/held.cc" || exit 1
generations 4 "$T/held"
is "$? $(cat "$T/out")" '0 wrong: 0' 'locks of C++'
cat "$T/err" >&2
done_testing
