# A program is written as an image while it works, at any point, and ends; what
# hector-restore makes of that goes on to the same results, generation after
# generation, and does not grow. What cannot be an image is refused before
# anything is stopped; a damaged one, or one that does not fit, before anything
# of it runs.
# limit: 80
# shellcheck disable=SC2086 # options are words
. "${0%/*}/../lib/t.sh"
need cc c++ gfortran
[ "$(uname -m)" = x86_64 ] || skip_all 'images are of x86-64 only'

cc -std=c11 -D_GNU_SOURCE -shared -fPIC -O2 -I"$top" -pthread \
    -o "$T/imaged.so" "$top/tests/lib/imaged.c" "$build/pic/image.a" || exit 1
cc -std=c11 -D_GNU_SOURCE -O2 -pthread -o "$T/program" \
    "$top/tests/lib/image_program.c" -lm || exit 1
mkfifo "$T/in"
exec 7<>"$T/in"

alone()         # COMMAND...: undisturbed, what it says in $T/alone
{
    : >"$T/stop"
    echo go >&7
    "$@" <&7 >"$T/alone" 2>"$T/alone.err"
    rm -f "$T/stop"
}

said()          # WORDS: how often the program has said so
{
    grep -c "imaged: $1" "$T/err"
}

begin()         # COMMAND...: in the background, with images; $task is its pid
{
    fresh out err
    rm -f "$T/stop" "$T/img"
    IMAGE_TO=$T/img LD_PRELOAD=$T/imaged.so "$@" <&7 >"$T/out" 2>"$T/err" &
    task=$!
    wait_for '[ "$(said ready)" -ge 1 ]'
}

image()         # an image of the task, which ends by it
{
    rm -f "$T/img"
    [ -z "${IMAGE_PIPE:-}" ] || { cat "$IMAGE_PIPE" >"$T/img.read" && mv "$T/img.read" "$T/img"; } &
    kill -USR2 $task
    wait $task
    status=$?
    [ -e "$T/img" ] || { echo "no image: the program has ended with $status"; return 1; }
}

restore()       # [OPTION]: the next generation
{
    restored=$(said restored)
    hector-restore "$T/img" "$@" <&7 >>"$T/out" 2>>"$T/err" &
    task=$!
    wait_for '[ "$(said restored)" -gt $restored ] || ! kill -0 $task'
    [ "$(said restored)" -gt $restored ]
}

generations()   # N [OPTION]: at any point of its work, which a nap gets it to
{
    many=$1
    shift
    for g in $(seq "$many"); do
        sleep "0.0$((g * 7 % 10))"
        image && restore "$@" || return
    done
}

ends()          # until it has ended, with its status
{
    : >"$T/stop"
    echo go >&7
    wait $task
}

same()          # DESCRIPTION N COMMAND...: by N generations as undisturbed
{
    what=$1 many=$2
    shift 2
    alone "$@"
    begin "$@"
    ok "$what: $many generations" generations "$many"
    ends
    status=$?
    is "$status $(cat "$T/out")" "0 $(cat "$T/alone")" "$what: the result is the same"
    [ $status = 0 ] || cat "$T/err" >&2
}

# ----------------------------------------------------------------- what works
for work in heap many vast deep registers signals files threads sleeps; do
    same "$work" 6 "$T/program" $work "$T/stop"
done

# By a thread that is not the first one.
export IMAGE_THREAD=1
for work in threads sleeps; do
    same "$work, by another thread" 6 "$T/program" $work "$T/stop"
done
unset IMAGE_THREAD

# Into a pipe, whose reader gets the pages themselves.
export IMAGE_PIPE="$T/fifo"
mkfifo "$IMAGE_PIPE"
for work in heap many vast threads files; do
    same "$work, by a pipe" 4 "$T/program" $work "$T/stop"
done
unset IMAGE_PIPE

# What it was started from has been replaced since.
cp "$T/program" "$T/replaced"
alone "$T/replaced" heap "$T/stop"
begin "$T/replaced" heap "$T/stop"
rm "$T/replaced"
ok 'a program without a file: 3 generations' generations 3
ends
is "$? $(cat "$T/out")" "0 $(cat "$T/alone")" '... and the result is the same'

# Where its work does not change what it has, nothing changes.
alone "$T/program" registers "$T/stop"
begin "$T/program" registers "$T/stop"
has()           # mappings, open files, threads, size of the image
{
    echo "$(wc -l <"/proc/$task/maps") $(find "/proc/$task/fd" -type l |
        wc -l) $(field Threads) $(($(stat -c %s "$T/img") / 65536))"
}
field()         # NAME: of /proc/PID/status
{
    sed -n "s/^$1:[^0-9]*\([0-9]*\).*/\1/p" "/proc/$task/status"
}
ok 'many: 3 generations' generations 3
first=$(has) memory=$(field RssAnon)
ok '... 17 more' generations 17
is "$(has)" "$first" \
    '... as many mappings, open files and threads, an image as large'
ok '... no more memory' [ "$(field RssAnon)" -lt $((memory + 512)) ]
ends
is "$? $(cat "$T/out")" "0 $(cat "$T/alone")" '... and the result is the same'

cat >"$T/throws.cc" <<'EOF'
#include <cstdio>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <unistd.h>
static long alive;
struct Counted {
    std::string name;
    explicit Counted(std::string n) : name(std::move(n)) { alive++; }
    Counted(const Counted &c) : name(c.name) { alive++; }
    ~Counted() { alive--; }
};
static long down(int depth, std::map<std::string, Counted> &m)
{
    Counted c(std::to_string(depth) + std::string(40, 'x'));
    m.emplace(c.name, c);
    if (depth == 0)
        throw std::runtime_error(c.name);
    return down(depth - 1, m) + 1;
}
static size_t round_of()
{
    std::map<std::string, Counted> m;
    size_t h = 0;
    for (int i = 0; i < 50; i++)
        try {
            down(i, m);
        } catch (const std::exception &e) {
            h = h * 31 + std::string(e.what()).size() + m.size();
        }
    for (auto &p : m)
        h = h * 33 + p.second.name.size();
    return h;
}
int main(int, char **argv)
{
    size_t first = round_of();
    do
        if (round_of() != first || alive != 0)
            return 1;
    while (access(argv[1], F_OK));
    std::cout << "throws: " << first << std::endl;
}
EOF
c++ -O2 -o "$T/throws" "$T/throws.cc" || exit 1
same 'exceptions of C++' 6 "$T/throws" "$T/stop"

cat >"$T/writes.f90" <<'EOF'
program writes
  implicit none
  real(8), allocatable :: a(:)
  real(8) :: one, first
  integer :: k, rounds
  logical :: over
  character(len=400) :: stop_name, file_name
  call get_command_argument(1, stop_name)
  call get_command_argument(2, file_name)
  allocate(a(20000))
  first = 0
  rounds = 0
  do
    open(unit=11, file=trim(file_name), status='replace')
    a = [(real(k, 8), k = 1, size(a))]
    do k = 1, 20
      a = sin(a) + cos(a * k) * exp(-abs(a) * 1d-3)
      write(11, '(i4,es24.16)') k, sum(a)
    end do
    rewind(11)
    do k = 1, 20
      read(11, '(4x,es24.16)') one
    end do
    close(11)
    if (rounds > 0 .and. one /= first) stop 1
    first = one
    rounds = rounds + 1
    inquire(file=trim(stop_name), exist=over)
    if (over .and. rounds > 1) exit
  end do
  write(*, '(a,es24.16)') 'writes: ', first
end program
EOF
gfortran -O2 -o "$T/writes" "$T/writes.f90" || exit 1
same 'files of Fortran' 6 "$T/writes" "$T/stop" "$T/written"
same '... beside a descriptor that was inherited' 6 "$T/writes" "$T/stop" "$T/written" 3<&0

cat >"$T/teams.c" <<'EOF'
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static double a[40000];
static double once(void)
{
    double sum = 0;
    for (int i = 0; i < 40000; i++)
        a[i] = i;
    for (int k = 0; k < 10; k++) {
#pragma omp parallel for schedule(dynamic, 500)
        for (int i = 0; i < 40000; i++)
            a[i] = sin(a[i] + k) + 1 / (1 + fabs(a[i]));
    }
    for (int i = 0; i < 40000; i++)
        sum += a[i];
    return sum;
}
int main(int argc, char **argv)
{
    double first = once();
    do
        if (once() != first)
            return argc;
    while (access(argv[1], F_OK));
    printf("teams: %.17g\n", first);
    return 0;
}
EOF
cc -O2 -fopenmp -o "$T/teams" "$T/teams.c" -lm || exit 1
export OMP_NUM_THREADS=4
same 'threads of OpenMP' 6 "$T/teams" "$T/stop"

cat >"$T/binds.c" <<'EOF'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
static char **words;            /* PROCESSOR 0110 STOPFILE: which threads have it alone */
static void *one(void *which)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(atoi(words[1]), &set);
    if (*(char *)which == '1')
        pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
    while (access(words[3], F_OK))
        usleep(1000);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    words = argv;
    for (int i = 1; i < 4; i++)
        pthread_create(&t, NULL, one, argv[2] + i);
    one(argv[2]);
    return argc != 4;
}
EOF
cc -D_GNU_SOURCE -O2 -pthread -o "$T/binds" "$T/binds.c" || exit 1
bound()         # processors of all threads, a line each
{
    sed -n 's/^Cpus_allowed_list:[^0-9]*//p' "/proc/$task/task"/*/status | sort
}
stay_bound()    # DESCRIPTION PROCESSORS COMMAND...: those of each thread
{
    what=$1 wanted=$2
    shift 2
    begin "$@"
    wait_for '[ "$(bound | xargs)" = "$wanted" ]'
    is "$(bound | xargs)" "$wanted" "$what are bound"
    ok '... for 3 generations' generations 3
    is "$(bound | xargs)" "$wanted" '... to the same processors'
    ends
}
may=$(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status)
case $may in
*[,-]*)
    last=$(echo "$may" | sed 's/.*[,-]//')
    stay_bound 'all threads' "$last $last $last $last" \
        taskset -c "$last" "$T/binds" "$last" 0000 "$T/stop"
    for which in 0110 1000; do
        stay_bound "threads $which" "$(echo "$which" | fold -w 1 |
            sed "s/0/$may/; s/1/$last/" | sort | xargs)" "$T/binds" "$last" $which "$T/stop"
    done
    ;;
*) skip 'threads are bound' 'there is one processor' ;;
esac

cat >"$T/leaves.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *stays(void *stop)
{
    unsigned long n = 0;
    while (access(stop, F_OK))
        n++;
    puts("the other one has stayed");
    fflush(stdout);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, stays, argv[argc - 1]);
    pthread_exit(NULL);
}
EOF
cc -O2 -pthread -o "$T/leaves" "$T/leaves.c" || exit 1
same 'the first thread has ended' 4 "$T/leaves" "$T/stop"

# The functions of the kernel's own code are led to another kernel's.
alone "$T/program" threads "$T/stop"
begin "$T/program" threads "$T/stop"
ok 'another kernel: 3 generations' generations 3 other-vdso
ok '... and one here again' generations 1
ends
is "$? $(cat "$T/out")" "0 $(cat "$T/alone")" '... with the same result'

# As on a processor that has no more registers than those of AVX: what the program has
# in them is found in the frames of signals, which are made as they would be there.
narrow=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ,-OSPKE
narrow=$narrow,-AMX_TILE,-AMX_BF16,-AMX_INT8,-AMX_FP16,-AMX_COMPLEX
cat >"$T/wide.c" <<'EOF'
#include <unistd.h>
int main(int argc, char **argv)
{
    while (access(argv[argc - 1], F_OK))
        for (volatile int i = 0; i < 1000000; i++)
            __asm__ volatile("vpternlogd $255, %%zmm7, %%zmm7, %%zmm7" : : : "xmm7");
    return 0;
}
EOF
told()          # COMMAND...: begun so that its C library uses no more
{
    export GLIBC_TUNABLES=$narrow
    begin "$@"
    unset GLIBC_TUNABLES
}
if grep -qw avx512f /proc/cpuinfo; then
    for work in registers threads signals; do
        alone "$T/program" $work "$T/stop"
        told "$T/program" $work "$T/stop"
        ok "$work where vectors are smaller: 3 generations" \
            generations 3 narrow-vectors
        ok '... and one here again' generations 1
        ends
        is "$? $(cat "$T/out")" "0 $(cat "$T/alone")" '... with the same result'
    done
    begin "$T/program" heap "$T/stop"
    image
    hector-restore "$T/img" narrow-vectors <&7 >"$T/out" 2>"$T/err"
    is "$? $(sed 's/.* needs a/needs a/; s/, .*, / ... /; s/:.*//' "$T/err")" \
        '125 needs a processor with AVX512F ... which this one has not' \
        'not what may use more'
    cc -O2 -o "$T/wide" "$T/wide.c" || exit 1
    told "$T/wide" "$T/stop"
    image
    hector-restore "$T/img" narrow-vectors <&7 >"$T/out" 2>"$T/err"
    is "$? $(sed 's/.* has registers/has registers/; s/:.*//' "$T/err")" \
        '125 has registers in use that this processor has not' \
        'not what is in registers that are not there'
else
    skip 'where vectors are smaller' 'this processor has no AVX512'
fi

# It goes on, and the image becomes another one, through a pipe.
export IMAGE_STAY=1
begin "$T/program" heap "$T/stop"
unset IMAGE_STAY
kill -USR2 $task
wait_for '[ -e "$T/img" ]'
# shellcheck disable=SC2002 # a pipe is meant
cat "$T/img" | hector-restore fd:9 9<&0 <&7 >"$T/out2" 2>>"$T/err" &
other=$!
wait_for '[ "$(said restored)" = 1 ]'
ends
one="$? $(cat "$T/out")"
wait $other
is "$one $? $(cat "$T/out2")" "0 $(cat "$T/out") 0 $(cat "$T/out")" \
    'an image by a pipe, of a program that goes on'

# ------------------------------------------------- memory that it has before
rooms()         # anonymous memory of the task
{
    awk '$2 == "rw-p" && $5 == 0 && ($6 == "" || $6 == "[heap]") &&
        length($1) < 30 { print $1 }' "/proc/$task/maps" |
        while IFS=- read -r from to; do     # not what is vast
            [ $((0x$to - 0x$from)) -gt 100000000 ] || echo "$from-$to"
        done | head -n "$1" | paste -s -d ,
}
more=700000000000-700000400000
roomy()         # N: generations that are restored into memory that waits for them
{
    for g in $(seq "$1"); do
        room=$(rooms 15),$more
        image || return
        restored=$(said restored)
        fresh words
        mkfifo "$T/way.$work.$g"
        hector-restore --report fd:8 --room "$room" fd:9 8>"$T/words" 9<>"$T/way.$work.$g" \
            <&7 >>"$T/out" 2>>"$T/err" &
        task=$!
        wait_for '[ -s "$T/words" ]' || return
        [ "$(field RssAnon)" -gt 4000 ] || return
        cat "$T/img" >"$T/way.$work.$g"
        wait_for '[ "$(said restored)" -gt $restored ] || ! kill -0 $task'
        [ "$(said restored)" -gt "$restored" ] || return
        [ "$(cat "$T/words")" = '' ] || return
    done
}
for work in heap many vast threads registers; do
    alone "$T/program" $work "$T/stop"
    begin "$T/program" $work "$T/stop"
    ok "$work: a generation" generations 1
    first=$(has) memory=$(field RssAnon)
    ok '... 4 that come into memory that is there' roomy 4
    if [ $work = registers ]; then      # the others change what they have
        is "$(has)" "$first" '... as many mappings, open files and threads'
        ok '... no more memory' [ "$(field RssAnon)" -lt $((memory + 512)) ]
    fi
    ok '... what it has no use for is gone' sh -c "! grep -q ^7000000 /proc/$task/maps"
    ends
    is "$? $(cat "$T/out")" "0 $(cat "$T/alone")" '... and the result is the same'
done
for room in x 1000 1000- 1000-1001 2000-1000 1000-2000x; do
    run hector-restore --room $room "$T/img"
    is $status 2 "--room $room: 2"
done

# -------------------------------------------------------------- what is refused
cat >"$T/odd.c" <<'EOF'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile int ready;
static void *deaf(void *stop)           /* to the C library's signals, too */
{
    unsigned long all = ~0ul, none = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof(all));
    ready = 1;
    while (access(stop, F_OK))
        ;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none));
    puts("hears");
    fflush(stdout);
    for (;;)
        pause();
}
static int brief;               /* the tracer goes when the signal has come */
static void trace(pid_t pid)
{
    int status;
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL))
        _exit(1);
    while (waitpid(pid, &status, __WALL) > 0) {
        ptrace(PTRACE_CONT, pid, NULL, WIFSTOPPED(status) ? WSTOPSIG(status) : 0);
        if (brief && WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR2) {
            usleep(100000);     /* the image has begun */
            break;
        }
    }
    _exit(0);
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int fds[2], fd;
    timer_t timer;
    pthread_t t;
    if (!strcmp(what, "deaf")) {
        pthread_create(&t, NULL, deaf, argv[2]);
        while (!ready)
            ;
    }
    brief = !strcmp(what, "looked-at");
    if (!strcmp(what, "traced") || brief) {
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
        if (fork() == 0)
            trace(getppid());
        while (!ready) {
            char text[4096] = "";
            fd = open("/proc/self/status", O_RDONLY);
            if (read(fd, text, sizeof(text) - 1) > 0 && !strstr(text, "TracerPid:\t0\n"))
                ready = 1;
            close(fd);
        }
    }
    if (!strcmp(what, "socket"))
        socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    if (!strcmp(what, "pipe") && pipe(fds))
        return 1;
    if (!strcmp(what, "child") && fork() == 0)
        for (;;)
            pause();
    if (!strcmp(what, "sysv")) {
        fd = shmget(IPC_PRIVATE, 4096, 0600);
        shmat(fd, NULL, 0);
        shmctl(fd, IPC_RMID, NULL);     /* when nobody has it any more */
    }
    if (!strcmp(what, "timer"))
        timer_create(CLOCK_MONOTONIC, NULL, &timer);
    if (!strcmp(what, "deleted")) {
        fd = open("large", O_RDWR | O_CREAT, 0600);
        unlink("large");
        if (ftruncate(fd, 17 << 20))
            return 1;
    }
    if (!strcmp(what, "shared")) {
        fd = memfd_create("odd", 0);
        if (ftruncate(fd, 4096))
            return 1;
        mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    }
    if (!strcmp(what, "directory")) {
        char name[] = "odd-XXXXXX";
        if (!mkdtemp(name) || chdir(name) || rmdir(strcat(
                strcpy(malloc(30), "../"), name)))
            return 1;
    }
    puts("set");
    fflush(stdout);
    for (;;)
        pause();
}
EOF
cc -O2 -w -pthread -o "$T/odd" "$T/odd.c" || exit 1
refuses()       # WHAT SENTENCE
{
    begin "$T/odd" "$1"
    wait_for 'grep -q set "$T/out"'
    kill -USR2 $task
    wait_for '[ "$(said refused)" = 1 ]'
    like "$T/err" "^imaged: refused: $2" "refused: $1"
    ok '... and it goes on' kill -0 $task
    # the child of one of them, too
    for p in $(cat "/proc/$task/task/$task/children") $task; do
        kill -KILL "$p"
    done
    wait $task 2>/dev/null
}
refuses socket 'descriptor [0-9]+ .* is a socket'
refuses pipe 'descriptor [0-9]+ .* is a pipe to somebody else'
refuses child 'it has child processes'
refuses traced 'process [0-9]+ traces it, as debuggers do'
# Who takes a look and goes, as a slave does for a stack, is none; but a child.
refuses looked-at 'it has child processes'
refuses timer 'it has a timer of timer_create'
refuses deleted 'descriptor .* more than 16 MiB'
refuses shared 'it may share memory with other processes'
refuses directory 'its working directory has no name'
refuses sysv 'it may share memory with other processes \(/SYSV'

begin "$T/odd" deaf "$T/stop"
wait_for 'grep -q set "$T/out"'
kill -USR2 $task
wait_for '[ "$(said refused)" = 1 ]'
like "$T/err" '^imaged: refused: a thread does not stop' 'a thread that is deaf'
: >"$T/stop"
wait_for 'grep -q hears "$T/out"'
ok '... hears again: an image' image
ok '... that goes on' restore
kill -KILL $task
wait $task 2>/dev/null

# -------------------------------------------------------------- what is damaged
begin "$T/program" files "$T/stop"
wait_for '[ -e somewhere/append ]'
ok 'an image to damage' image
cp "$T/img" "$T/good"
bytes=$(stat -c %s "$T/good")

dies()          # DESCRIPTION SENTENCE [IMAGE]: refused, and nothing has run
{
    run hector-restore "${3:-$T/img}"
    is "$status $(out)$(grep -c . "$T/err")" '125 1' "$1: refused"
    like "$T/err" "^hector-restore: .*$2" '... with a sentence'
}
flip()          # OFFSET: one bit of the byte there is another
{
    cp "$T/good" "$T/img"
    old=$(od -An -tu1 -j "$1" -N 1 "$T/good" | tr -d ' ')
    printf '%b' "\\0$(printf '%o' $((old ^ 1)))" |
        dd of="$T/img" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
cut()           # BYTES: no more of it
{
    head -c "$1" "$T/good" >"$T/img"
}
head_bytes=$(od -An -tu4 -j 12 -N 4 "$T/good" | tr -d ' ')
flip 0
dies 'its first byte' 'no image of a process'
flip 8
dies 'its version' 'is an image of version'
flip 30
dies 'its head' 'damaged: its head'
flip $((head_bytes - 1))
dies 'the end of its head' 'damaged: its head'
flip $((head_bytes + 100))
dies 'its tables' 'damaged: its tables'
for at in 2 3 4; do
    flip $((bytes * (at - 1) / at))
    dies "its memory at $((at - 1))/$at" 'damaged: its memory|ends too early'
done
flip $((bytes - 60))
dies 'the end of its memory' 'damaged: its memory|ends too early'
flip $((bytes - 1))
dies 'its last byte' 'damaged: its memory'
for n in 0 100 "$head_bytes" $((head_bytes + 1000)) $((bytes / 2)) \
    $((bytes - 48)) $((bytes - 1)); do
    cut $n
    dies "cut off behind $n bytes" 'ends too early|no image'
done
{ cat "$T/good"; echo more; } >"$T/img"
dies 'something behind it' 'goes on behind its end'
dies 'no file at all' 'cannot be opened: there is no such file' "$T/none"
dies 'a program' 'is no image of a process' "$T/program"
dies 'a descriptor that is not open' 'cannot be opened' fd:99

# ------------------------------------------------------------ what has vanished
cp "$T/good" "$T/img"
mv "$T/somewhere/named" "$T/named"
dies 'a file that was open and mapped is not there' '(needs|had opened) .*named, but there is no'
mv "$T/named" "$T/somewhere/named"
mv "$T/somewhere" "$T/elsewhere"
dies 'nor is its directory' '(needs|had opened|ran in) .*somewhere'
mv "$T/elsewhere" "$T/somewhere"
mv "$T/program" "$T/was"
dies 'nor is the program' 'needs .*program, but there is no such file'
cp "$T/odd" "$T/program"
dies 'it is another program' 'needs .*program as it was, and it has changed'
cp "$T/was" "$T/program"
ok 'a copy of the program does' restore
ends
is "$? $(cat "$T/out")" '0 files: 0000000000000007' '... and all is well again'

# --------------------------------------------------------------------- options
run hector-restore --help
is "$status" 0 'hector-restore --help'
like "$T/out" '^usage: hector-restore' '... says how it is used'
run hector-restore
is "$status" 2 'without an image it says that, too'
exec 7>&-
done_testing
