/* inject_call.c - what stands around every call when the injector is loaded.
 *
 * The program's environment is looked at when it first calls MPI, so in a
 * program without MPI nothing happens at all. What strikes is written down
 * first: in the page (an event of the call, see hook.h) and, where
 * HECTOR_INJECT_LOG names a file, as a line at its end. */
#include "mpi-wrappers/inject/inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi-wrappers/handles/handle.h"
#include "mpi-wrappers/inject/inject_strike.h"
#include "mpi-wrappers/record/hook.h"

enum { TEXT_BYTES = 256 };

static struct inject_plan plan;
static uint32_t our_rank;
static _Atomic uint32_t written;        /* rules whose first strike is noted */
static _Atomic uint64_t init_ns;        /* when MPI_Init had returned */
static bool (*recorder_inside)(unsigned);
static void (*recorder_note)(int, const char *, size_t);
static void (*recorder_dropped)(void);

static _Thread_local unsigned depth;
static _Thread_local void *frame;       /* of the outermost call */

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The first of these variables that is set, as a number. */
static uint32_t env_number(const char *const *names, uint32_t none)
{
    for (; *names; names++) {
        const char *s = getenv(*names);

        if (s && *s >= '0' && *s <= '9')
            return (uint32_t)strtoul(s, NULL, 10);
    }
    return none;
}

static void start(void)
{
    static const char *const rank[] = { "HECTOR_RANK", "OMPI_COMM_WORLD_RANK",
        "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", NULL };
    static const char *const ntasks[] = { "HECTOR_NTASKS",
        "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL };
    const char *text = getenv("HECTOR_INJECT");
    char version[8192] = "";    /* MPI_MAX_LIBRARY_VERSION_STRING and more */
    int bytes = 0;
    int (*get_version)(char *, int *) = (int (*)(char *, int *))
        real_get(REAL_C, CALL_Get_library_version);
    void *p = dlsym(RTLD_DEFAULT, "hct_hook_inside");

    memcpy(&recorder_inside, &p, sizeof(p));
    p = dlsym(RTLD_DEFAULT, "hct_hook_note");
    memcpy(&recorder_note, &p, sizeof(p));
    p = dlsym(RTLD_DEFAULT, "hct_hook_dropped");
    memcpy(&recorder_dropped, &p, sizeof(p));
    if (get_version && get_version(version, &bytes) == 0)
        handle_choose(version);
    our_rank = env_number(rank, UINT32_MAX);
    if (text && inject_parse(&plan, text, our_rank,
                             env_number(ntasks, 0)) < 0)
        fprintf(stderr, "libhector-inject: HECTOR_INJECT \"%.200s\" is not in "
                "the form of hector-inject(7): nothing is injected\n", text);
}

/* One write(), so lines of several tasks do not mix. */
static void put_line(const char *text)
{
    const char *path = getenv("HECTOR_INJECT_LOG");
    char line[TEXT_BYTES + 128], host[64] = "";
    uint64_t now = clock_ns(CLOCK_REALTIME);
    int fd, n;

    if (!path || !*path)
        return;
    gethostname(host, sizeof(host) - 1);
    n = snprintf(line, sizeof(line), "%llu.%09llu rank %u pid %d on %s: %s\n",
                 (unsigned long long)(now / 1000000000u),
                 (unsigned long long)(now % 1000000000u), our_rank,
                 (int)getpid(), host, text);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, line, (size_t)n) != n)
        fprintf(stderr, "libhector-inject: cannot write %s: %s\n", path,
                strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* A delay of every call is written down once. */
static void write_down(unsigned i, unsigned call, int receiver)
{
    const struct inject_rule *r = &plan.rule[i];
    uint32_t bit = (uint32_t)1 << i;
    char text[TEXT_BYTES];

    if (atomic_fetch_or(&written, bit) & bit)
        return;
    inject_describe(r, call, receiver, text, sizeof(text));
    if (recorder_note)
        recorder_note(r->fault, text, strlen(text));
    put_line(text);
}

static void strike(void *rules)
{
    for (uint32_t due = (uint32_t)(uintptr_t)rules; due; due &= due - 1)
        inject_fault(&plan.rule[__builtin_ctz(due)]);
}

static uint64_t since_init(void)
{
    uint64_t init = atomic_load_explicit(&init_ns, memory_order_relaxed);

    return init ? clock_ns(CLOCK_MONOTONIC) - init : 0;
}

/* As in record.c: who is not deeper in the stack is not inside. */
static bool enter_outermost(unsigned call)
{
    void *here = __builtin_frame_address(0);

    if (depth++ > 0 && here >= frame)
        depth = 1;
    if (depth == 1)
        frame = here;
    return recorder_inside ? recorder_inside(call) : depth == 1;
}

bool inject_enter(unsigned call, int receiver, struct inject_call *c)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    bool drop = false;
    uint32_t due;

    pthread_once(&once, start);
    *c = (struct inject_call){ .outermost = enter_outermost(call) };
    if (!plan.n || !plan.of_call[call] || !c->outermost)
        return false;
    int saved = errno;

    if (receiver == handle_flavor.proc_null)
        receiver = INJECT_NOBODY;
    for (due = inject_due(&plan, call, receiver, since_init()); due;
         due &= due - 1) {
        unsigned i = (unsigned)__builtin_ctz(due);
        const struct inject_rule *r = &plan.rule[i];

        write_down(i, call, receiver);
        if (r->after)
            c->after |= (uint32_t)1 << i;
        else
            inject_fault(r);
        drop = drop || r->fault == INJECT_DROP;
    }
    if (drop && recorder_dropped)
        recorder_dropped();
    errno = saved;
    return drop;
}

void inject_leave(unsigned call, const struct inject_call *c)
{
    void *rules = (void *)(uintptr_t)c->after;
    const void *recorder;

    if (depth > 0)
        depth--;
    if ((call == CALL_Init || call == CALL_Init_thread) && c->outermost)
        atomic_store(&init_ns, clock_ns(CLOCK_MONOTONIC));
    if (!c->after)
        return;
    memcpy(&recorder, &recorder_note, sizeof(recorder));
    if (inject_return_arm(recorder, strike, rules))
        return;
    fprintf(stderr, "libhector-inject: cannot wait for the return of %s on "
            "this machine: what should strike after it strikes at its end\n",
            call_name(call));
    strike(rules);
}
