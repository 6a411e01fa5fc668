/* findings_private.h - what the files of this room share: findings.c, which
 * hears of what is found; finder.c, what a policy has found, and what is to be
 * done about it; hang.c and aside.c, which tell it; resumed.c, what a master
 * before has told. */
#ifndef HECTOR_FINDINGS_PRIVATE_H
#define HECTOR_FINDINGS_PRIVATE_H

#include "master/findings/autoslice.h"
#include "master/findings/findings.h"
#include "master/findings/noderows.h"
#include "master/findings/odds.h"
#include "master/findings/remedy.h"
#include "master/findings/report.h"
#include "master/findings/said.h"
#include "master/findings/telling.h"
#include "master/places/computing.h"
#include "master/state/job.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"

enum { FINDINGS_LINES = 8, FINDINGS_POLICIES = 16 };

/* What a policy has found and not taken back. */
enum { FINDS_STUCK = 1, FINDS_SLOW = 2, FINDS_LONG = 4, FINDS_PROOF = 8 };

/* One policy, as what it has found goes. */
struct finder {
    char name[48];
    struct said said;
    unsigned open;              /* FINDS_... */
    bool done;                  /* what can be has been done about it */
    bool off;                   /* it is asked no more */
    struct remedy remedy;       /* what is to be done yet, */
    uint32_t proposed;          /* ... what it proposes (enum hct_action), */
    bool from_next;             /* ... its time counts from the next look, */
    bool ordered;               /* ... one before has ordered it: to move */
    char *why;                  /* ... owned: the reason */
    struct taskset ranks;       /* ... owned: who is to blame */
    struct taskset proven;      /* owned: whom its proofs name, FINDS_PROOF */
};

/* A hang whose tasks are being looked for in their sources. */
struct hang {
    struct finder *by;          /* borrowed */
    struct report *report;      /* owned, like the next three */
    struct telling telling;     /* for programs */
    struct str next;            /* what will be done, in words */
    struct str not_done;        /* why what is proposed is not, or "" */
    uint32_t proposed;
};

/* The same of something else, about a job that goes on. */
struct aside {
    struct finder *by;          /* borrowed */
    struct report *report;      /* owned, as the next */
    struct noderows *nodes;     /* NULL: it has none */
    struct taskset odd;         /* owned: who computes longer than others; or {0} */
    struct computing *computing;        /* owned: where; NULL: not looked for */
    bool found;                 /* places are known */
    uint32_t proposed;
    bool quiet;                 /* it is not told, only kept */
};

struct findings {
    struct acts *acts;          /* borrowed, like the next */
    struct job *job;
    struct onhang on_hang;
    struct finder *finder[FINDINGS_POLICIES];   /* owned */
    size_t nfinders;
    bool stale;                 /* not all tasks were seen in this look */
    struct hang *hang;          /* owned: one that is not told yet */
    bool owed;                  /* ... because a master before this one did not
                                   come to it */
    struct aside *aside;        /* owned: what else is not told yet */
    struct odds *odds;          /* owned; or NULL, like the next */
    struct autoslice *slice;    /* owned: of who is to blame */
};

struct finding {                  /* all of it borrowed */
    struct finder *by;
    const struct found *found;
    const struct hct_verdict *v;
    const char *text;           /* of sentence_report() */
    const char *why;            /* its head */
    uint32_t proposed;          /* the most that is; enum hct_action */
    enum said_how how;
    struct noderows **nodes;    /* its graph, for who takes it; or NULL there */
};

static inline unsigned long long findings_id(const struct findings *f)
{
    return f->job->id;
}

/* ----------------------------------------------------- what a policy finds */

/* NULL: no memory, or more than there can be. */
struct finder *finder_of(struct findings *f, const char *name);
/* Has any found something of these, FINDS_..., and not taken it back? */
bool finder_any(const struct findings *f, unsigned what);

/* What it has found is over, or not said to be found yet. */
void finder_close(struct finder *p);
/* Whom does v name, beside those that proofs have named? */
enum finder_beside { FINDER_OTHERS, FINDER_SAME, FINDER_FEWER };
enum finder_beside finder_beside(const struct findings *f,
                                 const struct found *found,
                                 const struct hct_verdict *v);

/* The head and the first lines, then where the rest is. */
void finder_tell(const struct findings *f, const char *text, unsigned most);
/* Say a verdict, if it is news: its head, and at most so many lines more.
 * Returns whether it was said. */
bool finder_news(const struct findings *f, struct finder *p, enum said_how how,
                 const char *text, unsigned most);

void finder_reported(const struct findings *f, const struct finder *p,
                     const char *why);
/* A proposal to do more than to report that is not followed. */
void finder_not_done(const struct findings *f, const struct finder *p,
                     uint32_t proposed, const char *why, const char *result);

/* Without memory nothing is suspended, and nothing said. */
void finder_act(struct findings *f, struct finder *p);
/* result: why it is not done, for the record; NULL: nothing is to be said. */
void finder_forget(struct findings *f, struct finder *p, const char *result);
/* What was wanted before is not wanted later for something that is found
 * besides. */
void finder_want(struct findings *f, struct finder *p, struct remedy r,
                 uint32_t proposed, const char *why,
                 const struct taskset *ranks);
void finder_want_of(struct findings *f, const struct finding *x,
                    struct remedy r);
/* What is proposed and not done is said and recorded, once. */
void finder_propose(struct findings *f, const struct finding *x);

/* -------------------------------------------------------------- telling it */

void hang_free(struct hang *h);         /* NULL is fine, as below */
/* text is that of sentence_report(); its head is the reason. */
struct hang *hang_make(const struct findings *f, struct finder *by,
                       uint64_t seq, const char *text);
/* Where are its tasks? Then it is told. */
void hang_begin(struct findings *f);
/* A hang; or something else that is told as one is. */
void hang_found(struct findings *f, const struct finding *x);
void hang_first(struct findings *f, const struct finding *x);
void hang_over(struct findings *f, struct finder *p);

void aside_free(struct aside *a);
/* It is told with what is known by now; f is the struct findings. */
void aside_finish(void *f);
void aside_found(struct findings *f, const struct finding *x);

/* What was told and done is in the database, and who was switched off. */
void resumed_take(struct job *j, struct judge *const *v, size_t n);

#endif
