/* remedy.c - what is done about a hang, and when, see remedy.h. */
#include "master/findings/remedy.h"

#include <math.h>

static const double remedy_unproven = 0.9999;
static const uint64_t remedy_ms_ns = 1000000;

double remedy_score(const struct hct_verdict *v)
{
    return v->kind == HCT_DEADLOCK ? v->score
                                   : fmin(v->score, remedy_unproven);
}

/* The policy does not say how sure it is: it may end by itself. */
static bool is_guess(const struct hct_verdict *v)
{
    return v->kind == HCT_HANG && v->score <= 0;
}

static bool is_sure(const struct onhang *h, const struct hct_verdict *v)
{
    return 100 * remedy_score(v) >= h->sure - 1e-9;
}

/* Who waits for another would do so anywhere. */
static bool moves_help_not(const struct onhang *h, const struct hct_verdict *v)
{
    return h->action == ONHANG_MIGRATE && v->kind == HCT_DEADLOCK;
}

/* UINT64_MAX: none will do. */
static uint64_t age_wanted(const struct onhang *h, const struct hct_verdict *v)
{
    switch (v->kind) {
    case HCT_DEADLOCK:
        return moves_help_not(h, v) ? UINT64_MAX : 0;
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

/* What is done if anything is: a policy that proposes to report, or nothing,
 * leaves that to --on-hang. */
static enum onhang_action does_what(const struct onhang *h, uint32_t proposed)
{
    return proposed == HCT_SUSPEND && h->action > ONHANG_SUSPEND
           ? ONHANG_SUSPEND : h->action;
}

struct remedy remedy_decide(const struct onhang *h,
                            const struct hct_verdict *v, uint32_t proposed,
                            uint64_t now_ns)
{
    uint64_t age_ns = age_wanted(h, v);
    struct remedy r = { .due_ns = now_ns, .does = does_what(h, proposed) };

    if (h->action == ONHANG_REPORT || age_ns == UINT64_MAX)
        return r;
    r.wanted = true;
    if (age_ns > v->age_ns)
        r.due_ns = age_ns - v->age_ns > UINT64_MAX - now_ns
                       ? UINT64_MAX : now_ns + age_ns - v->age_ns;
    return r;
}

static const char *does_name(enum onhang_action does)
{
    return does == ONHANG_KILL ? "ended"
           : does == ONHANG_ROLLBACK ? "taken back to its last checkpoint"
           : does == ONHANG_MIGRATE ? "moved" : "suspended";
}

void remedy_say(struct str *to, const struct onhang *h,
                const struct hct_verdict *v, uint32_t proposed,
                uint64_t now_ns)
{
    struct remedy r = remedy_decide(h, v, proposed, now_ns);
    const char *does = does_name(r.does);

    if (h->action == ONHANG_REPORT) {
        str_addf(to, "hector why shows all of it, hector kill ends it; "
                 "--on-hang kill%s would %s", is_guess(v) ? ":patience=TIME" : "",
                 v->kind == HCT_DEADLOCK ? "have"
                                         : "when it has lasted much longer");
        return;
    }
    if (moves_help_not(h, v)) {
        str_add(to, "nothing is moved: tasks that wait for each other would do "
                "so anywhere");
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
    str_addf(to, "%s %s, as --on-hang %s %s",
             r.does == ONHANG_MIGRATE ? "the tasks to blame are" : "it is", does,
             onhang_name(h->action),
             r.does == h->action ? "wishes" : "allows, and is proposed");
    if (r.due_ns > now_ns)
        str_addf(to, ", if it still stands when that has lasted for %.3g s",
                 (double)(r.due_ns - now_ns + v->age_ns) / 1e9);
    if (r.does == ONHANG_SUSPEND)
        str_add(to, ": look at it with a debugger, then hector resume or "
                "hector kill");
}

void remedy_why_not(struct str *to, const struct onhang *h,
                    const struct hct_verdict *v)
{
    bool stands = v->kind == HCT_HANG || v->kind == HCT_DEADLOCK ||
                  v->kind == HCT_NOTICE;

    if (!stands)
        str_add(to, "not done: nothing is set for a job that goes on");
    else if (h->action == ONHANG_REPORT)
        str_add(to, "not done: --on-hang report");
    else if (moves_help_not(h, v))
        str_add(to, "not done: --on-hang migrate, which helps no deadlock");
    else if (is_guess(v) || v->kind == HCT_NOTICE)
        str_addf(to, "not done: --on-hang %s has no patience",
                 onhang_name(h->action));
    else
        str_addf(to, "not done: --on-hang wants to be %.6g %% sure", h->sure);
}
