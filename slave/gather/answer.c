/* answer.c - see answer.h. */
#include "slave/gather/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/model/scores.h"

struct answer {
    void *question;             /* owned: its bytes, aligned */
    struct score *score;        /* owned */
    struct scores scores;
};

/* Of this process, made when it is first needed. */
static const struct lknorm *table(void)
{
    static struct lknorm *t;

    if (!t && (t = malloc(sizeof(*t))))
        lknorm_fill(t);
    return t;
}

static bool open_question(struct answer *a, size_t bytes)
{
    size_t room = score_room(a->question, bytes);
    void *p = room ? malloc(room) : NULL;

    if (!p)
        return false;
    a->score = score_open(p, a->question, table());
    return true;
}

struct answer *answer_open(const void *question, size_t bytes, uint32_t width,
                           struct err *err)
{
    struct answer *a = calloc(1, sizeof(*a));
    const struct hct_question *q;

    if (!a || !(a->question = malloc(bytes + 1)) || !table()) {
        answer_close(a);
        return err_memory(err), NULL;
    }
    memcpy(a->question, question, bytes);
    if (!open_question(a, bytes)) {
        answer_close(a);
        return err_set(err, EBADMSG, "this is no question about models"), NULL;
    }
    q = a->question;
    a->scores.width = width;
    a->scores.number = q->number;
    a->scores.top = q->top;
    a->scores.stretch.when = q->when;
    return a;
}

struct hct_when answer_when(const struct answer *a)
{
    return a->scores.stretch.when;
}

void answer_close(struct answer *a)
{
    if (!a)
        return;
    free(a->question);
    free(a->score);
    free(a);
}

static void put(struct answer *a, const struct answer_task *t,
                const struct hct_score *x)
{
    struct hct_score is = *x;

    is.rank = t->position;
    is.delayed_ns = t->delay.kept_ns;
    is.ran_ns = t->delay.ran_ns;
    scores_put(&a->scores, &is);
}

void answer_miss(struct answer *a)
{
    scores_task(&a->scores, 0);
}

/* By how far it is from its medoid, and from its neighbour. In which step most, which
 * takes long to find, only of those who are kept. */
static void put_far(struct answer *a, const struct answer_task *t,
                    const struct score_task *is)
{
    struct hct_score group = { .method = HCT_METHOD_CLUSTER, .group = is->group,
                               .kind = is->kind, .score = is->far,
                               .rank = t->position };
    struct hct_score near = { .method = HCT_METHOD_NEIGHBOUR, .group = is->group,
                              .kind = is->kind, .score = is->near,
                              .rank = t->position };
    struct hct_score step = { 0 };

    if (!scores_wants(&a->scores, &group) && !scores_wants(&a->scores, &near))
        return;
    if (!score_differs(a->score, is, &step))
        step = (struct hct_score){ 0 };
    step.group = is->group;
    step.kind = is->kind;
    step.method = HCT_METHOD_CLUSTER;
    step.score = is->far;
    put(a, t, &step);
    step.method = HCT_METHOD_NEIGHBOUR;
    step.score = is->near;
    put(a, t, &step);
}

void answer_add(struct answer *a, const struct answer_task *t,
                const struct score_edge *v, size_t n)
{
    struct hct_score steps[HCT_TOP_MAX];
    struct score_task is;
    size_t nsteps;

    scores_task(&a->scores, t->ago_ns);
    score_task(a->score, t->rank, v, n, &is);
    is.kept_ns = (double)t->delay.kept_ns;
    scores_count(&a->scores, HCT_CLUSTER_GROUP, is.group, is.far);
    scores_count(&a->scores, HCT_CLUSTER_KIND, is.kind, is.like);
    scores_ran(&a->scores, is.kind, t->delay.ran_ns, t->delay.kept_ns);
    put_far(a, t, &is);
    nsteps = score_steps(a->score, t->rank, &is, steps, a->scores.top);
    for (size_t i = 0; i < nsteps; i++)
        put(a, t, &steps[i]);
}

int answer_write(const struct answer *a, struct str *out, struct err *err)
{
    return scores_write(&a->scores, NULL, out, err);
}
