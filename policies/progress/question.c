/* question.c - see question.h. */
#include "policies/progress/question.h"

#include <string.h>

/* FNV-1a, of 64 bits: RFC 9923. */
static uint64_t mix(uint64_t x, const void *v, size_t n)
{
    const uint8_t *p = v;

    while (n--)
        x = (x ^ *p++) * 0x100000001b3u;
    return x;
}

static void ask_about(struct question *q, const struct hct_place *is)
{
    for (uint32_t i = 0; i < q->nasked; i++)
        if (q->asked[i].place == is->place && q->asked[i].in == is->in)
            return;
    if (q->nasked < HCT_PLACES_ASKED)
        q->asked[q->nasked++] = (struct hct_progress_place){
            .place = is->place, .in = is->in };
}

/* Its number comes from what it says, and from the one before it: the answer to
 * another question, which a replay may have recorded, is none to this one. */
void question_make(struct question *q, const struct nodes *g)
{
    q->nasked = 0;
    for (uint32_t a = 0; g && a < g->n; a++)
        if (g->node[a].state < q->nplaces)
            ask_about(q, &q->place[g->node[a].state]);
    q->number = mix(mix(0xcbf29ce484222325u, &q->number, sizeof(q->number)),
                    q->asked, q->nasked * sizeof(q->asked[0]));
}

void question_ask(const struct question *q, struct hct_out *out)
{
    const struct hct_progress_question is = {
        .size = sizeof(is), .nplaces = q->nasked, .number = q->number };
    size_t bytes = q->nasked * sizeof(q->asked[0]);

    if (out->question_max < sizeof(is) + bytes)
        return;
    memcpy(out->question, &is, sizeof(is));
    memcpy(out->question + sizeof(is), q->asked, bytes);
    out->nquestion = (uint32_t)(sizeof(is) + bytes);
    out->need |= HCT_NEED_PROGRESS;
}

bool question_is_answered(const struct question *q,
                          const struct hct_snapshot *in)
{
    return q->number && (in->parts & HCT_NEED_PROGRESS) && in->at &&
           in->question == q->number;
}

/* Is a place what its number in the question says? Else nobody is there: a
 * slave may say anything. */
static bool is_right(const struct question *q, const struct hct_place *p)
{
    for (uint32_t i = 0; i < q->nasked; i++)
        if (q->asked[i].place == p->place && q->asked[i].in == p->in)
            return p->asked == i + 1;
    return p->asked == 0;
}

void question_take(struct question *q, struct nodes_task *t,
                   const struct hct_snapshot *in)
{
    uint32_t n = in->norders < q->nasked ? in->norders : q->nasked;

    q->nplaces = in->nplaces < HCT_PLACES_MAX ? in->nplaces : HCT_PLACES_MAX;
    for (uint32_t i = 0; i < q->nplaces; i++)
        q->place[i] = *hct_place(in, i);
    memset(q->order, HCT_ORDER_NONE, sizeof(q->order));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            q->order[i][j] = in->orders[i * in->norders + j];
    for (uint32_t r = 0; r < in->nranks; r++) {
        uint8_t at = in->at[r];

        t[r].place = at <= q->nplaces && at && is_right(q, &q->place[at - 1])
                         ? at : 0;
    }
}
