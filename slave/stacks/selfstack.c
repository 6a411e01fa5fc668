/* selfstack.c - tasks that tell their stack themselves. No field of the page is
 * trusted, and the page is looked up each time: it may go at any time. */
#include "slave/stacks/selfstack.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpi-wrappers/page.h"
#include "proto/base/array.h"
#include "slave/stacks/stacker_note.h"

struct asked { uint32_t position, number; };

struct selfstack {
    selfstack_answer_f *answer;
    stacker_page_f *page_of;
    void *arg, *page_arg;
    struct asked *v;            /* owned: no answer yet */
    size_t n, cap;
};

struct selfstack *selfstack_create(selfstack_answer_f *answer,
                                   stacker_page_f *page_of, void *page_arg,
                                   void *arg)
{
    struct selfstack *a = calloc(1, sizeof(*a));

    if (a) {
        a->answer = answer;
        a->page_of = page_of;
        a->page_arg = page_arg;
        a->arg = arg;
    }
    return a;
}

void selfstack_destroy(struct selfstack *a)
{
    if (a)
        free(a->v);
    free(a);
}

/* Does the process catch this signal, as its own word in the page says? */
static bool catches(pid_t pid, uint32_t sig)
{
    unsigned long long mask = 0;
    char path[40], line[256];
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "SigCgt: %llx", &mask) == 1)
            break;
    if (f)
        fclose(f);
    return mask >> (sig - 1) & 1;
}

/* NULL: it has no page now. */
static struct page_told *told_of(const struct selfstack *a, uint32_t position)
{
    char *page = a->page_of ? a->page_of(a->page_arg, position) : NULL;

    return page ? (struct page_told *)(void *)(page + page_told_at(
                      PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES))
                : NULL;
}

int selfstack_add(struct selfstack *a, uint32_t position, pid_t pid)
{
    struct page_told *told = told_of(a, position);
    uint32_t sig, tid, number;

    if (!told)
        return -1;
    sig = atomic_load_explicit(&told->signal, memory_order_acquire);
    tid = atomic_load_explicit(&told->tid, memory_order_relaxed);
    if (sig < (uint32_t)SIGRTMIN || sig > (uint32_t)SIGRTMAX ||
        !catches(pid, sig) || array_reserve(&a->v, &a->cap, a->n + 1))
        return -1;
    number = atomic_load_explicit(&told->ask, memory_order_relaxed) + 1;
    atomic_store_explicit(&told->ask, number, memory_order_release);
    /* The kernel checks that the thread is one of this process. */
    if (syscall(SYS_tgkill, pid, (pid_t)tid, (int)sig))
        return -1;
    a->v[a->n++] = (struct asked){ position, number };
    return 0;
}

static bool take_answer(struct selfstack *a, const struct asked *q)
{
    const struct page_told *told = told_of(a, q->position);
    uint64_t pc[PAGE_TOLD];
    uint32_t n;

    if (!told || atomic_load_explicit(&told->answer, memory_order_acquire) !=
                 q->number)
        return false;
    n = atomic_load_explicit(&told->frames, memory_order_relaxed);
    if (n > PAGE_TOLD)
        n = PAGE_TOLD;
    for (uint32_t i = 0; i < n; i++)
        pc[i] = atomic_load_explicit(&told->frame[i], memory_order_relaxed);
    a->answer(a->arg, q->position, pc, n);
    return true;
}

bool selfstack_open(struct selfstack *a)
{
    for (size_t i = 0; i < a->n; )
        if (take_answer(a, &a->v[i]))
            a->v[i] = a->v[--a->n];
        else
            i++;
    return a->n > 0;
}

void selfstack_end(struct selfstack *a, char (*notes)[STACKER_NOTE])
{
    selfstack_open(a);
    while (a->n > 0) {
        a->n--;
        notes[a->v[a->n].position][0] = '\0';
        note_set(notes[a->v[a->n].position], "ptrace is not permitted, and it"
                 " does not answer the signal");
    }
}
