/* turns.c - see turns.h */
#include "slave/proc/turns.h"

#include <stdio.h>
#include <stdlib.h>

#include "slave/proc/procstate.h"
#include "slave/proc/smallfile.h"

/* 0: not known. */
static uint64_t read_thread(pid_t tid, bool *sleeps)
{
    char path[48], text[1024];

    if (tid <= 0)
        return 0;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
    if (!smallfile_read(path, text, sizeof(text)))
        return 0;
    *sleeps = procstate_letter(text) == 'S';
    snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)tid);
    return smallfile_read(path, text, sizeof(text)) ? strtoull(text, NULL, 10)
                                                    : 0;
}

/* What it had when it was first read, if that was in this call; else now_ns. */
static uint64_t first_of(const struct turns *t, const struct turns_of *of,
                         uint64_t now_ns)
{
    for (unsigned i = 0; i < t->n; i++)
        if (t->turn[i].of.tid == of->tid && t->turn[i].of.since == of->since &&
            t->turn[i].ns)
            return t->turn[i].first_ns;
    return now_ns;
}

void turns_read(struct turns *t, uint64_t progress, const struct turns_of *v,
                unsigned n)
{
    struct turns was = *t;

    if (was.progress != progress)
        was.n = 0;
    t->progress = progress;
    t->n = n < PAGE_SLOTS ? n : PAGE_SLOTS;
    for (unsigned i = 0; i < t->n; i++) {
        t->turn[i].of = v[i];
        t->turn[i].sleeps = false;
        t->turn[i].ns = read_thread(v[i].tid, &t->turn[i].sleeps);
        t->turn[i].first_ns = first_of(&was, &v[i], t->turn[i].ns);
    }
}

uint32_t turns_us(const struct turns *t, uint64_t progress)
{
    uint64_t least = UINT64_MAX, most = 0;

    if (t->n == 0 || t->progress != progress)
        return 0;
    for (unsigned i = 0; i < t->n; i++) {
        uint64_t ns = t->turn[i].ns - t->turn[i].first_ns;

        if (!t->turn[i].ns)
            return 0;
        most = ns > most ? ns : most;
        if (!t->turn[i].sleeps && ns < least)
            least = ns;
    }
    if (least == UINT64_MAX)
        least = most;
    least /= 1000;
    return least < UINT32_MAX ? (uint32_t)least + 1 : UINT32_MAX;
}
