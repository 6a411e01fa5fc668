/* lookwire.h - what looks at tasks are made of, written and read by hand: the
 * same bytes that protobuf-c makes of the message Looked, for a small part of the
 * instructions. For series, where a hundred looks a second count.
 *
 * Only what a look without details has: job, seq, after_ns and tasks. What else
 * there is is passed over, as an unknown field is. A task begins with its rank,
 * as every writer puts it: one whose rank stands elsewhere makes no sense. */
#ifndef HECTOR_LOOKWIRE_H
#define HECTOR_LOOKWIRE_H

#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"

/* The numbers of a task: U(number, name) as in hct.proto, S() with a sign. Each
 * is a member of struct hct_rank, too: the master takes them by this list. New
 * ones go to the last. */
#define LOOKWIRE_BEFORE(U, S)                   /* the texts */         \
    U(1, rank) U(2, life) U(3, flags) U(4, threads) U(5, threads_in)    \
    U(6, calls) U(7, polls) U(8, age_ns) U(9, in_ns) U(10, out_ns)      \
    U(11, cpu_ns) U(12, call) U(13, waits_call) U(14, comm)             \
    U(15, collective) U(16, bytes) U(17, count) S(18, peer)             \
    S(19, source) S(20, tag) U(21, requests) U(22, site) U(23, phase)   \
    S(24, mark)
#define LOOKWIRE_BEHIND(U)                                              \
    U(27, site_calls) U(28, level) U(29, own_cpu_ns) U(30, sample)      \
    U(31, phase_id) U(32, been) U(33, waits) U(34, waits_ns)
#define LOOKWIRE_LAST(U, S)                     /* 37 and above */      \
    U(37, waited_cpu_us) U(38, delayed_ns) U(39, ran_ns)                \
    U(40, instructions) U(41, cycles) U(42, had_ns) U(43, wanted_ns)

enum { LOOKWIRE_HEAD_MAX = 48, LOOKWIRE_TASK_MAX = 896, LOOKWIRE_TEXT = 128 };

/* Both return how many bytes they have written, no more than the above; texts
 * are cut at LOOKWIRE_TEXT. after_ns goes behind the tasks. */
size_t lookwire_put_head(uint8_t *to, uint64_t job, uint64_t seq);
size_t lookwire_put_task(uint8_t *to, const Hct__Looked__Task *m);
size_t lookwire_put_after(uint8_t *to, uint64_t after_ns);

struct lookwire {               /* a look that is being read */
    const uint8_t *p, *end;     /* borrowed */
    uint64_t after_ns;          /* once it has been read to its end */
    Hct__Looked__Task task;     /* texts are borrowed, two of them from: */
    char wchan[LOOKWIRE_TEXT], place[LOOKWIRE_TEXT];
};

void lookwire_open(struct lookwire *w, const uint8_t *p, size_t n);
/* 1: task is the next one; 0: that was all; -1: it makes no sense. */
int lookwire_next(struct lookwire *w);
/* The same, but only task.rank is read; what the rest is nobody has checked. */
int lookwire_next_rank(struct lookwire *w);

#endif
