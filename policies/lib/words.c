/* words.c - findings in words, see words.h. */
#include "policies/lib/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct hct_verdict *words_verdict(struct hct_out *out, enum hct_kind kind)
{
    struct hct_verdict *v;

    if (out->nverdicts >= out->verdicts_max) {
        out->lost++;
        return NULL;
    }
    v = &out->verdicts[out->nverdicts++];
    memset(v, 0, sizeof(*v));
    v->kind = kind;
    v->ranks = out->nranks;
    v->lines = out->nlines;
    return v;
}

void words_blame(struct hct_out *out, uint32_t rank)
{
    if (out->nverdicts == 0 || out->nranks >= out->ranks_max) {
        out->lost++;
        return;
    }
    out->ranks[out->nranks++] = rank;
    out->verdicts[out->nverdicts - 1].nranks++;
}

/* There is room for it. */
__attribute__((format(printf, 3, 0)))
static void put_line(struct hct_out *out, int32_t rank, const char *fmt,
                     va_list ap)
{
    struct hct_line *l = &out->lines[out->nlines++];

    memset(l, 0, sizeof(*l));
    l->rank = rank;
    vsnprintf(l->text, sizeof(l->text), fmt, ap);
}

void words_line(struct hct_out *out, int32_t rank, const char *fmt, ...)
{
    va_list ap;

    if (out->nverdicts == 0 || out->nlines >= out->lines_max) {
        out->lost++;
        return;
    }
    va_start(ap, fmt);
    put_line(out, rank, fmt, ap);
    va_end(ap);
    out->verdicts[out->nverdicts - 1].nlines++;
}

void words_remark(struct hct_out *out, const char *fmt, ...)
{
    va_list ap;

    if (out->nlines >= out->lines_max) {
        out->lost++;
        return;
    }
    if (!out->nremarks++)
        out->remarks = out->nlines;
    va_start(ap, fmt);
    put_line(out, HCT_NONE, fmt, ap);
    va_end(ap);
}

void words_places(struct hct_out *out, uint32_t site, uint32_t made)
{
    if (out->nverdicts == 0 || out->nlines == 0)
        return;
    out->lines[out->nlines - 1].site = site;
    out->lines[out->nlines - 1].made = made;
}

void words_propose(struct hct_out *out, enum hct_action action)
{
    if (out->nverdicts == 0 || out->nproposals >= out->proposals_max) {
        out->lost++;
        return;
    }
    out->proposals[out->nproposals++] = (struct hct_proposal){
        .action = action, .verdict = out->nverdicts - 1,
    };
}

double words_score(double score)
{
    const double most = 0.9999;

    return score < 0 ? 0 : score > most ? most : score;
}

uint32_t words_ms(uint64_t ns)
{
    return ns / 1000000 < UINT32_MAX ? (uint32_t)(ns / 1000000) : UINT32_MAX;
}

const char *words_ranks(char buf[WORDS_RANKS], const uint32_t *v, uint32_t n)
{
    size_t at = (size_t)snprintf(buf, WORDS_RANKS, n == 1 ? "rank " : "ranks ");

    if (n == 0)
        snprintf(buf, WORDS_RANKS, "no rank");
    for (uint32_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && v[j] == v[j - 1] + 1; j++)
            ;
        if (at + 28 > WORDS_RANKS) {
            snprintf(buf + at, WORDS_RANKS - at, "...");
            break;
        }
        at += (size_t)snprintf(buf + at, WORDS_RANKS - at,
                               j - i > 1 ? "%s%" PRIu32 "-%" PRIu32
                                         : "%s%" PRIu32, i ? "," : "",
                               v[i], v[j - 1]);
    }
    return buf;
}

const char *words_time(char buf[WORDS_TIME], uint64_t ns)
{
    if (ns < 1000000000u)
        snprintf(buf, WORDS_TIME, "%" PRIu64 " ms", ns / 1000000);
    else if (ns < 120000000000u)
        snprintf(buf, WORDS_TIME, "%.1f s", (double)ns / 1e9);
    else
        snprintf(buf, WORDS_TIME, "%" PRIu64 " min", ns / 60000000000u);
    return buf;
}

const char *words_short(char buf[WORDS_TIME], double ns)
{
    if (!(ns < 1e7))            /* also what is no number */
        return words_time(buf, ns > 0 && ns < 1e18 ? (uint64_t)ns : 0);
    snprintf(buf, WORDS_TIME, ns < 1e6 ? "%.3g us" : "%.3g ms",
             ns < 1e6 ? ns / 1e3 : ns / 1e6);
    return buf;
}

bool words_asks(const struct hct_call *c)
{
    return c->class_ == HCT_CLASS_TEST || c->class_ == HCT_CLASS_PROBE;
}

const char *words_comm(char buf[WORDS_COMM], const struct hct_snapshot *in,
                       uint32_t rank, uint64_t id)
{
    unsigned tail = (unsigned)(id & 0xffff);

    if (id == HCT_COMM_WORLD || id == HCT_COMM_SELF) {
        snprintf(buf, WORDS_COMM, id == HCT_COMM_WORLD ? "MPI_COMM_WORLD"
                                                       : "MPI_COMM_SELF");
        return buf;
    }
    for (uint32_t i = 0; in->has_detail && i < in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(in, i);

        if (c->rank != rank || c->id != id)
            continue;
        if (c->remote_size)
            snprintf(buf, WORDS_COMM, "an intercommunicator of %" PRIu32
                     "+%" PRIu32, c->size, c->remote_size);
        else if (c->kind == HCT_KIND_COMM)
            snprintf(buf, WORDS_COMM, "communicator %04x of %" PRIu32, tail,
                     c->size);
        else
            snprintf(buf, WORDS_COMM, "%s %04x",
                     c->kind == HCT_KIND_WIN ? "window" : "file", tail);
        return buf;
    }
    snprintf(buf, WORDS_COMM, "communicator %04x", tail);
    return buf;
}

const char *words_fate(const struct hct_snapshot *in, uint32_t rank)
{
    const struct hct_rank *k = hct_rank(in, rank);

    return k->life == HCT_LIFE_ENDED && *k->place ? k->place : NULL;
}

const char *words_fates(char buf[WORDS_FATES], const struct hct_snapshot *in)
{
    uint32_t first = 0, n = 0;
    int at;

    *buf = '\0';
    for (uint32_t i = 0; i < in->nranks; i++)
        if (words_fate(in, i) && n++ == 0)
            first = i;
    if (n == 0)
        return buf;
    at = snprintf(buf, WORDS_FATES, "; rank %" PRIu32 " %.39s", first,
                  words_fate(in, first));
    if (n > 1)
        snprintf(buf + at, WORDS_FATES - (size_t)at, ", %" PRIu32 " more %s ended "
                 "so", n - 1, n == 2 ? "has" : "have");
    return buf;
}
