/* image_self.c - the process as a whole: see image_self.h. */
#include "mpi-wrappers/image/image_self.h"

#include <elf.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "mpi-wrappers/image/image_born.h"
#include "mpi-wrappers/image/sys.h"

enum { STATUS = 8192, MM_BRK = 5, TRACER_MS = 5, TRACER_LOOKS = 200 };

static uint64_t octal(uint64_t decimal)
{
    uint64_t n = 0;

    for (uint64_t unit = 1; decimal; decimal /= 10, unit *= 8)
        n += decimal % 10 * unit;
    return n;
}

/* Of the auxiliary vector. */
static uint64_t aux(const struct image_head *h, uint64_t type)
{
    Elf64_auxv_t a;

    for (size_t i = 0; i + sizeof(a) <= h->auxv_bytes; i += sizeof(a)) {
        memcpy(&a, h->auxv + i, sizeof(a));
        if (a.a_type == type)
            return a.a_un.a_val;
    }
    return 0;
}

static enum image_reason owner(struct image_tables *t)
{
    struct image_head *h = t->head;
    uint32_t real, effective, saved, greal, geffective, gsaved;

    sys(SYS_getresuid, &real, &effective, &saved);
    sys(SYS_getresgid, &greal, &geffective, &gsaved);
    if (real != effective || real != saved || greal != geffective ||
        greal != gsaved || aux(h, AT_SECURE))
        return IMAGE_REFUSE(t, IMAGE_OWNER, "it has rights that the user who "
                            "started it has not (set-user-id)");
    h->user = effective;
    h->group = geffective;
    return IMAGE_GOOD;
}

static bool has_shadow_stack(const char *status)
{
    const char *p = strstr(status, "\nx86_Thread_features:");

    if (!p)
        return false;
    for (p++; *p && *p != '\n'; p++)
        if (image_text_begins(p, "shstk"))
            return true;
    return false;
}

/* From what /proc/thread-self/status says, and no program could go on without. */
static enum image_reason watched(struct image_tables *t, const char *status)
{
    siginfo_t info;
    char number[24];
    struct image_text text;
    uint64_t tracer = image_text_field(status, "TracerPid", false);

    if (tracer) {
        image_text_begin(&text, number, sizeof(number));
        image_text_number(&text, tracer);
        return IMAGE_REFUSE(t, IMAGE_TRACED, "process ", number,
                            " traces it, as debuggers do");
    }
    if (has_shadow_stack(status))
        return IMAGE_REFUSE(t, IMAGE_MACHINE, "it has a shadow stack");
    if (sys(SYS_waitid, P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG |
            WNOWAIT | __WALL, 0) != -ECHILD)
        return IMAGE_REFUSE(t, IMAGE_CHILDREN, "it has child processes");
    return IMAGE_GOOD;
}

static enum image_reason timers(struct image_tables *t)
{
    char one[2];

    for (int i = 0; i < 3; i++) {
        struct image_timer *timer = &t->head->timer[i];

        sys(SYS_getitimer, i, timer);
        /* Its signal waits to be taken, only then it begins anew. */
        if (!timer->left_s && !timer->left_us &&
            (timer->again_s || timer->again_us))
            timer->left_us = 1;
    }
    if (sys_slurp("/proc/self/timers", one, sizeof(one)) > 0)
        return IMAGE_REFUSE(t, IMAGE_TIMER,
                            "it has a timer of timer_create(2)");
    return IMAGE_GOOD;
}

static enum image_reason directory(struct image_tables *t, char *buf)
{
    if (sys(SYS_getcwd, buf, STATUS) <= 0 || *buf != '/')
        return IMAGE_REFUSE(t, IMAGE_DIRECTORY,
                            "its working directory has no name any more");
    t->head->directory = image_arena_name(&t->arena, buf);
    return t->head->directory == (uint64_t)-1 ? IMAGE_MEMORY : IMAGE_GOOD;
}

/* From /proc/thread-self/stat, whose second field is a name with anything in it. */
static void addresses(struct image_head *h, char *buf)
{
    static const uint8_t field[IMAGE_MM] = { 26, 27, 45, 46, 47, 0, 28, 48, 49,
                                             50, 51 };
    const char *p;
    uint64_t v;

    if (sys_slurp("/proc/thread-self/stat", buf, STATUS) < 0 ||
        !(p = strrchr(buf, ')')))
        return;
    p += 2;                     /* the state, field 3 */
    for (int i = 3; *p; i++) {
        if (*p == '-')
            p++;
        v = image_text_decimal(&p);
        for (int k = 0; k < IMAGE_MM; k++)
            if (field[k] == i)
                h->mm[k] = v;
        while (*p && *p++ != ' ')
            ;
    }
    h->mm[MM_BRK] = (uint64_t)sys(SYS_brk, 0);
}

static enum image_reason dispositions(struct image_tables *t)
{
    struct image_head *h = t->head;

    _Static_assert(sizeof(struct image_timer) == sizeof(struct itimerval), "");
    for (int i = 1; i <= IMAGE_SIGNALS; i++)
        sys(SYS_rt_sigaction, i, 0, &h->action[i - 1], sizeof(uint64_t));
    for (int i = 0; i < IMAGE_LIMITS; i++)
        sys(SYS_prlimit64, 0, i, 0, &h->limit[i]);
    return timers(t);
}

/* Reads /proc/thread-self/status. A tracer that takes one look at the stack, as
 * a slave of Hector does, is gone after a moment; a debugger stays. */
static long status_read(char *buf)
{
    const struct timespec moment = { .tv_nsec = TRACER_MS * 1000000l };
    long n = 0;

    for (int i = 0; i < TRACER_LOOKS; i++) {
        n = sys_slurp("/proc/thread-self/status", buf, STATUS);
        if (n <= 0 || !image_text_field(buf, "TracerPid", false))
            break;
        sys(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &moment, 0);
    }
    return n;
}

enum image_reason image_self_read(struct image_tables *t)
{
    struct image_head *h = image_arena_take(&t->arena, sizeof(*h));
    char *buf = image_arena_take(&t->arena, STATUS);
    enum image_reason r;
    struct utsname kernel;
    long n;

    if (!h || !buf)
        return IMAGE_MEMORY;
    t->head = h;
    memcpy(h->magic, IMAGE_MAGIC, sizeof(h->magic));
    h->version = IMAGE_VERSION;
    h->bytes = sizeof(*h);
    if (!image_born_read(&h->cpu))
        return IMAGE_REFUSE(t, IMAGE_MACHINE, "images are of x86-64 only");
    sys(SYS_uname, &kernel);
    memcpy(h->release, kernel.release, sizeof(h->release) - 1);
    n = sys_slurp("/proc/thread-self/auxv", (char *)h->auxv, sizeof(h->auxv));
    h->auxv_bytes = n > 0 ? (uint64_t)n : 0;
    if (status_read(buf) <= 0)
        return IMAGE_REFUSE(t, IMAGE_MACHINE, "there is no /proc/thread-self here");
    h->umask = (uint32_t)octal(image_text_field(buf, "Umask", false));
    if ((r = watched(t, buf)) || (r = owner(t)) || (r = directory(t, buf)) ||
        (r = dispositions(t)))
        return r;
    addresses(h, buf);
    return IMAGE_GOOD;
}

uint64_t image_self_pending(char *buf, size_t size)
{
    return sys_slurp("/proc/thread-self/status", buf, size) > 0
               ? image_text_field(buf, "ShdPnd", true)
               : 0;
}

uint64_t image_self_pending_of(int tid, char *buf, size_t size)
{
    char path[40];
    struct image_text t;

    image_text_begin(&t, path, sizeof(path));
    image_text_add(&t, "/proc/");
    image_text_number(&t, (uint64_t)tid);
    image_text_add(&t, "/status");
    return sys_slurp(path, buf, size) > 0
               ? image_text_field(buf, "SigPnd", true)
               : 0;
}
