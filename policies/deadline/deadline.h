/* deadline.h - the inside of the policy deadline: what it knows of a job's
 * deadlines and of the instances that are open. No struct has holes: equal
 * states are equal bytes.
 *
 *   events --> instance (of a rank) --+                    +--> margin
 *          --> span (of the job) -----+--> outcome --------+--> course --> news
 *   looks  --> both, what is due -----+    (a row each)    |                 |
 *          --> evidence (of each rank) <-------------------+     say <------+
 *
 * Invariants. An instance is counted once, when it ends or when it is due and
 * has not ended; what comes of it later changes its row and that count. That it
 * has not ended is said only at a look that has read the tasks which may end it
 * after it was due, and when its event has had time to come: a task that has ended
 * meanwhile owes nothing, and one whose slave says nothing, as behind a broken
 * link, may have ended it long ago (which is waited for, but not for ever). Of a
 * deadline one thing at most waits to be said. */
#ifndef HCT_DEADLINE_H
#define HCT_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/deadline/margin.h"
#include "policies/hct_policy.h"

enum {
    DEADLINE_SPANS = 256,       /* of HCT_DUE_SPAN, followed at once */
    DEADLINE_ROUNDS = 16,       /* last calls, of which we know who was last */
};
/* So long is who says nothing waited for. */
#define DEADLINE_SILENT_NS 10000000000

struct deadline_knobs {
    uint64_t look_ns, grace_ns, never_ns;
    uint32_t horizon, sustain;
    double chance;
};

/* An instance that has ended, or is due. */
struct outcome {
    uint32_t rank;              /* whose it is; HCT_NO_RANK */
    uint32_t who;               /* is to blame if it is late; HCT_NO_RANK */
    uint32_t call;              /* that ends it; 0: not known */
    uint32_t held;              /* enum hct_rank_flags: what held its task */
    uint64_t number;
    int64_t release_ns, due_ns, done_ns;
    int64_t enter_ns;           /* of that call; WHEN_NEVER: it has not been */
    uint64_t bound_ns;          /* what due less done may be off by */
    uint64_t ordinal;           /* of the call, of this rank: struct round */
    bool open;
    bool told, was_late;        /* it was counted, and so */
    bool had_margin;            /* ... with that margin */
    uint32_t pad;
    double was_margin;
};

/* What is to be said of a deadline: enum hct_deadline_what, and remarks. */
enum news_what {
    NEWS_NONE,
    NEWS_DECLINING = HCT_DEADLINE_DECLINING, NEWS_MISSED = HCT_DEADLINE_MISSED,
    NEWS_MET_AGAIN = HCT_DEADLINE_MET_AGAIN, NEWS_NEVER = HCT_DEADLINE_NEVER,
};
struct news {
    uint32_t what;
    uint32_t trend;             /* 1: the margin falls; 0: it is low */
    uint64_t missed;            /* of this stretch */
    int64_t since_ns;           /* of the stretch, or decline */
    double margin;              /* of the last point */
    struct outcome o;           /* of what is missed */
};

/* See course.h. */
struct course {
    uint32_t stage;             /* enum course_stage */
    uint32_t low, good;         /* points in a row that were so */
    uint32_t took;              /* so many to decline */
    uint32_t again;             /* times that it was worse soon after it had
                                   been better */
    uint32_t who;               /* is to blame for the last missed one */
    uint64_t since;             /* points since it was better */
    uint64_t missed, tell_at;   /* of this stretch; said of so many next */
    int64_t since_ns;
};

/* Calls with the same ordinal of all ranks: the same collective one, in a
 * program that does not leave one out. */
struct round {
    uint64_t ordinal;
    uint32_t ranks;             /* that have entered it; 0: none */
    uint32_t first, last, pad;  /* which ones were so */
    int64_t first_ns, last_ns;
    uint64_t bound_ns;          /* the most that an entry may be off by */
};

struct due {                    /* a deadline */
    struct hct_deadline is;     /* in the calendar; number 0: it is not known */
    int64_t seen_ns;            /* since then */
    uint64_t met, missed;
    uint64_t unsure;            /* met, but for the error of clocks maybe not */
    uint64_t events, ends;      /* with its label; with the second one */
    uint64_t strays;            /* of these with a marker that began nothing */
    uint32_t ranks;             /* that have come */
    uint32_t never_said;
    uint64_t short_bound_ns;    /* clocks are off by more than it may take; */
    uint32_t short_said;        /* ... that was said */
    uint32_t added;             /* 1: it was not there from the beginning; 2:
                                   that is not known */
    uint32_t ended;             /* HCT_DUE_END: 1: told; 2: as open */
    uint32_t begun;             /* 1: a clock's first call has been entered, */
    int64_t began_ns;           /* ... then */
    uint32_t strays_said, pad;  /* that all ends were strays */
    uint32_t expected, steady;  /* HCT_DUE_SPAN: ranks that end it; instances in a
                                   row that so many did */
    uint64_t spans;             /* ... so far */
    double usual_in_ns, usual_out_ns;   /* in the call and before it, of such
                                           as are met; and of so many */
    uint64_t usual;
    struct margin margin;
    struct course course;
    struct news news;
    struct round round[DEADLINE_ROUNDS];
};

/* A deadline and a rank. */
struct track {
    uint32_t deadline;          /* number; 0: a free place */
    uint32_t rank;
    uint64_t next;              /* number of the instance that begins next; of
                                   HCT_DUE_CLOCK that ends next */
    uint64_t number;            /* of the open one */
    uint64_t seq;               /* of the call that was told last */
    uint64_t ended;             /* ... with its end; UINT64_MAX: none was */
    uint64_t calls;             /* so far */
    int64_t release_ns, due_ns; /* of the open one */
    int64_t check_ns;           /* due, and what it may be off by */
    int64_t enter_ns;           /* of the call it is in; WHEN_NEVER: none */
    uint64_t bound_ns;
    uint32_t heap;              /* its place there, from 1; 0: it is not */
    uint32_t call;
    uint16_t losses;            /* as of struct deadline, when it was begun */
    uint8_t open, told;         /* told: and late */
    uint32_t pad;
};

struct span {                   /* a free one: see spans; stage: see span.c */
    uint32_t deadline;
    int32_t marker;
    uint32_t stage;
    uint32_t exits;             /* ranks that have left it */
    uint32_t strays, spare;     /* times that was heard of before any entry */
    uint64_t number;
    int64_t release_ns, due_ns, done_ns, check_ns;
    uint64_t began_bound_ns, done_bound_ns;
    uint32_t first, last, call; /* ranks; the call of the last one */
    uint8_t late, counts;       /* 1: as told; its margin was counted */
    uint8_t whole, pad;         /* as many as ever have left it */
    double margin;              /* as told */
};

/* What looks have said of a task, each and over the time between two. */
struct seen {
    uint64_t at_ns;             /* 0: nothing */
    uint64_t cpu_ns, delayed_ns, in_ns;
    uint64_t delayed_at_ns;     /* when that was read last */
    int64_t held_ns;            /* was held then, last */
    uint32_t held;              /* how: of enum hct_rank_flags */
    uint32_t runs;              /* bit i: it wanted a processor i looks ago */
    float over_s;               /* between the last two; 0: they say nothing */
    float cpu, in;              /* parts of that */
    float delayed;              /* ... of delayed_over_s; below 0: not known */
    float delayed_over_s;
    float usual_cpu, usual_in;  /* ... before */
    uint32_t looks;
};

struct deadline {
    struct deadline_knobs knob;
    uint32_t nranks, slots, tracks_max, ntracks;
    uint32_t nheap, bits;       /* bits: of ranks in a span */
    uint64_t lag_ns;            /* what events have taken to come of late */
    uint64_t read_ns;           /* of the last look that has read tasks */
    uint64_t asked_ns;          /* for models, last */
    uint64_t lost;              /* as in hct_snapshot.events_lost */
    uint64_t unfit, unfit_said; /* instances that found no room */
    int64_t running_ns;         /* since then it runs; WHEN_NEVER */
    int64_t lost_ns;            /* those that ended before may be lost */
    uint16_t losses;            /* times that events were lost */
    uint16_t over;              /* 1: all tasks have ended */
    uint32_t begun;             /* 1: a calendar was seen */
    size_t tracks_at, heap_at, seen_at, bits_at;        /* bytes from here */
    struct due due[HCT_DEADLINES_MAX];
    uint64_t spans[DEADLINE_SPANS];     /* keys; 0: free */
    struct span span[DEADLINE_SPANS];
};

static inline void *deadline_part(struct deadline *s, size_t at)
{
    return (char *)s + at;
}
static inline struct seen *deadline_seen(struct deadline *s, uint32_t rank)
{
    return (struct seen *)deadline_part(s, s->seen_at) + rank;
}

/* How long an event may take to come. */
static inline uint64_t deadline_grace(const struct deadline *s)
{
    return s->lag_ns > s->knob.grace_ns ? s->lag_ns : s->knob.grace_ns;
}

/* It owes nothing any more. */
static inline bool deadline_has_ended(const struct hct_snapshot *in,
                                      uint32_t rank)
{
    return hct_rank(in, rank)->life >= HCT_LIFE_FINALIZE;
}

/* It makes calls, or nothing at all is known of it, and this look does not say. */
static inline bool deadline_is_silent(const struct hct_snapshot *in,
                                      uint32_t rank)
{
    const struct hct_rank *r = hct_rank(in, rank);

    return !(r->flags & HCT_OBSERVED) &&
           (r->life == HCT_LIFE_RUNNING || r->life == HCT_LIFE_NONE);
}

#endif
