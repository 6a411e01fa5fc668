/* say.c - see say.h. */
#include "policies/progress/say.h"

#include <stdio.h>

#include "policies/lib/words.h"

#define BIT(i) ((uint64_t)1 << (i))

static const char *const by[] = {
    [HCT_DECIDED_NOT] = "",
    [HCT_DECIDED_COLLECTIVE] = ", by the collective number",
    [HCT_DECIDED_ASLEEP] = ", by its sleep in the call",
    [HCT_DECIDED_MESSAGE] = ", by messages",
    [HCT_DECIDED_LOOP] = ", by the loop's iterations",
    [HCT_DECIDED_WAITS] = ", by the wait-for graph",
    [HCT_DECIDED_MODEL] = ", by the model",
};

static bool is_in(uint64_t set, uint32_t i)
{
    return set >> i & 1;
}

static uint32_t tasks_of(const struct nodes *g, uint64_t set)
{
    uint32_t n = 0;

    for (uint32_t a = 0; a < g->n; a++)
        n += is_in(set, a) ? g->node[a].ntasks : 0;
    return n;
}

/* Messages may go round in circles; of the others PDI says that they are edges
 * of collectives. */
static struct least_graph edges_of(const struct nodes *g)
{
    struct least_graph l = { .n = g->n };

    for (uint32_t a = 0; a < g->n; a++) {
        l.message[a] = g->edge[HCT_DECIDED_MESSAGE][a];
        for (unsigned why = 0; why <= HCT_DECIDED_MODEL; why++)
            if (why != HCT_DECIDED_MESSAGE)
                l.collective[a] |= g->edge[why][a];
    }
    return l;
}

void say_find(struct say *s)
{
    struct least_graph l = edges_of(s->g);
    uint64_t waited = 0;

    s->least = least_progressed(&l);
    for (uint32_t a = 0; a < s->g->n; a++)
        if (is_in(s->least, a) && least_behind(&l, BIT(a)))
            waited |= BIT(a);
    if (waited)
        s->least = waited;
    s->behind = least_behind(&l, s->least);
}

static uint64_t waits_for(const struct nodes *g, uint32_t a)
{
    uint64_t to = 0;

    for (unsigned why = 0; why <= HCT_DECIDED_MODEL; why++)
        to |= g->edge[why][a];
    return to;
}

/* What says that others wait for one of these: the most exact that does. */
static enum hct_decided decided(const struct nodes *g, uint64_t nodes)
{
    for (unsigned why = 1; why <= HCT_DECIDED_MODEL; why++)
        for (uint32_t a = 0; a < g->n; a++)
            if (!is_in(nodes, a) && (g->edge[why][a] & nodes))
                return (enum hct_decided)why;
    return HCT_DECIDED_NOT;
}

/* --------------------------------------------------------------------- rows */

/* The least first, then those that most wait for. */
static void order(const struct say *s, uint32_t *place)
{
    struct least_graph l = edges_of(s->g);
    uint32_t n = s->g->n, weight[NODES_MAX];

    for (uint32_t a = 0; a < n; a++) {
        weight[a] = tasks_of(s->g, least_behind(&l, BIT(a)));
        place[a] = a;
    }
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = i, a = place[i]; j > 0; j--) {
            uint32_t b = place[j - 1];
            bool first = is_in(s->least, a) != is_in(s->least, b)
                             ? is_in(s->least, a)
                             : weight[a] > weight[b];

            if (!first)
                break;
            place[j] = b;
            place[j - 1] = a;
        }
}

/* A set of nodes by their places. */
static uint64_t by_place(uint64_t set, const uint32_t *place, uint32_t n)
{
    uint64_t found = 0;

    for (uint32_t p = 0; p < n; p++)
        if (is_in(set, place[p]))
            found |= BIT(p);
    return found;
}

/* Ranks of a node, behind those that are there. */
static uint32_t put_ranks(const struct say *s, uint32_t node,
                          struct hct_out *out)
{
    uint32_t n = 0;

    for (uint32_t r = 0; r < s->in->nranks && out->nranks < out->ranks_max; r++)
        if (s->t[r].node == node) {
            out->ranks[out->nranks++] = r;
            n++;
        }
    return n;
}

static void put_row(const struct say *s, const uint32_t *place, uint32_t at,
                    struct hct_out *out)
{
    uint32_t a = place[at];
    const struct node *n = &s->g->node[a];
    struct hct_row *row;

    if (out->nrows >= out->rows_max) {
        out->lost++;
        return;
    }
    row = &out->rows[out->nrows++];
    *row = (struct hct_row){
        .verdict = out->nverdicts - 1, .place = at + 1, .ranks = out->nranks,
        .line = out->nlines ? out->nlines - 1 : 0, .call = n->call, .in = n->in,
        .decided = decided(s->g, BIT(a)),
        .waits_for = by_place(waits_for(s->g, a), place, s->g->n),
        .unsure = by_place(s->g->unsure[a], place, s->g->n) };
    row->nranks = put_ranks(s, a, out);
}

/* -------------------------------------------------------------------- lines */

static void add_places(char *buf, size_t size, const char *before, uint64_t set)
{
    size_t at = 0;

    *buf = '\0';
    for (; set && at + 40 < size; set &= set - 1)
        at += (size_t)snprintf(buf + at, size - at, "%s%d", at ? ", " : before,
                               __builtin_ctzll(set) + 1);
}

/* "in MPI_Barrier", "behind MPI_Barrier" */
static void add_call(char *buf, size_t size, const struct say *s,
                     const struct node *n)
{
    if (n->stage == NODES_STARTED)
        snprintf(buf, size, "before MPI_Init");
    else if (n->call)
        snprintf(buf, size, "%s %s%s", n->in ? "in" : "behind",
                 hct_call(s->in, n->call)->name,
                 n->asleep ? ", where it sleeps" : "");
    else
        snprintf(buf, size, n->in ? "in MPI" : "outside of MPI");
}

/* Which of the two the model would rather say, where it does not. */
static void add_hint(char *buf, size_t size, const struct say *s, uint32_t a,
                     const uint32_t *place)
{
    uint32_t p = 0;
    double there[2], back[2];

    *buf = '\0';
    while (p < s->g->n && !is_in(s->g->unsure[a], place[p]))
        p++;
    if (!s->model || p == s->g->n)
        return;
    bymodel_hint(s->model, &s->g->node[a], &s->g->node[place[p]], &there[0],
                 &there[1]);
    bymodel_hint(s->model, &s->g->node[place[p]], &s->g->node[a], &back[0],
                 &back[1]);
    snprintf(buf, size, "; undefined against %u, a hint: from here to there "
             "%.2f, back %.2f", p + 1, there[0], back[0]);
}

static void put_line(const struct say *s, const uint32_t *place, uint32_t at,
                     struct hct_out *out)
{
    uint32_t a = place[at];
    const struct node *n = &s->g->node[a];
    struct least_graph l = edges_of(s->g);
    uint32_t behind = tasks_of(s->g, least_behind(&l, BIT(a)));
    char call[80], waits[60], hint[90], with[40] = "", who[60] = "";

    if (n->ntasks > 1)
        snprintf(with, sizeof(with), "with %u more ", n->ntasks - 1);
    add_call(call, sizeof(call), s, n);
    add_places(waits, sizeof(waits), ", waits for ",
               by_place(waits_for(s->g, a), place, s->g->n));
    add_hint(hint, sizeof(hint), s, a, place);
    if (behind)
        snprintf(who, sizeof(who), "; %u wait%s for it%s", behind,
                 behind == 1 ? "s" : "", by[decided(s->g, BIT(a))]);
    words_line(out, (int32_t)n->first, "%u. %s%s%s%s%s", at + 1, with, call,
               waits, who, hint);
}

/* Of those who wait for one of the least directly, the call that most are
 * in. */
static const struct node *waiters(const struct say *s)
{
    const struct node *most = NULL;

    for (uint32_t a = 0; a < s->g->n; a++) {
        const struct node *n = &s->g->node[a];

        if (is_in(s->behind, a) && (waits_for(s->g, a) & s->least) &&
            (!most || n->ntasks > most->ntasks))
            most = n;
    }
    return most;
}

static void put_sentence(const struct say *s, struct hct_out *out)
{
    const struct hct_verdict *v = &out->verdicts[out->nverdicts - 1];
    uint32_t n = tasks_of(s->g, s->behind), named = v->nranks;
    const struct node *most = waiters(s);
    char ranks[WORDS_RANKS], call[80] = "";

    words_ranks(ranks, out->ranks + v->ranks, named);
    if (!n) {
        words_line(out, HCT_NONE, "no task is seen to be behind the others");
        return;
    }
    if (most)
        add_call(call, sizeof(call), s, most);
    words_line(out, HCT_NONE,
               "task%s ha%s made the least progress: %u task%s wait%s for %s, %s%s",
               ranks + 4, named == 1 ? "s" : "ve", n, n == 1 ? "" : "s",
               n == 1 ? "s" : "", named == 1 ? "it" : "them", call,
               by[decided(s->g, s->least)]);
}

/* Who has been seen for the shortest time to be there. */
static uint64_t age_of(const struct say *s)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t r = 0; r < s->in->nranks; r++)
        if (s->t[r].node < s->g->n && is_in(s->least, s->t[r].node) &&
            hct_rank(s->in, r)->age_ns < least)
            least = hct_rank(s->in, r)->age_ns;
    return least < UINT64_MAX ? least : 0;
}

void say_verdict(const struct say *s, struct hct_out *out)
{
    struct hct_verdict *v = words_verdict(out, HCT_PROGRESS);
    uint32_t place[NODES_MAX];
    bool in = false;

    if (!v)
        return;
    order(s, place);
    for (uint32_t r = 0; r < s->in->nranks; r++)
        if (s->t[r].node < s->g->n && is_in(s->least, s->t[r].node)) {
            words_blame(out, r);
            in |= s->g->node[s->t[r].node].in;
        }
    v->where = in ? HCT_WHERE_COMMUNICATION : HCT_WHERE_COMPUTATION;
    v->age_ns = age_of(s);
    put_sentence(s, out);
    for (uint32_t p = 0; p < s->g->n; p++) {
        put_line(s, place, p, out);
        put_row(s, place, p, out);
    }
    if (s->g->unseen)
        words_line(out, HCT_NONE, "of %u tasks nothing is known", s->g->unseen);
    if (!s->model)
        words_line(out, HCT_NONE, "by calls and messages only: what so many "
                   "tasks do mostly was not answered");
    else if (s->unplaced)
        words_line(out, HCT_NONE, "where %u tasks are in the program is not "
                   "known: without them", s->unplaced);
}
