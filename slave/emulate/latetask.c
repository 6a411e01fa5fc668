/* latetask.c - see latetask.h. */
#include "slave/emulate/latetask.h"

#include "policies/lib/lot.h"
#include "slave/emulate/oddtask.h"

enum { FIRST = ODDTASK_STATES / 2, CALL = 1 };

uint32_t latetask_rank(const struct emulate *e)
{
    uint64_t seed = e->seed;

    return (uint32_t)lot_below(&seed, (uint64_t)e->daemons * e->tasks);
}

static uint64_t place(uint32_t state)
{
    return 1 + state;
}

/* Of a kind, the ways past a call but one. */
static size_t make_kind(struct witness_step *v, uint32_t kind)
{
    size_t n = 0;

    for (uint32_t s = 0; s + 1 < ODDTASK_STATES; s++) {
        v[n++] = (struct witness_step){ place(s), place(s + 1) };
        if (s % (ODDTASK_STATES / ODDTASK_SKIPS) == 0 &&
            s / (ODDTASK_STATES / ODDTASK_SKIPS) != kind)
            v[n++] = (struct witness_step){ place(s), place(s + 2) };
    }
    return n;
}

const struct witness_step *latetask_model(const struct emulate *e, uint32_t rank,
                                          struct standing_task *t, size_t *n)
{
    static struct witness_step step[LATETASK_KINDS][ODDTASK_EDGES];
    static size_t nsteps[LATETASK_KINDS];
    uint32_t kind = rank % LATETASK_KINDS;
    uint32_t at = rank / LATETASK_KINDS % LATETASK_PLACES;

    if (!nsteps[kind])
        nsteps[kind] = make_kind(step[kind], kind);
    *n = nsteps[kind];
    t->place = place(FIRST + 2 * at);
    t->call = CALL;
    t->in = at % 2;
    if (rank == latetask_rank(e)) {
        t->place = place(FIRST / 2);
        t->in = true;
    }
    return step[kind];
}

int latetask_ask(const struct whereabouts *are, struct str *out,
                 struct err *err)
{
    struct hct_progress_place v[HCT_PLACES_ASKED];
    struct hct_progress_question q = { .size = sizeof(q), .number = 1 };

    for (uint32_t i = 0; are && i < are->nplaces && i < HCT_PLACES_ASKED; i++)
        v[q.nplaces++] = (struct hct_progress_place){
            .place = are->place[i].place, .in = are->place[i].in };
    str_add_bytes(out, &q, sizeof(q));
    str_add_bytes(out, v, q.nplaces * sizeof(v[0]));
    return str_failed(out) ? err_memory(err) : 0;
}

/* Do those at all other places wait for place i? */
static bool is_waited_for(const struct whereabouts *are, uint32_t i)
{
    for (uint32_t j = 0; j < are->nplaces; j++)
        if (j != i && (!are->place[j].asked ||
                       whereabouts_says(are, are->place[j].asked - 1,
                                        are->place[i].asked - 1) !=
                           HCT_ORDER_WAITS))
            return false;
    return are->place[i].tasks == 1 && are->nplaces > 1;
}

int64_t latetask_found(const struct whereabouts *are)
{
    for (uint32_t i = 0; i < are->nplaces; i++)
        for (uint32_t r = 0; are->place[i].asked && is_waited_for(are, i) &&
                             r < are->width; r++)
            if (are->at[r] == i + 1)
                return r;
    return -1;
}
