/* saved.c - checkpoints and returns of a job in words, see saved.h. */
#include "master/hector/why/saved.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "master/hector/core/human.h"
#include "master/store/query.h"
#include "proto/base/clock.h"

enum { EACH = 4 };              /* so many have a line each */

static const char *text_of(const char *text)
{
    return text ? text : "?";
}

/* -------------------------------------------------------------- checkpoints */

struct saved {
    struct str lines;           /* one each */
    struct str there, damaged;  /* numbers: ", 46, 47" */
    struct str first, last;     /* "46 at 12:00:05" */
    struct str dir;
    uint32_t n, longest;        /* longest: number of that */
    uint64_t stood_ns, bytes;   /* the most */
};

static bool is_in(const struct store_checkpoint *c, const char *state)
{
    return strcmp(text_of(c->state), state) == 0;
}

static void add_line(struct saved *s, const struct store_checkpoint *c,
                     const char *at)
{
    char size[HUMAN_MAX], stood[HUMAN_MAX];

    str_addf(&s->lines, "%s checkpoint %" PRIu32 " in %s/%" PRIu32 ": images"
             " of %sB, the job stood for %s%s\n", at, c->number,
             text_of(c->dir), c->number, human_bytes(size, c->image_bytes),
             human_duration(stood, (int64_t)c->stood_ns),
             is_in(c, "removed") ? "; removed since"
             : is_in(c, "damaged") ? "; it is damaged" : "");
}

static int on_checkpoint(void *arg, const struct store_checkpoint *c)
{
    struct saved *s = arg;
    char at[HUMAN_MAX];

    human_time(at, c->at_ns, clock_wall_ns());
    if (s->n++ == 0)
        str_addf(&s->first, "%" PRIu32 " at %s", c->number, at);
    if (s->n <= EACH)
        add_line(s, c, at);
    str_reset(&s->last);
    str_addf(&s->last, "%" PRIu32 " at %s", c->number, at);
    str_reset(&s->dir);
    str_add(&s->dir, text_of(c->dir));
    if (is_in(c, "whole"))
        str_addf(&s->there, ", %" PRIu32, c->number);
    else if (is_in(c, "damaged"))
        str_addf(&s->damaged, ", %" PRIu32, c->number);
    if (c->stood_ns >= s->stood_ns) {
        s->stood_ns = c->stood_ns;
        s->longest = c->number;
    }
    if (c->image_bytes > s->bytes)
        s->bytes = c->image_bytes;
    return 0;
}

static void add_numbers(struct str *to, const char *before,
                        const struct str *of)
{
    if (of->n)
        str_addf(to, "%s%s", before, str_text(of) + strlen(", "));
}

static void add_all(struct str *to, const struct saved *s)
{
    char size[HUMAN_MAX], stood[HUMAN_MAX];

    str_addf(to, "%" PRIu32 " checkpoints in %s, from %s to %s", s->n,
             str_text(&s->dir), str_text(&s->first), str_text(&s->last));
    add_numbers(to, ", kept: ", &s->there);
    add_numbers(to, ", damaged: ", &s->damaged);
    str_addf(to, "; images of %sB at most, and the job stood for %s at most,"
             " for checkpoint %" PRIu32 "\n", human_bytes(size, s->bytes),
             human_duration(stood, (int64_t)s->stood_ns), s->longest);
}

static void add_checkpoints(struct str *to, struct store *st, uint64_t job)
{
    struct saved s = { 0 };

    query_saved(st, job, on_checkpoint, &s, NULL);
    if (s.n > EACH)
        add_all(to, &s);
    else
        str_add(to, str_text(&s.lines));
    str_fini(&s.lines);
    str_fini(&s.there);
    str_fini(&s.damaged);
    str_fini(&s.first);
    str_fini(&s.last);
    str_fini(&s.dir);
}

/* ------------------------------------------------------------------ returns */

static int on_return(void *arg, const struct query_return *b)
{
    struct str *to = arg;
    char time[HUMAN_MAX];

    str_addf(to, "%s went back to checkpoint %" PRIu32,
             human_time(time, b->at_ns, clock_wall_ns()), b->checkpoint);
    if (b->saved_ns.known)
        str_addf(to, " of %s", human_time(time, (uint64_t)b->saved_ns.v,
                                          clock_wall_ns()));
    str_addf(to, ": %s; ", text_of(b->why));
    if (b->lost_ns)
        str_addf(to, "%s of work were %s, and ",
                 human_duration(time, (int64_t)b->lost_ns),
                 b->away_ns.known ? "done again" : "lost");
    if (b->away_ns.known)
        str_addf(to, "it ran again after %s\n",
                 human_duration(time, b->away_ns.v));
    else
        str_add(to, "it has not run since\n");
    return 0;
}

void saved_of_job(struct str *to, struct store *st, uint64_t job)
{
    add_checkpoints(to, st, job);
    query_returns(st, job, on_return, to, NULL);
}
