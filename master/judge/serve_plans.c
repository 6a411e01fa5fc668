/* serve_plans.c - an optimizer is shown systems and answers plans, see serve.h.
 * What it says goes back as it is: who asks checks it. */
#include "master/judge/serve.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "proto/base/str.h"
#include "proto/plan/systembytes.h"

static int tell(const struct optimizer_answer *a)
{
    const struct hct_plan *p = &a->plan;
    uint32_t n = p->nsteps < p->steps_max ? p->nsteps : p->steps_max;
    const struct judgewire_plan w = {
        .lost = p->lost, .nsteps = p->nsteps, .steps_max = p->steps_max,
        .rc = a->rc, .greedy = a->greedy };
    struct str bytes = { 0 };
    int rc;

    str_add_bytes(&bytes, &w, sizeof(w));
    if (p->steps && a->rc == 0)
        str_add_bytes(&bytes, p->steps, (size_t)n * sizeof(*p->steps));
    rc = str_failed(&bytes)
         ? -1 : serve_answer(JUDGEWIRE_PLAN, str_text(&bytes), bytes.n);
    str_fini(&bytes);
    return rc;
}

static int plan(const struct optimizer *o, const void *bytes, size_t n,
                struct err *err)
{
    struct optimizer_answer a = { .rc = 0 };
    struct systembytes s;
    int rc;

    if (systembytes_read(&s, bytes, n, err))
        return -1;
    rc = optimizer_ask(o, &s.in, &a, err);
    systembytes_fini(&s);
    if (rc == 0 && tell(&a)) {
        err->code = 0;
        rc = -1;
    }
    free(a.plan.steps);
    return rc;
}

/* -1 with err.code 0: there is nobody any more. */
static int serve_one(const struct optimizer *o,
                     const struct judgewire_show *w, struct err *err)
{
    void *bytes = mmap(NULL, w->bytes, PROT_READ, MAP_SHARED, JUDGEWIRE_TAPE, 0);
    int rc;

    if (bytes == MAP_FAILED)
        return err_sys(err, "cannot read the system");
    rc = plan(o, bytes, w->bytes, err);
    munmap(bytes, w->bytes);
    return rc;
}

int serve_plans(struct optimizer *o)
{
    struct judgewire_opened opened = { .needs = 0 };
    struct judgewire_show w;
    struct err err = { 0 };
    int rc = serve_answer(JUDGEWIRE_OPENED, &opened, sizeof(opened));

    while (rc == 0 && serve_get(&w, sizeof(w)) == 0)
        rc = serve_one(o, &w, &err);
    if (rc && err.code)
        serve_refuse(err.text);
    return rc && err.code;
}
