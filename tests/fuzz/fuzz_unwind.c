/* fuzz_unwind.c - any registers and any stack, in the code of this program: the
 * quick way through it finds what libdw finds. Each word of the input is a
 * place in the code, on the stack, or a number. What is not on the stack is
 * read from a copy of this process that does nothing, for in our own it may
 * change between the two. */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "slave/proc/procmaps.h"
#include "slave/stacks/unwind.h"

enum { MAPS = 1 << 20, WORDS = 256, DEPTH = 64 };
#define STACK 0x10000ull        /* nothing is mapped there */

static struct unwind *quick, *slow;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void start(void)
{
    static char maps[MAPS];
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    assert(pid > 0 && procmaps_read(pid, maps, sizeof(maps)) > 0);
    quick = unwind_create(pid, maps, NULL);
    slow = unwind_create(pid, maps, NULL);
    assert(quick && slow);
    unwind_slowly(slow);
}

static uint64_t word(uint32_t w)
{
    uint32_t n = w >> 2;

    switch (w & 3) {
    case 0: return STACK + n % (WORDS * 8);
    case 1: return (uintptr_t)qsort + n % 400000;
    case 2: return (uintptr_t)LLVMFuzzerTestOneInput + n % 400000;
    default: return n;
    }
}

static void fill(struct halt_copy *c, const uint8_t *data, size_t size)
{
    uint32_t n = (uint32_t)(size / sizeof(uint32_t)), w;

    c->nregs = 17;
    for (uint32_t i = 0; i < n && i < 17 + WORDS; i++) {
        memcpy(&w, data + i * sizeof(w), sizeof(w));
        if (i < 17) {
            c->regs[i] = word(w);
            continue;
        }
        uint64_t v = word(w);

        memcpy(c->stack + (i - 17) * sizeof(v), &v, sizeof(v));
        c->bytes += sizeof(v);
    }
    c->sp = c->regs[7];
    c->pc = c->regs[16];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct halt_copy copy;
    struct unwind_frame a[DEPTH], b[DEPTH];
    unsigned n;

    if (!quick)
        start();
    memset(&copy, 0, sizeof(copy));
    fill(&copy, data, size);
    n = unwind_trace(quick, &copy, a, DEPTH);
    if (unwind_trace(slow, &copy, b, DEPTH) != n)
        abort();
    for (unsigned i = 0; i < n; i++)
        if (!a[i].path != !b[i].path || a[i].address != b[i].address ||
            a[i].call != b[i].call ||
            (a[i].path && strcmp(a[i].path, b[i].path) != 0))
            abort();
    return 0;
}
