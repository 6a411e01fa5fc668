/* serve.c - a policy is shown the tape and answers, see serve.h.
 *
 * Reads and writes may block: nothing else is to be done here. The same bytes
 * come here live and in a replay, and each look of which the policy has said
 * that it wants to see it is a step: so both find the same. */
#include "master/judge/serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "master/judge/kept.h"
#include "master/watch/judgewire.h"
#include "master/watch/tape.h"
#include "master/watch/verdict.h"
#include "proto/base/clock.h"
#include "proto/base/str.h"

static const uint64_t serve_sign_ns = 100 * CLOCK_NS_PER_MS;

struct serve {
    struct policy *policy;      /* borrowed */
    struct found found;
    struct tape_reader reader;
    struct kept kept;
    bool begun;
    struct judgewire_done done;
    uint64_t told_ns;
    bool all;                   /* models are wanted of all ranks */
    struct str sample, question;        /* else of these; the last question */
    struct str text, answer;
};

/* ------------------------------------------------------------------ stream */

int serve_get(void *to, size_t n)
{
    ssize_t rc;

    while (n) {
        rc = read(JUDGEWIRE_STREAM, to, n);
        if (rc < 0 && errno == EINTR)
            continue;
        if (rc <= 0)
            return -1;
        to = (char *)to + rc;
        n -= (size_t)rc;
    }
    return 0;
}

static int put(const void *p, size_t n)
{
    ssize_t rc;

    while (n) {
        rc = send(JUDGEWIRE_STREAM, p, n, MSG_NOSIGNAL);
        if (rc < 0 && errno == EINTR)
            continue;
        if (rc <= 0)
            return -1;
        p = (const char *)p + rc;
        n -= (size_t)rc;
    }
    return 0;
}

int serve_answer(enum judgewire_kind kind, const void *p, size_t n)
{
    struct judgewire_head h = { .kind = kind, .bytes = (uint32_t)n };

    return put(&h, sizeof(h)) || put(p, n);
}

void serve_refuse(const char *why)
{
    serve_answer(JUDGEWIRE_REFUSED, why, strlen(why));
}

/* ------------------------------------------------------------------- steps */

static int begin(struct serve *s, const struct hct_snapshot *in,
                 struct err *err)
{
    if (found_init_asking(&s->found, in->nranks))
        return err_memory(err);
    if (policy_begin(s->policy, in->job, err))
        return -1;
    kept_load(&s->kept, s->policy);
    s->begun = true;
    return 0;
}

/* What those who cannot see the snapshot need for their words. */
static void add_words(struct serve *s, const struct hct_snapshot *in)
{
    struct found *f = &s->found;

    for (uint32_t i = 0; i < f->out.nlines; i++) {
        memset(f->tags[i], 0, FOUND_TAG);
        if (f->lines[i].rank >= 0 && (uint32_t)f->lines[i].rank < in->nranks)
            memcpy(f->tags[i], hct_rank(in, (uint32_t)f->lines[i].rank)->tag_text,
                   FOUND_TAG);
    }
    for (uint32_t i = 0; i < f->out.nverdicts; i++) {
        str_reset(&s->text);
        verdict_text(&s->text, s->policy->p->name, f, i);
        f->text[i] = strdup(str_text(&s->text));
    }
}

static int tell(struct serve *s, const struct hct_snapshot *in, bool quiet)
{
    const struct found *f = &s->found;
    uint64_t now = clock_monotonic_ns();

    if (f->how == FOUND_OFF ||
        (!quiet && (f->how != FOUND_FINE || f->out.nverdicts ||
                    f->out.nodds || f->out.nlearnt || f->out.ninstances))) {
        add_words(s, in);
        str_reset(&s->answer);
        found_pack(f, &s->answer);
        s->told_ns = now;
        return serve_answer(JUDGEWIRE_FOUND, str_text(&s->answer), s->answer.n);
    }
    if (now - s->told_ns < serve_sign_ns)
        return 0;
    s->told_ns = now;
    return serve_answer(JUDGEWIRE_STEPPING, NULL, 0);
}

/* What it asks for goes with the answer to all that it is shown. */
static void note_asked(struct serve *s, const struct hct_out *o)
{
    s->done.need |= o->need;
    if ((o->need & HCT_NEED_MODEL) && o->nsample)
        str_add_bytes(&s->sample, o->ranks + o->sample,
                      o->nsample * sizeof(*o->ranks));
    else if (o->need & HCT_NEED_MODEL)
        s->all = true;
    if ((o->need & HCT_NEED_MODEL) && o->last_ns)
        s->done.last_ns = o->last_ns;
    if (o->need & LOOKS_ANSWERS) {
        str_reset(&s->question);
        str_add_bytes(&s->question, o->question, o->nquestion);
    }
}

static int tell_done(struct serve *s)
{
    s->done.nsample = s->all ? 0 : (uint32_t)(s->sample.n / sizeof(uint32_t));
    s->done.nquestion = (uint32_t)s->question.n;
    str_reset(&s->answer);
    str_add_bytes(&s->answer, &s->done, sizeof(s->done));
    if (s->done.nsample)
        str_add_bytes(&s->answer, str_text(&s->sample), s->sample.n);
    str_add_bytes(&s->answer, str_text(&s->question), s->question.n);
    return str_failed(&s->answer) ? -1
           : serve_answer(JUDGEWIRE_DONE, str_text(&s->answer), s->answer.n);
}

static int step(struct serve *s, const struct hct_snapshot *in, bool quiet)
{
    policy_step(s->policy, in, &s->found);
    s->done.seen += !quiet;
    note_asked(s, &s->found.out);
    if (!s->policy->off)
        kept_save(&s->kept, s->policy);
    return tell(s, in, quiet);
}

/* The frames of a tape, each a look. */
static int show(struct serve *s, const uint8_t *tape,
                const struct judgewire_show *w, struct err *err)
{
    struct tape_reader *r = &s->reader;
    struct hct_snapshot in;
    int rc;

    err->code = 0;
    r->p = tape;
    r->end = tape + w->bytes;
    while ((rc = tape_read(r, &in, err)) > 0) {
        uint64_t at = (uint64_t)(r->p - tape);

        if (!s->begun && begin(s, &in, err))
            return -1;
        if (!policy_due(s->policy, &in))
            continue;
        if (at > w->quiet && at <= w->passed)
            s->done.missed++;
        else if (step(s, &in, at <= w->quiet))
            return -1;
    }
    return rc;
}

/* -1 with err.code 0: there is nobody any more. */
static int serve_one(struct serve *s, const struct judgewire_show *w,
                     struct err *err)
{
    void *tape;
    int rc;

    err->code = 0;
    if (w->bytes == 0)
        return 0;
    tape = mmap(NULL, w->bytes, PROT_READ, MAP_SHARED, JUDGEWIRE_TAPE, 0);
    if (tape == MAP_FAILED)
        return err_sys(err, "cannot read the looks");
    s->done = (struct judgewire_done){ 0 };
    s->all = false;
    str_reset(&s->sample);
    str_reset(&s->question);
    s->told_ns = clock_monotonic_ns();
    rc = show(s, tape, w, err);
    munmap(tape, w->bytes);
    if (rc)
        return -1;
    s->done.wake_ns = s->policy->wake_ns;
    s->done.off = s->policy->off;
    return tell_done(s);
}

int serve(struct policy *p)
{
    struct serve s = { .policy = p, .kept = { .fd = JUDGEWIRE_KEPT } };
    struct judgewire_opened o = { policy_needs(p), policy_may_need(p),
                                  policy_hears(p) };
    struct judgewire_show w;
    struct err err = { 0 };
    int rc = serve_answer(JUDGEWIRE_OPENED, &o, sizeof(o));

    while (rc == 0 && serve_get(&w, sizeof(w)) == 0)
        rc = serve_one(&s, &w, &err);
    if (rc && err.code)
        serve_refuse(err.text);
    found_fini(&s.found);
    looks_fini(&s.reader.looks);
    str_fini(&s.sample);
    str_fini(&s.question);
    str_fini(&s.text);
    str_fini(&s.answer);
    return rc && err.code;
}
