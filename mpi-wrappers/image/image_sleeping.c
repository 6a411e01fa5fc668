/* image_sleeping.c - a thread that sleeps: see image_sleeping.h.
 *
 * Our signal ends some calls with EINTR, which nobody shall see: those are
 * made once more. Others the kernel has made ready to be made once more. But
 * if the handler of a signal that came while all stood still is going to run
 * first, and the call would have ended by that, it has to end now: who waits
 * in pause(2) would never hear of it again.
 *
 * Who waits for a mutex that knows who has it may have looked up its own
 * number before, and goes on with that. */
#include "mpi-wrappers/image/image_sleeping.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>
#include <time.h>

#include "mpi-wrappers/image/format.h"
#include "mpi-wrappers/image/image_lock.h"
#include "mpi-wrappers/image/image_text.h"
#include "mpi-wrappers/image/sys.h"

struct image_sleeping image_sleeping_read(int tid)
{
    struct image_sleeping s = { .call = -1 };
    struct image_text t;
    char path[40], text[256];
    const char *p = text;
    uint64_t number, v[8] = { 0 };

    image_text_begin(&t, path, sizeof(path));
    image_text_add(&t, "/proc/");
    image_text_number(&t, (uint64_t)tid);
    image_text_add(&t, "/syscall");
    /* "230 0x0 ... sp pc", "-1 sp pc", or "running" */
    if (sys_slurp(path, text, sizeof(text)) <= 0 || *p < '0' || *p > '9')
        return s;
    number = image_text_decimal(&p);
    for (int i = 0; i < 8; i++) {
        while (*p == ' ')
            p++;
        if (image_text_begins(p, "0x"))
            p += 2;
        v[i] = image_text_hex(&p);
    }
    return (struct image_sleeping){ (long)number, v[6], v[7] };
}

#if defined(__x86_64__)
enum { CALL_BYTES = 2 };                /* the instruction syscall */

/* A signal that is not for this thread alone may be taken by another one that
 * sleeps: so it is made this one's. false: somebody else has it. */
static bool claim(int signal_number)
{
    const struct timespec now = { 0 };
    uint64_t set = 1ull << (signal_number - 1);
    long pid = sys(SYS_getpid), tid = sys(SYS_gettid);
    siginfo_t info;

    if (sys(SYS_rt_sigtimedwait, &set, &info, &now, sizeof(set)) < 0)
        return false;
    if (sys(SYS_rt_tgsigqueueinfo, pid, tid, signal_number, &info) < 0)
        sys(SYS_tgkill, pid, tid, signal_number);
    return true;
}

/* Does a handler run before the thread does? always: also one of those after
 * which calls are made once more. */
static bool is_woken(uint64_t mask, bool always)
{
    uint64_t pending = 0;
    bool woken = false;

    sys(SYS_rt_sigpending, &pending, sizeof(pending));
    pending &= ~mask & ~IMAGE_LIBRARY_SIGNALS;
    for (int i = 1; i <= IMAGE_SIGNALS; i++) {
        struct image_action a;

        if (!(pending & 1ull << (i - 1)))
            continue;
        sys(SYS_rt_sigaction, i, 0, &a, sizeof(a.mask));
        if (a.handler > 1 && (always || !(a.flags & SA_RESTART)))
            woken |= claim(i);
    }
    return woken;
}

void image_sleeping_settle(const struct image_sleeping *s, ucontext_t *u)
{
    greg_t *r = u->uc_mcontext.gregs;
    uint64_t mask;

    if (s->call < 0 || (uint64_t)r[REG_RSP] != s->sp)
        return;
    __builtin_memcpy(&mask, &u->uc_sigmask, sizeof(mask));
    if (r[REG_RAX] == -EINTR && (uint64_t)r[REG_RIP] == s->pc) {
        if (is_woken(mask, true))
            return;
        r[REG_RAX] = s->call;
        r[REG_RIP] -= CALL_BYTES;
    } else if (r[REG_RAX] == s->call &&
               (uint64_t)r[REG_RIP] == s->pc - CALL_BYTES) {
        if (!is_woken(mask, false))
            return;
        r[REG_RAX] = -EINTR;
        r[REG_RIP] += CALL_BYTES;
    }
}

/* A mutex that knows who has it: as restore_owners.c has them, held or not. */
static bool is_lock(uint64_t at)
{
    enum { USERS = 3, KIND, SPINS, LIST, WORDS = 10 };
    enum { MANY = 1 << 22 };
    uint32_t m[WORDS], kind;
    struct iovec to = { m, sizeof(m) }, from = { (void *)at, sizeof(m) };
    long pid = sys(SYS_getpid);

    if (at % 8 || sys(SYS_process_vm_readv, pid, &to, 1, &from, 1, 0) !=
                  (long)sizeof(m))
        return false;
    kind = m[KIND];
    if (kind & ~(uint32_t)LOCK_KINDS || m[USERS] >= MANY || m[SPINS])
        return false;
    return kind & LOCK_ROBUST || ((kind & (LOCK_TYPE | LOCK_INHERITS)) &&
           !(m[LIST] | m[LIST + 1] | m[LIST + 2] | m[LIST + 3]));
}

static bool waits_for_lock(const struct image_sleeping *s, const ucontext_t *u)
{
    const greg_t *r = u->uc_mcontext.gregs;

    return s->call == SYS_futex && (uint64_t)r[REG_RSP] == s->sp &&
           is_lock((uint64_t)r[REG_RDI]);
}

bool image_sleeping_is_doubtful(const struct image_sleeping *s, const ucontext_t *u,
                                int number)
{
    enum { TELLING = 300 };

    return number < TELLING && waits_for_lock(s, u);
}

/* Is the word the upper half of an address? Where numbers of threads are small,
 * some are the upper halves of what is mapped there. */
static bool is_of_address(const int *word)
{
    enum { PAGE = 4096 };
    uint64_t at;
    unsigned char in_core;

    if ((uint64_t)word % 8 == 0)
        return false;
    __builtin_memcpy(&at, word - 1, sizeof(at));
    return sys(SYS_mincore, at & ~(uint64_t)(PAGE - 1), 1, &in_core) == 0;
}

/* In one of the registers that a system call leaves alone, or in the frame of
 * the function that waits, which is on top of the stack. */
void image_sleeping_renumber(const struct image_sleeping *s, ucontext_t *u,
                             int was, int is)
{
    enum { FRAME = 512 };
    static const int kept[] = { REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14,
                                REG_R15 };
    greg_t *r = u->uc_mcontext.gregs;
    int *top = (int *)(uint64_t)r[REG_RSP];

    if (was == is || !waits_for_lock(s, u))
        return;
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (r[kept[i]] == was)
            r[kept[i]] = is;
    for (size_t i = 0; i < FRAME / sizeof(*top); i++)
        if (top[i] == was && !is_of_address(&top[i]))
            top[i] = is;
}

bool image_sleeping_is_half(const ucontext_t *u, const struct image_range *text,
                            size_t n)
{
    const greg_t *r = u->uc_mcontext.gregs;
    uint64_t at = (uint64_t)r[REG_RIP];
    const unsigned char *code = (const unsigned char *)at;

    for (size_t i = 0; i < n; i++)
        if (text[i].start + CALL_BYTES <= at && at < text[i].end - CALL_BYTES)
            return (code[0] != 0x0f || code[1] != 0x05) &&
                   (code[-2] != 0x0f || code[-1] != 0x05 ||
                    r[REG_RAX] != -EINTR);
    return false;
}
#else
void image_sleeping_renumber(const struct image_sleeping *s, ucontext_t *u,
                             int was, int is)
{
    (void)s, (void)u, (void)was, (void)is;
}

bool image_sleeping_is_doubtful(const struct image_sleeping *s, const ucontext_t *u,
                                int number)
{
    return (void)s, (void)u, (void)number, false;
}

bool image_sleeping_is_half(const ucontext_t *u, const struct image_range *text,
                            size_t n)
{
    return (void)u, (void)text, (void)n, false;
}

void image_sleeping_settle(const struct image_sleeping *s, ucontext_t *u)
{
    (void)s, (void)u;
}
#endif
