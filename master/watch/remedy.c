/* remedy.c - what is done about a hang, and when, see remedy.h. */
#include "master/watch/remedy.h"

#include <math.h>

static const double remedy_unproven = 0.9999;
static const uint64_t remedy_ms_ns = 1000000;

double remedy_score(const struct hct_verdict *v)
{
    return v->kind == HCT_DEADLOCK ? v->score
                                   : fmin(v->score, remedy_unproven);
}

/* Found without a model: it may end by itself, and nobody knows how likely. */
static bool is_guess(const struct hct_verdict *v)
{
    return v->kind == HCT_HANG && v->score <= 0;
}

static bool is_sure(const struct onhang *h, const struct hct_verdict *v)
{
    return 100 * remedy_score(v) >= h->sure - 1e-9;
}

/* UINT64_MAX: none will do. */
static uint64_t age_wanted(const struct onhang *h, const struct hct_verdict *v)
{
    switch (v->kind) {
    case HCT_DEADLOCK:
        return 0;
    case HCT_HANG:
        if (is_guess(v))
            return h->patience_ns ? h->patience_ns : UINT64_MAX;
        return is_sure(h, v) ? onhang_age(h, v->longest_ms * remedy_ms_ns)
                             : UINT64_MAX;
    case HCT_NOTICE:
        return h->patience_ns ? h->patience_ns : UINT64_MAX;
    default:
        return UINT64_MAX;
    }
}

struct remedy remedy_decide(const struct onhang *h,
                            const struct hct_verdict *v, uint64_t now_ns)
{
    uint64_t age_ns = age_wanted(h, v);
    struct remedy r = { .due_ns = now_ns };

    if (h->action == ONHANG_REPORT || age_ns == UINT64_MAX)
        return r;
    r.wanted = true;
    if (age_ns > v->age_ns)
        r.due_ns = age_ns - v->age_ns > UINT64_MAX - now_ns
                       ? UINT64_MAX : now_ns + age_ns - v->age_ns;
    return r;
}

void remedy_say(struct str *to, const struct onhang *h,
                const struct hct_verdict *v, uint64_t now_ns)
{
    const char *does = h->action == ONHANG_KILL ? "ended" : "suspended";
    struct remedy r = remedy_decide(h, v, now_ns);

    if (h->action == ONHANG_REPORT) {
        str_addf(to, "hector why shows all of it, hector kill ends it; "
                 "--on-hang kill%s would %s", is_guess(v) ? ":patience=TIME" : "",
                 v->kind == HCT_DEADLOCK ? "have"
                                         : "when it has lasted much longer");
        return;
    }
    if (!r.wanted && is_guess(v)) {
        str_addf(to, "it is not %s: nothing says how likely it goes on by "
                 "itself; --on-hang %s:patience=TIME would", does,
                 onhang_name(h->action));
        return;
    }
    if (!r.wanted) {
        str_addf(to, "it is not %s: --on-hang wants to be %.6g %% sure", does,
                 h->sure);
        return;
    }
    str_addf(to, "it is %s, as --on-hang %s wishes", does,
             onhang_name(h->action));
    if (r.due_ns > now_ns)
        str_addf(to, ", if it still stands when that has lasted for %.3g s",
                 (double)(r.due_ns - now_ns + v->age_ns) / 1e9);
    if (h->action == ONHANG_SUSPEND)
        str_add(to, ": look at it with a debugger, then hector resume or "
                "hector kill");
}
