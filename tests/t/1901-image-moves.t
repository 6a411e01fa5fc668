# What moving a task asks of images: the restored process is told something,
# shared memory becomes its own, whoever starts hector-restore hears that it runs
# or why not, and a reserve of addresses costs nothing.
# limit: 60
. "${0%/*}/../lib/t.sh"
need cc
[ "$(uname -m)" = x86_64 ] || skip_all 'images are of x86-64 only'

# Writes an image of itself to a file, a pipe or a socket (argv[1] is
# descriptor N), and ends; restored it says what it finds.
cat >"$T/moves.c" <<'EOT'
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpi-wrappers/image/image.h"
enum { PAGE = 4096, SHARED = 64 << 20 };
static char told[16] = "before";
static long blocks(int fd)
{
    struct stat st;
    return fstat(fd, &st) ? -1 : (long)st.st_blocks;
}
static int private_now(void *at)
{
    char line[500], want[40];
    FILE *f = fopen("/proc/self/maps", "r");
    int found = 0;
    snprintf(want, sizeof(want), "%lx-", (unsigned long)at);
    while (fgets(line, sizeof(line), f))
        if (strncmp(line, want, strlen(want)) == 0)
            found = strstr(line, " rw-p ") != NULL;
    fclose(f);
    return found;
}
int main(int argc, char **argv)
{
    int image = atoi(argv[1]), page = memfd_create("page", MFD_CLOEXEC), rc, sig = -1;
    int but[] = { image, page };
    char why[300] = "", *shared, *anon, *reserve;
    struct image_range copy, plain[2];
    struct image_ask ask = { .but_fds = but, .nfds = 2, .told = told,
                             .told_size = sizeof(told) };
    long before, after;
    for (int fd = 3; fd < 1024; fd++)
        if (fd != image && fd != page)
            close(fd);
    if (ftruncate(page, SHARED))
        return 1;
    shared = mmap(NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    anon = mmap(NULL, SHARED, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    reserve = mmap(NULL, 4ul << 30, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (int i = 0; i < 40; i++)
        shared[(i < 20 ? i : 1000 + 7 * i) * PAGE] = (char)(i + 1);
    anon[5 * PAGE] = 5;
    reserve[1ul << 30] = 9;
    copy = (struct image_range){ (uint64_t)shared, (uint64_t)shared + SHARED };
    if (argc > 2) {             /* a part of it is not enough */
        copy.end -= PAGE;
    }
    ask.copy = &copy;
    ask.ncopies = 1;
    plain[0] = copy;
    if (image_refused(&(struct image_ask){ .but_fds = but, .nfds = 2 }, why,
                      sizeof(why)) != IMAGE_MAPPING)
        return puts("shared memory was not refused"), 1;
    before = blocks(page);
    rc = image_write(image, &ask, why, sizeof(why));
    if (rc < 0)
        return printf("refused: %s (%d)\n", why, rc), 1;
    if (rc == 0) {
        after = blocks(page);
        fprintf(stderr, "written: told '%s', %ld blocks more\n", told, after - before);
        return 0;
    }
    for (int i = 0; i < 40; i++)
        if (shared[(i < 20 ? i : 1000 + 7 * i) * PAGE] != i + 1)
            return puts("shared memory is not what it was"), 1;
    if (shared[500 * PAGE] || anon[5 * PAGE] != 5 || reserve[1ul << 30] != 9)
        return puts("memory is not what it was"), 1;
    prctl(PR_GET_PDEATHSIG, &sig);
    printf("told '%s', %s, group %s, at its parent's death %d\n", told,
           private_now(shared) ? "private" : "shared",
           getpgid(0) == getpid() ? "own" : "the same", sig);
    return fcntl(image, F_GETFD) != -1 || fcntl(page, F_GETFD) != -1 ? 7 : 3;
}
EOT
cc -std=c11 -D_GNU_SOURCE -O1 -I"$top" -o "$T/moves" "$T/moves.c" \
    "$build/pic/image.a" || exit 1

# Starts hector-restore as a slave does: dead with its parent, a group of its own,
# with a report; what is in descriptor 9 goes through a pipe or a socket, in odd pieces, up
# to so many bytes.
cat >"$T/starts.c" <<'EOT'
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int way[2], report[2], status = 0;
    long most = atol(argv[2]), sent = 0;
    char from[16], to[16], buf[70000], why[1000] = "";
    pid_t pid;
    if (strcmp(argv[1], "socket") ? pipe(way)
                                  : socketpair(AF_UNIX, SOCK_STREAM, 0, way))
        return 1;
    if (pipe(report))
        return 1;
    signal(SIGPIPE, SIG_IGN);
    pid = fork();
    if (pid == 0) {
        close(way[1]);
        close(report[0]);
        close(9);
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        snprintf(from, sizeof(from), "fd:%d", way[0]);
        snprintf(to, sizeof(to), "fd:%d", report[1]);
        if (argc > 3)
            execlp("hector-restore", "hector-restore", "--report", to, "--tell",
                   argv[3], from, (char *)NULL);
        execlp("hector-restore", "hector-restore", "--report", to, from,
               (char *)NULL);
        _exit(99);
    }
    close(way[0]);
    close(report[1]);
    for (int i = 1; sent < most; i++) {
        long n = 1 + (long)i * 7919 % (long)sizeof(buf);
        n = read(9, buf, (size_t)(n < most - sent ? n : most - sent));
        if (n <= 0)
            break;
        for (long at = 0, w; at < n; at += w)
            if ((w = write(way[1], buf + at, (size_t)(n - at))) < 0)
                at = n, w = 0;
        sent += n;
    }
    close(way[1]);
    for (size_t at = 0; at < sizeof(why) - 1; ) {
        long n = read(report[0], why + at, sizeof(why) - 1 - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    printf("report '%s'\n", why);
    fflush(stdout);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
EOT
cc -std=c11 -D_GNU_SOURCE -O1 -o "$T/starts" "$T/starts.c" || exit 1

run "$T/moves" 9 9>"$T/img"
is "$status $(cat "$T/err")" "0 written: told '', 0 blocks more" \
    'shared memory is written, and nothing comes into its holes'
ok 'neither they nor a reserve of 4 GiB are in the image' \
    [ "$(stat -c %s "$T/img")" -lt 700000 ]
run "$T/moves" 9 part 9>"$T/none"
like "$T/out" '^refused: it may share memory' 'a part of a mapping is not named'

for way in pipe socket; do
    run "$T/starts" $way 999999999 'a word or 2' 9<"$T/img"
    is "$status $(sort "$T/out")" "3 report ''
told 'a word or 2', private, group own, at its parent's death 9" "by a $way"
done
run "$T/starts" pipe 999999999 9<"$T/img"
is "$status $(sort "$T/out")" "3 report ''
told '', private, group own, at its parent's death 9" 'told nothing'
run "$T/starts" pipe 999999999 123456789012345 9<"$T/img"
is "$status $(sed -n '/^told/s/,.*//p' "$T/out")" "3 told '123456789012345'" \
    'as long as may be'
run "$T/starts" pipe 999999999 1234567890123456 9<"$T/img"
is "$status $(out)" \
    "125 report 'has no room for all that it shall be told (--tell)'" \
    'a letter too much'
is "$(cat "$T/err")" '' '... is said there alone'
for n in 0 10 3000 9000 200000 $(($(stat -c %s "$T/img") - 1)); do
    for way in pipe socket; do
        run "$T/starts" $way "$n" 9<"$T/img"
        is "$status $(sed 's/:.*//' "$T/out")" "125 report 'ends too early" \
            "a $way that ends after $n bytes"
    done
done

# ------------------------------------------------- signals that come meanwhile
# The image goes nowhere at first: everything stands still until it is read.
cat >"$T/waits.c" <<'EOT'
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpi-wrappers/image/image.h"
static int never[2], parent_way[2];
static _Atomic int handled, over, n, sleepers[5];
static void count(int signal_number)
{
    (void)signal_number;
    handled++;
}
static void only(int signal_number)
{
    sigset_t set;
    sleepers[n++] = (int)syscall(SYS_gettid);
    sigfillset(&set);
    sigdelset(&set, signal_number);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
}
static void *pauses(void *arg)
{
    only(SIGUSR1);
    pause();
    return over++, arg;
}
static void *suspends(void *arg)
{
    sigset_t set;
    only(SIGPROF);
    sigfillset(&set);
    sigdelset(&set, SIGUSR2);
    sigsuspend(&set);
    return over++, arg;
}
static void *reads(void *arg)
{
    char c;
    only(SIGALRM);
    if (read(never[0], &c, 1) == -1 && errno == EINTR)
        over++;
    return arg;
}
static void *reads_on(void *arg)        /* its handler has SA_RESTART */
{
    char c;
    only(SIGVTALRM);
    if (read(never[0], &c, 1) == 1)
        over += 100;
    return arg;
}
static void *polls(void *arg)           /* nobody wakes it */
{
    struct pollfd p = { .fd = never[0], .events = POLLIN };
    only(SIGPROF);
    if (poll(&p, 1, -1) == 1)
        over += 10;
    return arg;
}
int main(int argc, char **argv)
{
    void *(*f[])(void *) = { pauses, suspends, reads, reads_on, polls };
    struct image_ask ask = { 0 };
    static const int woken[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM };
    static int but[1024];
    struct sigaction sa = { .sa_handler = count };
    int fds[2], out, rc;
    pthread_t t[5];
    char why[300] = "", buf[4096], path[60], text[300];
    sigset_t set;
    (void)argc, (void)argv;
    sigfillset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    if (pipe(never) || pipe(fds) || pipe(parent_way))
        return 1;
    if (fork()) {               /* the parent sends, when the child stands */
        int status;
        pid_t child;
        close(fds[1]);
        if (read(fds[0], buf, 1) != 1 ||
            read(parent_way[0], &child, sizeof(child)) != sizeof(child))
            return 1;
        for (int i = 0; i < 4; i++)
            kill(child, woken[i]);
        while (read(fds[0], buf, sizeof(buf)) > 0)
            ;
        wait(&status);
        return status != 0;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    rc = getpid();
    if (write(parent_way[1], &rc, sizeof(rc)) != sizeof(rc))
        return 1;
    for (int i = 0; i < 4; i++) {
        sa.sa_flags = woken[i] == SIGVTALRM ? SA_RESTART : 0;
        sigaction(woken[i], &sa, NULL);
    }
    for (int i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, f[i], NULL);
    for (int i = 0; i < 5; i++) /* until each sleeps where it shall */
        do {
            FILE *file;
            while (!sleepers[i])
                usleep(1000);
            snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", sleepers[i]);
            file = fopen(path, "r");
            if (!file || !fgets(text, sizeof(text), file))
                text[0] = 'r';
            if (file)
                fclose(file);
        } while (text[0] == 'r');
    usleep(50000);
    for (int fd = 0; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            but[ask.nfds++] = fd;
    ask.but_fds = but;
    rc = image_write(fds[1], &ask, why, sizeof(why));
    close(fds[1]);
    if (rc)
        return printf("refused: %s\n", why), 1;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    while (handled < 4)
        usleep(1000);
    out = over;
    if (write(never[1], "ab", 2) != 2)
        return 1;
    pthread_join(t[4], NULL);
    pthread_join(t[3], NULL);
    printf("woken: %d of 3, handled %d, slept on: %d\n", out, handled, over - out);
    return 0;
}
EOT
cc -std=c11 -D_GNU_SOURCE -O1 -w -pthread -I"$top" -o "$T/waits" "$T/waits.c" \
    "$build/pic/image.a" || exit 1
run timeout -s KILL 60 "$T/waits"
is "$status $(out)" '0 woken: 3 of 3, handled 4, slept on: 110' \
    'signals that come while all stand still wake whom they should'

# Options.
run hector-restore --tell
is "$status" 2 '--tell alone'
run hector-restore --report 3 "$T/img"
is "$status" 2 '--report takes fd:N'
run hector-restore --wrong "$T/img"
is "$status" 2 'no such option'
run hector-restore "$T/img" "$T/img"
is "$status" 2 'two images'
run hector-restore fd:4294967299 3<"$T/img"
is "$status" 125 'a descriptor that cannot be'
run hector-restore --report fd:2 --tell x "$T/none"
is "$status $(cat "$T/err")" '125 is no image of a process' '--report fd:2'
done_testing
