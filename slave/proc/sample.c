/* sample.c - what the page and /proc say of one task.
 *
 * The page is read without stopping the task. A slot whose sequence number
 * keeps changing is taken as it is after a few tries: the numbers are then a
 * call apart, which no reader of samples can tell. */
#include "slave/proc/sample.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpi-wrappers/page.h"
#include "proto/base/clock.h"

enum { TRIES = 4 };

#define LOAD(field) atomic_load_explicit(&(field), memory_order_relaxed)

static void read_slot(const struct page_slot *s, unsigned clock,
                      const struct ticks *ticks, struct sample_page *out)
{
    uint64_t in = 0, out_ticks = 0, since = 0, calls = 0, now, open;
    uint32_t call = 0, before;

    for (int i = 0; i < TRIES; i++) {
        before = atomic_load_explicit(&s->seq, memory_order_acquire);
        call = LOAD(s->call);
        calls = LOAD(s->calls);
        in = LOAD(s->in_ticks);
        out_ticks = LOAD(s->out_ticks);
        since = LOAD(s->since_ticks);
        atomic_thread_fence(memory_order_acquire);
        if (before % 2 == 0 && LOAD(s->seq) == before)
            break;
    }
    now = ticks_now(clock);
    open = since && now > since ? now - since : 0;
    *(call ? &in : &out_ticks) += open;
    out->calls += calls;
    out->in_ns += ticks_ns(ticks, clock, in);
    out->out_ns += ticks_ns(ticks, clock, out_ticks);
    out->waits += LOAD(s->waits);
    out->lost += LOAD(s->lost);
    if (!out->call)
        out->call = call < PAGE_CALLS ? call : 0;
}

void sample_page_read(const char *page, const struct ticks *ticks,
                      struct sample_page *out)
{
    const struct page_header *h = (const struct page_header *)page;
    uint32_t used = atomic_load_explicit(&h->slots_used,
                                         memory_order_acquire);

    memset(out, 0, sizeof(*out));
    for (unsigned i = 0; i < used && i < PAGE_SLOTS; i++)
        read_slot((const struct page_slot *)(page + page_slot_at(i)),
                  LOAD(h->clock), ticks, out);
}

void sample_page_add(struct sample_page *to, const struct sample_page *more)
{
    to->calls += more->calls;
    to->in_ns += more->in_ns;
    to->out_ns += more->out_ns;
    to->waits += more->waits;
    to->lost += more->lost;
    to->call = more->call;
}

int sample_proc_parse(const char *stat, bool children,
                      struct sample_proc *out)
{
    const char *p = strrchr(stat, ')');         /* the name may have any */
    uint64_t t[4];
    long long rss;

    if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
                     "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                     " %*d %*d %*d %*d %*u %*u %lld",
                     &t[0], &t[1], &t[2], &t[3], &rss) != 5)
        return -1;
    out->cpu_ns = (t[0] + t[1] + (children ? t[2] + t[3] : 0)) *
                  (CLOCK_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
    out->rss_bytes = rss < 0 ? 0 : (uint64_t)rss *
                     (uint64_t)sysconf(_SC_PAGESIZE);
    return 0;
}

int sample_proc_read(pid_t pid, bool children, struct sample_proc *out)
{
    char path[32], text[1024];
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (n <= 0)
        return -1;
    text[n] = '\0';
    return sample_proc_parse(text, children, out);
}

void sample_split_add(struct sample_split *s, uint64_t cpu_ns,
                      uint64_t in_ns, uint64_t out_ns)
{
    uint64_t cpu = cpu_ns > s->cpu_ns ? cpu_ns - s->cpu_ns : 0;
    uint64_t in = in_ns > s->in_ns ? in_ns - s->in_ns : 0;
    uint64_t out = out_ns > s->out_ns ? out_ns - s->out_ns : 0;

    if (in + out)
        s->cpu_in_ns += (uint64_t)((double)cpu * (double)in /
                                   (double)(in + out));
    s->cpu_ns += cpu;
    s->in_ns += in;
    s->out_ns += out;
}
