/* restore_threads.c - threads, and the process: see restore_threads.h. */
#include "mpi-wrappers/restore/restore_threads.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "mpi-wrappers/image/image_processors.h"
#include "mpi-wrappers/image/sys.h"
#include "mpi-wrappers/restore/restore_owners.h"
#include "mpi-wrappers/restore/restore_start.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

enum { SET_GS = 0x1001, SET_FS = 0x1002, ASK = 0x1023 };    /* of arch_prctl(2) */
enum { TILES = 18 };            /* registers that programs have to ask for */
#ifndef SYS_arch_prctl
#define SYS_arch_prctl -1
#endif

/* What prctl(2) takes for PR_SET_MM_MAP. */
struct mm_map {
    uint64_t field[IMAGE_MM];
    const void *auxv;
    uint32_t auxv_bytes, exe_fd;
};

/* /proc/self/exe becomes the program where that is allowed; it does not matter
 * to the program itself. */
static void set_addresses(const struct restore *r)
{
    const struct image_head *h = &r->head;
    struct mm_map map = { .auxv = h->auxv,
                          .auxv_bytes = (uint32_t)h->auxv_bytes };
    const char *program = r->names + h->program;
    int fd = *program ? sys_open(program, O_RDONLY) : -1;
    long rc = -1;

    memcpy(map.field, h->mm, sizeof(map.field));
    map.exe_fd = (uint32_t)fd;
    if (fd >= 0)
        rc = sys(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0);
    map.exe_fd = (uint32_t)-1;
    if (rc < 0)
        rc = sys(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0);
    if (fd >= 0)
        sys_close(fd);
    if (rc < 0)
        restore_refuse(r, "cannot become a process here: this kernel does not "
                       "let a process say where its heap is "
                       "(CONFIG_CHECKPOINT_RESTORE); choose another node",
                       NULL);
}

/* Where this process may not have as much, as much as it may. */
static void set_limits(const struct image_head *h)
{
    for (int i = 0; i < IMAGE_LIMITS; i++) {
        struct image_limit now, want = h->limit[i];

        if (sys(SYS_prlimit64, 0, i, &want, 0) == 0 ||
            sys(SYS_prlimit64, 0, i, 0, &now) != 0)
            continue;
        want.hard = now.hard;
        if (want.soft > want.hard)
            want.soft = want.hard;
        sys(SYS_prlimit64, 0, i, &want, 0);
    }
}

/* Each thread's become those that it is bound to here; none: as it begins, with what
 * the first one has. */
static void bind(struct restore *r)
{
    const struct image_processors none = { { 0 } };
    struct image_processors here, to;
    bool first = false;

    image_processors_of(0, &here);
    for (size_t i = 0; i < r->head.nthreads; i++) {
        struct image_thread *t = &r->threads[i];
        bool bound = image_processors_here(&t->bound, &r->head.given, &here, &to);

        if (i == 0)
            first = bound;
        t->bound = bound ? to : first ? here : none;
    }
}

void restore_threads_prepare(struct restore *r)
{
    const struct image_head *h = &r->head;

    set_addresses(r);
    if (h->cpu.permitted & 1ull << TILES && sys(SYS_arch_prctl, ASK, TILES))
        restore_refuse(r, "needs a processor with tiles of registers (AMX), "
                       "which this one has not: choose a node like the one it "
                       "was made on", NULL);
    if (sys(SYS_chdir, r->names + h->directory) < 0)
        restore_refuse(r, "ran in ", r->names + h->directory, ", which cannot "
                       "be entered", NULL);
    sys(SYS_umask, h->umask);
    for (int i = 1; i <= IMAGE_SIGNALS; i++)
        sys(SYS_rt_sigaction, i, &h->action[i - 1], 0, sizeof(uint64_t));
    set_limits(h);
    bind(r);
}

static void send_pending(uint64_t pending, int tid)
{
    long pid = sys(SYS_getpid);

    for (int i = 1; i <= IMAGE_SIGNALS; i++)
        if (!(pending & 1ull << (i - 1)))
            continue;
        else if (tid)
            sys(SYS_tgkill, pid, tid, i);
        else
            sys(SYS_kill, pid, i);
}

/* What a thread can do for itself alone. All signals are blocked. */
static void become(const struct image_thread *t)
{
    stack_t other = { .ss_sp = (void *)t->other_stack,
                      .ss_flags = t->other_flags & (int)SS_AUTODISARM,
                      .ss_size = t->other_bytes };

    if (image_processors_next(&t->bound, 0) < IMAGE_PROCESSORS)
        sys(SYS_sched_setaffinity, 0, sizeof(t->bound.w), t->bound.w);
    sys(SYS_set_robust_list, t->robust, t->robust_bytes);
    if (t->rseq) {
        /* As if it had never been registered. */
        *(volatile uint64_t *)(t->rseq + 8) = 0;
        *(volatile uint32_t *)(t->rseq + 4) = (uint32_t)-1;
        sys(SYS_rseq, t->rseq, t->rseq_bytes, 0, t->rseq_mark);
    }
    if (!(t->other_flags & SS_DISABLE))
        sys(SYS_sigaltstack, &other, 0);
    if (t->gs)
        sys(SYS_arch_prctl, SET_GS, t->gs);
    sys(SYS_prctl, PR_SET_NAME, t->name);
    send_pending(t->pending, (int)sys(SYS_gettid));
}

void restore_threads_one(const struct image_thread *t)
{
    become(t);
    restore_start_jump(&t->context);
}

void restore_threads_begin(struct restore *r)
{
    const uint64_t flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM |
                           CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |
                           CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
    const struct image_thread *first = &r->threads[0];
    char buf[32];

    *(struct image_back *)r->head.back = r->hole;
    if (r->head.told)
        memcpy((char *)r->head.told, r->tell, strlen(r->tell) + 1);
    sys(SYS_arch_prctl, SET_FS, first->fs);
    sys(SYS_set_tid_address, first->tid_address);
    if (first->tid_address)
        *(int32_t *)first->tid_address = (int32_t)sys(SYS_gettid);
    become(first);
    for (size_t i = 1; i < r->head.nthreads; i++) {
        long rc = restore_start_thread(flags, &r->threads[i]);

        if (rc < 0)
            restore_refuse(r, "has threads that cannot be made again: ",
                           restore_error(rc, buf, sizeof(buf)), NULL);
    }
    restore_owners_renumber(r);
    send_pending(r->head.pending, 0);
    for (int i = 0; i < 3; i++)
        sys(SYS_setitimer, i, &r->head.timer[i], 0);
    if (r->report >= 0)
        sys_close(r->report);
    restore_start_jump(&first->context);
}
