/* fuzz_tape.c - any bytes as recorded looks: what is read is a snapshot that a
 * policy may walk, or damage; and a snapshot that is written anew is the same.
 *
 * The first byte chooses what the rest is, behind a look at some tasks: frames, or
 * the models of another look. Two such are in tape.corpus, made by hand. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "master/watch/tape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RANKS = 8 };

static void put_number(struct str *to, size_t v)
{
    for (; v > 127; v >>= 7)
        str_add_bytes(to, &(char){ (char)(v | 128) }, 1);
    str_add_bytes(to, &(char){ (char)v }, 1);
}

static void first_look(struct str *to)
{
    struct hct_job job = { .size = sizeof(job), .nranks = RANKS };
    struct hct_snapshot s;
    struct tape tape;
    struct looks l;

    assert(looks_init(&l, &job) == 0 && tape_init(&tape, RANKS) == 0);
    looks_begin(&l, 0);
    looks_end(&l, 1, &s);
    tape_write(&tape, &s, to);
    tape_fini(&tape);
    looks_fini(&l);
}

static void walk(const struct hct_snapshot *s)
{
    assert(s->nranks == RANKS);
    for (uint32_t i = 0; i < s->nranks; i++)
        assert(hct_rank(s, i)->rank == i &&
               memchr(hct_rank(s, i)->tag_text, 0, 64));
    for (uint32_t i = 0; i < s->nrequests; i++)
        assert(hct_request(s, i)->rank < RANKS);
    for (uint32_t i = 0; i < s->npairs; i++)
        assert(hct_pair(s, i)->rank < RANKS);
    assert(s->nmodels == 0 || (s->parts & HCT_NEED_MODEL));
    for (uint32_t i = 0; i < s->nmodels; i++) {
        const struct hct_model *m = hct_model(s, i);

        assert(m->rank < RANKS && m->at <= m->nstates &&
               m->states + m->nstates <= s->nstates &&
               m->edges + m->nedges <= s->nedges);
        assert(i == 0 || hct_model(s, i - 1)->rank < m->rank);
        for (uint32_t k = 0; k < m->nstates; k++)
            assert(hct_state(s, m, k)->rank == m->rank);
        for (uint32_t k = 0; k < m->nedges; k++) {
            const struct hct_edge *e = hct_edge(s, m, k);

            assert(e->from < m->nstates && e->to < m->nstates && e->n &&
                   isfinite(e->in_mean) && e->out_m2 >= 0);
        }
    }
}

static void same(const void *a, uint32_t n, const void *b, uint32_t m,
                 size_t bytes)
{
    assert(n == m && (n == 0 || memcmp(a, b, n * bytes) == 0));
}

static void write_again(const struct hct_snapshot *s)
{
    struct str out = { 0 };
    struct tape_reader r = { 0 };
    struct hct_snapshot got;
    struct tape tape;
    struct err err;

    assert(tape_init(&tape, RANKS) == 0);
    tape_write(&tape, s, &out);
    r.p = (const uint8_t *)str_text(&out);
    r.end = r.p + out.n;
    assert(tape_read(&r, &got, &err) == 1 && r.p == r.end);
    assert(got.parts == s->parts && got.seq == s->seq);
    same(s->ranks, s->nranks, got.ranks, got.nranks, sizeof(*s->ranks));
    same(s->models, s->nmodels, got.models, got.nmodels, sizeof(*s->models));
    same(s->states, s->nstates, got.states, got.nstates, sizeof(*s->states));
    same(s->edges, s->nedges, got.edges, got.nedges, sizeof(*s->edges));
    looks_fini(&r.looks);
    tape_fini(&tape);
    str_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = { 0 };
    struct tape_reader r = { 0 };
    struct hct_snapshot s;
    struct err err;
    unsigned looks = 0;

    if (size < 1)
        return 0;
    first_look(&bytes);
    if (*data & 1) {            /* a look at which nothing has changed */
        str_add_bytes(&bytes, "D\2\2\0\0\0\0\0P\2", 10);
        put_number(&bytes, size - 1);
    }
    str_add_bytes(&bytes, data + 1, size - 1);
    r.p = (const uint8_t *)str_text(&bytes);
    r.end = r.p + bytes.n;
    while (tape_read(&r, &s, &err) > 0) {
        walk(&s);
        if (looks++ < 4)
            write_again(&s);
    }
    looks_fini(&r.looks);
    str_fini(&bytes);
    return 0;
}
