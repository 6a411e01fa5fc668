/* policy.c - one policy, see policy.h.
 *
 * A step runs in this process. It has no business with anything outside of
 * its state and its output, so it can be left at any instruction: a signal it
 * causes, and the end of its time, jump back here. Its state is not used any
 * more then. */
#include "master/watch/policy.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "proto/base/str.h"

enum { POLICY_SLOW_MAX = 3, POLICY_WRONG_MAX = 3, POLICY_TIME_S = 1 };
/* A step is slow that takes longer, or than so long for each task. */
static const uint64_t policy_slow_ns = 100 * CLOCK_NS_PER_MS;
static const uint64_t policy_slow_task_ns = 500;
/* A look of a series may come so much early. */
static const uint64_t policy_early_ns = CLOCK_NS_PER_MS;
static const uint64_t policy_wake_least_ns = 10 * CLOCK_NS_PER_MS;
static const uint64_t policy_wake_usual_ns = CLOCK_NS_PER_S;

/* ----------------------------------------------------------------- loading */

static int find_object(char *path, size_t size, const char *name,
                       struct err *err)
{
    char file[80];

    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        return 0;
    }
    snprintf(file, sizeof(file), "policies/%.48s.so", name);
    if (paths_library(file, path, size, NULL))
        return err_set(err, ENOENT, "there is no policy called %.48s", name);
    return 0;
}

static int load(struct policy *p, const char *path, struct err *err)
{
    hct_policy_f *entry;

    p->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!p->object)
        return err_set(err, ENOENT, "cannot load the policy: %.160s",
                       dlerror());
    *(void **)&entry = dlsym(p->object, "hct_policy");
    p->p = entry ? entry() : NULL;
    if (!p->p)
        return err_set(err, EINVAL, "%.140s is not a policy: it has no "
                       "hct_policy", path);
    if (p->p->major != HCT_POLICY_MAJOR)
        return err_set(err, EPROTO, "policy %.100s was built for version %u "
                       "of the interface, this Hector has version %u", path,
                       p->p->major, HCT_POLICY_MAJOR);
    if (!p->p->name || !p->p->params || !p->p->state_bytes || !p->p->init ||
        !p->p->step || strlen(p->p->name) >= sizeof(p->name))
        return err_set(err, EINVAL, "%.140s is not a policy: something is "
                       "missing in it", path);
    snprintf(p->name, sizeof(p->name), "%s", p->p->name);
    return 0;
}

static int set_defaults(struct policy *p, struct err *err)
{
    for (unsigned i = 0; p->p->params[i].name; i++) {
        if (i == HCT_PARAMS_MAX)
            return err_set(err, EINVAL, "policy %s has more than %d "
                           "parameters", p->name, HCT_PARAMS_MAX);
        p->params[i] = p->p->params[i].def;
    }
    return 0;
}

static int set_one(struct policy *p, const char *key, const char *value,
                   struct err *err)
{
    struct str names = { 0 };
    char *end;

    for (unsigned i = 0; p->p->params[i].name; i++) {
        const struct hct_param *q = &p->p->params[i];
        double v = strtod(value, &end);

        str_addf(&names, "%s%s", i ? ", " : "", q->name);
        if (strcmp(q->name, key) != 0)
            continue;
        str_fini(&names);
        if (*value == '\0' || *end != '\0' || !(v >= q->min && v <= q->max))
            return err_set(err, EINVAL, "policy %s: %s=%.40s: a number from "
                           "%g to %g is wanted", p->name, key, value, q->min,
                           q->max);
        p->params[i] = v;
        return 0;
    }
    err_set(err, EINVAL, "policy %s has no parameter %.40s; it has %.80s",
            p->name, key, names.n ? str_text(&names) : "none");
    str_fini(&names);
    return -1;
}

static int set_params(struct policy *p, char *text, struct err *err)
{
    char *save, *word;

    for (word = strtok_r(text, ",", &save); word;
         word = strtok_r(NULL, ",", &save)) {
        char *value = strchr(word, '=');

        if (!value)
            return err_set(err, EINVAL, "policy %s: %.40s: write it as "
                           "KEY=VALUE", p->name, word);
        *value++ = '\0';
        if (set_one(p, word, value, err))
            return -1;
    }
    return 0;
}

int policy_open(struct policy *p, const char *spec, struct err *err)
{
    const char *slash = strrchr(spec, '/');
    const char *colon = strchr(slash ? slash : spec, ':');
    size_t n = colon ? (size_t)(colon - spec) : strlen(spec);
    char *name = strndup(spec, n), *params = strdup(colon ? colon + 1 : "");
    char path[PATHS_MAX];
    int rc = -1;

    memset(p, 0, sizeof(*p));
    p->spec = strdup(spec);
    if (!name || !params || !p->spec)
        err_set(err, ENOMEM, "out of memory");
    else if (find_object(path, sizeof(path), name, err) == 0 &&
             load(p, path, err) == 0 && set_defaults(p, err) == 0 &&
             set_params(p, params, err) == 0)
        rc = 0;
    free(name);
    free(params);
    if (rc)
        policy_close(p);
    return rc;
}

void policy_close(struct policy *p)
{
    if (p->object)
        dlclose(p->object);
    free(p->spec);
    free(p->state);
    memset(p, 0, sizeof(*p));
}

/* --------------------------------------------------------------- the guard */

static sigjmp_buf guard_back;
static volatile sig_atomic_t guard_inside, guard_ticked;

/* The clock ticks with the processor time of this process: the second tick
 * within one call means that it takes too long. */
static void guard_on_signal(int sig)
{
    if (sig == SIGVTALRM && (!guard_inside || !guard_ticked)) {
        guard_ticked = 1;
        return;
    }
    if (!guard_inside) {
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    guard_inside = 0;
    siglongjmp(guard_back, sig);
}

/* Once: what it costs to set signals and timers is more than most steps. */
static void guard_begin(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
                                   SIGVTALRM };
    static const struct timeval tick = { .tv_sec = POLICY_TIME_S };
    const struct itimerval clock = { .it_interval = tick, .it_value = tick };
    struct sigaction on = { .sa_handler = guard_on_signal,
                            .sa_flags = SA_NODEFER | SA_RESTART };
    static bool done;

    if (done)
        return;
    done = true;
    sigemptyset(&on.sa_mask);
    for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &on, NULL);
    setitimer(ITIMER_VIRTUAL, &clock, NULL);
}

/* Call f(arg); the number of the signal that ended it, or 0. */
static int guarded(void (*f)(void *arg), void *arg)
{
    int sig;

    guard_begin();
    guard_ticked = 0;
    sig = sigsetjmp(guard_back, 0);
    if (sig == 0) {
        guard_inside = 1;
        f(arg);
    }
    guard_inside = 0;
    return sig;
}

/* -------------------------------------------------------------------- state */

struct begin_call {
    struct policy *p;
    const struct hct_job *job;
    char why[160];
    int rc;
};

static void begin_size(void *arg)
{
    struct begin_call *b = arg;

    b->p->state_bytes = b->p->p->state_bytes(b->job, b->p->params);
}

static void begin_init(void *arg)
{
    struct begin_call *b = arg;

    b->rc = b->p->p->init(b->p->state, b->job, b->p->params, b->why,
                          sizeof(b->why));
}

int policy_begin(struct policy *p, const struct hct_job *job, struct err *err)
{
    struct begin_call b = { .p = p, .job = job };
    int sig = guarded(begin_size, &b);

    if (sig == 0 && p->state_bytes > HCT_STATE_MAX)
        return err_set(err, ENOMEM, "policy %s wants %zu bytes for its state",
                       p->name, p->state_bytes);
    free(p->state);
    p->state = sig ? NULL : calloc(1, p->state_bytes + 1);
    if (sig == 0 && !p->state)
        return err_set(err, ENOMEM, "policy %s: out of memory", p->name);
    if (sig == 0)
        sig = guarded(begin_init, &b);
    b.why[sizeof(b.why) - 1] = '\0';
    if (sig)
        return err_set(err, EINVAL, "policy %s was ended by signal %d when it "
                       "began", p->name, sig);
    if (b.rc)
        return err_set(err, EINVAL, "policy %s: %s", p->name, b.why);
    return 0;
}

int policy_out_init(struct policy_out *o, uint32_t nranks)
{
    memset(o, 0, sizeof(*o));
    o->ranks_max = 2 * nranks + 16;
    o->ranks = calloc(o->ranks_max, sizeof(*o->ranks));
    return o->ranks ? 0 : -1;
}

void policy_out_fini(struct policy_out *o)
{
    free(o->ranks);
    memset(o, 0, sizeof(*o));
}

bool policy_due(const struct policy *p, uint64_t now_ns)
{
    return !p->off && now_ns + policy_early_ns >= p->wake_ns;
}

/* -------------------------------------------------------------------- steps */

struct step_call {
    struct policy *p;
    const struct hct_snapshot *in;
    struct hct_out *out;
    int rc;
};

static void step(void *arg)
{
    struct step_call *s = arg;

    s->rc = s->p->p->step(s->p->state, s->in, s->out);
}

static void empty(struct policy_out *o)
{
    o->out = (struct hct_out){
        .size = sizeof(o->out),
        .verdicts = o->verdicts,
        .verdicts_max = sizeof(o->verdicts) / sizeof(o->verdicts[0]),
        .ranks = o->ranks, .ranks_max = o->ranks_max,
        .lines = o->lines,
        .lines_max = sizeof(o->lines) / sizeof(o->lines[0]),
        .proposals = o->proposals,
        .proposals_max = sizeof(o->proposals) / sizeof(o->proposals[0]) };
}

/* Before version 1.5 places were part of the text. */
static void clear_places(struct policy_out *o)
{
    for (uint32_t i = 0; i < o->out.nlines && i < o->out.lines_max; i++)
        o->lines[i].site = o->lines[i].made = 0;
}

static bool span_fits(uint32_t first, uint32_t n, uint32_t all)
{
    return first <= all && n <= all - first;
}

static bool verdict_makes_sense(const struct hct_verdict *v,
                                const struct hct_out *out, uint32_t nranks,
                                const char **why)
{
    *why = NULL;
    if (v->kind < HCT_HANG || v->kind > HCT_NOTICE)
        *why = "a verdict of no kind";
    else if (!(v->score >= 0 && v->score <= 1))
        *why = "a score that is not from 0 to 1";
    else if (!span_fits(v->ranks, v->nranks, out->nranks) ||
             !span_fits(v->lines, v->nlines, out->nlines))
        *why = "a verdict that points beyond its arrays";
    for (uint32_t i = 0; !*why && i < v->nranks; i++)
        if (out->ranks[v->ranks + i] >= nranks)
            *why = "a rank that the job does not have";
    for (uint32_t i = 0; !*why && i < v->nlines; i++) {
        const struct hct_line *l = &out->lines[v->lines + i];

        if (l->rank != HCT_NONE &&
            (l->rank < 0 || (uint32_t)l->rank >= nranks))
            *why = "a line about a rank that the job does not have";
        else if (!memchr(l->text, '\0', sizeof(l->text)))
            *why = "a line without an end";
        else if (strchr(l->text, '\n'))
            *why = "a line that is several";
    }
    return !*why;
}

/* What makes no sense is not in the output any more. */
static const char *check(struct policy_out *o, uint32_t nranks)
{
    struct hct_out *out = &o->out;
    const char *why = NULL;

    if (out->nverdicts > out->verdicts_max || out->nranks > out->ranks_max ||
        out->nlines > out->lines_max || out->nproposals > out->proposals_max ||
        out->verdicts != o->verdicts || out->ranks != o->ranks ||
        out->lines != o->lines || out->proposals != o->proposals) {
        out->nverdicts = out->nranks = out->nlines = out->nproposals = 0;
        return "more than there is room for";
    }
    for (uint32_t i = 0; i < out->nverdicts; i++)
        if (!verdict_makes_sense(&o->verdicts[i], out, nranks, &why)) {
            out->nverdicts = out->nproposals = 0;
            return why;
        }
    for (uint32_t i = 0; i < out->nproposals; i++)
        if (o->proposals[i].action < HCT_REPORT ||
            o->proposals[i].action > HCT_KILL ||
            o->proposals[i].verdict >= out->nverdicts) {
            out->nproposals = 0;
            return "a proposal without sense";
        }
    return NULL;
}

static void schedule(struct policy *p, uint64_t now_ns, uint64_t wake_ns)
{
    if (wake_ns == 0)
        wake_ns = now_ns + policy_wake_usual_ns;
    if (wake_ns < now_ns + policy_wake_least_ns)
        wake_ns = now_ns + policy_wake_least_ns;
    p->wake_ns = wake_ns;
}

static uint64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * CLOCK_NS_PER_S + (uint64_t)t.tv_nsec;
}

static enum policy_result count_wrong(struct policy *p, unsigned *count,
                                      unsigned max)
{
    if (++*count < max)
        return POLICY_ODD;
    p->off = true;
    return POLICY_OFF;
}

static bool is_slow(uint64_t took_ns, uint32_t nranks)
{
    return took_ns >= policy_slow_ns && took_ns >= nranks * policy_slow_task_ns;
}

/* In a job of weeks a policy is slow at times, for reasons of the host's. */
static void forgive(struct policy *p)
{
    if (p->slow == 0 || ++p->quick < POLICY_FORGIVEN)
        return;
    p->slow = 0;
    p->quick = 0;
}

enum policy_result policy_step(struct policy *p, const struct hct_snapshot *in,
                               struct policy_out *o, char *why, size_t size)
{
    struct step_call call = { .p = p, .in = in, .out = &o->out };
    uint64_t before = cpu_ns(), took;
    const char *wrong;
    int sig;

    empty(o);
    sig = guarded(step, &call);
    took = cpu_ns() - before;
    p->steps++;
    if (sig || call.rc) {
        empty(o);
        p->off = true;
        if (sig == SIGVTALRM)
            snprintf(why, size, "it thought for more than %d s",
                     POLICY_TIME_S);
        else if (sig)
            snprintf(why, size, "it was ended by signal %d", sig);
        else
            snprintf(why, size, "it says that it cannot go on (%d)", call.rc);
        return POLICY_OFF;
    }
    if (p->p->minor < 5)
        clear_places(o);
    schedule(p, in->now_ns, o->out.wake_ns);
    p->lost += o->out.lost;
    wrong = check(o, in->nranks);
    if (wrong) {
        snprintf(why, size, "it gave %s", wrong);
        return count_wrong(p, &p->wrong, POLICY_WRONG_MAX);
    }
    if (!is_slow(took, in->nranks)) {
        forgive(p);
        return POLICY_FINE;
    }
    p->quick = 0;
    snprintf(why, size, "a step took %.0f ms", (double)took / 1e6);
    return count_wrong(p, &p->slow, POLICY_SLOW_MAX);
}

const char *policy_kind_name(uint32_t kind)
{
    static const char *const names[] = {
        [HCT_HANG] = "hang", [HCT_SLOWDOWN] = "slowdown",
        [HCT_DEADLOCK] = "deadlock", [HCT_OUTLIER] = "outlier",
        [HCT_PROGRESS] = "progress", [HCT_DEADLINE] = "deadline",
        [HCT_IMBALANCE] = "imbalance", [HCT_NOTICE] = "notice",
    };

    return kind >= HCT_HANG && kind <= HCT_NOTICE ? names[kind] : "?";
}

const char *policy_where_name(uint32_t where)
{
    return where == HCT_WHERE_COMPUTATION ? "computation"
           : where == HCT_WHERE_COMMUNICATION ? "communication" : "";
}
