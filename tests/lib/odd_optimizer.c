/* odd_optimizer.c - an optimizer that does what it should not, for tests:
 * odd:how=N. */
#include <hct_optimizer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { LAST, LOOP, CRASH, GREEDY, NO_NODE, PARTS, ENDS, REFUSES, SUSPENDS,
       SWAPS, LATE };

static const struct hct_param params[] = {
    { "how", "", "0 places on the last node, 1 loops, 2 crashes, 3 wants memory, "
      "4 names no node, 5 places a part, 6 ends, 7 cannot go on, 8 suspends, 9 lets two "
      "tasks change places, 10 takes a second to place on the last node",
      0, 0, 10 },
    { .name = NULL },
};

static size_t state_bytes(const struct hct_system *in)
{
    return in->params[0] == GREEDY ? (size_t)1 << 50 : 0;
}

static void place(const struct hct_system *in, const struct hct_work *w,
                  uint32_t work, int how, struct hct_plan *out)
{
    if (how == LATE)
        thrd_sleep(&(struct timespec){ .tv_sec = 1 }, NULL);
    for (uint32_t k = 0; k < w->ntasks - (how == PARTS); k++) {
        struct hct_plan_step *s = hct_plan_add(out, HCT_PLAN_PLACE);

        if (!s)
            return;
        s->work = work;
        s->seat = w->first + k;
        s->host = how == NO_NODE ? 4711 : 0;
        for (uint32_t i = 0; how != NO_NODE && i < in->nhosts; i++)
            if (hct_host(in, i)->slots && i > s->host)
                s->host = i;
        if (how == SWAPS)
            s->host = k % in->nhosts;
        snprintf(s->why, sizeof(s->why), "the last one");
    }
}

/* Whatever they are, nothing comes of it. */
static void swap(const struct hct_system *in, const struct hct_work *w,
                 uint32_t work, struct hct_plan *out)
{
    for (uint32_t k = 0; k < 2; k++) {
        struct hct_plan_step *s = hct_plan_add(out, HCT_PLAN_MOVE);

        if (!s)
            return;
        s->work = work;
        s->seat = w->first + k;
        s->host = hct_seat(in, w->first + !k)->host;
    }
}

static int plan(void *state, const struct hct_system *in, struct hct_plan *out)
{
    int how = (int)in->params[0];

    (void)state;
    while (how == LOOP)
        ;
    if (how == CRASH)
        abort();
    if (how == ENDS)
        exit(0);
    if (how == REFUSES)
        return 7;
    for (uint32_t i = 0; i < in->nworks; i++) {
        const struct hct_work *w = hct_work(in, i);
        struct hct_plan_step *s;

        if (w->flags & HCT_WORK_WAITING)
            place(in, w, i, how, out);
        else if (how == SWAPS && w->ntasks > 1 && w->flags == HCT_WORK_MOVABLE &&
                 hct_seat(in, w->first)->host != hct_seat(in, w->first + 1)->host)
            swap(in, w, i, out);
        else if (how == SUSPENDS && !w->flags &&
                 (s = hct_plan_add(out, HCT_PLAN_SUSPEND)))
            s->work = i;
    }
    return 0;
}

static const struct hct_optimizer optimizer = {
    .major = HCT_OPTIMIZER_MAJOR, .minor = HCT_OPTIMIZER_MINOR, .name = "odd",
    .help = "for tests", .params = params, .state_bytes = state_bytes,
    .plan = plan };

const struct hct_optimizer *hct_optimizer(void)
{
    return &optimizer;
}
