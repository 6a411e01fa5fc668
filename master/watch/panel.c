/* panel.c - which policies watch a job, see panel.h. */
#include "master/watch/panel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/log.h"

struct choosing {               /* all borrowed */
    struct panel *c;
    const struct panel_how *how;
};

static int add_policy(const struct choosing *g, const char *spec,
                      struct err *err)
{
    struct panel *c = g->c;
    struct judge *j;

    if (c->n == PANEL_MAX)
        return err_set(err, E2BIG, "more than %d policies", PANEL_MAX);
    j = judge_create(g->how->all, spec, g->how->conf, g->how->ops, g->how->arg,
                     err);
    if (!j)
        return -1;
    /* Two of a kind are told apart by their parameters. */
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(judge_name(c->v[i]), judge_name(j)) == 0)
            judge_use_spec(j);
    c->v[c->n++] = j;
    return 0;
}

static bool names(const char *spec, const char *name, size_t n)
{
    return strncmp(spec, name, n) == 0 && (!spec[n] || spec[n] == ':');
}

/* Those of hector.conf that the user has not named, or declined by "none". */
static int add_defaults(const struct choosing *g, const char *text,
                        const Hct__Submit *s, struct err *err)
{
    char spec[256];

    while (*(text += strspn(text, " \t"))) {
        size_t n = strcspn(text, " \t"), word = strcspn(text, ": \t");
        bool named = false;

        for (size_t i = 0; i < s->n_policies && !named; i++)
            named = names(s->policies[i], text, word) ||
                    strcmp(s->policies[i], "none") == 0;
        snprintf(spec, sizeof(spec), "%.*s", (int)n, text);
        if (!named && add_policy(g, spec, err)) {
            log_info("watcher", "hector.conf: %s", err->text);
            return 0;           /* a run is not refused for it */
        }
        text += n;
    }
    return 0;
}

/* Of hector.conf, or the user's own. */
static struct judge *find_due(const struct panel *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (names(judge_name(c->v[i]), "deadline", strlen("deadline")))
            return c->v[i];
    return NULL;
}

/* Who says what is due wants to hear of it. */
static int add_deadline(const struct choosing *g, const Hct__Submit *s,
                        struct err *err)
{
    for (size_t i = 0; i < s->n_policies; i++)
        if (names(s->policies[i], "deadline", strlen("deadline")))
            return 0;
    return s->n_deadlines && !find_due(g->c)
           ? add_policy(g, "deadline", err) : 0;
}

int panel_watch_due(struct panel *c, const struct panel_how *how,
                    struct err *err)
{
    const struct choosing g = { c, how };
    const struct judge *j = find_due(c);

    if (!j)
        return add_policy(&g, "deadline", err);
    if (!judge_off(j))
        return 0;
    return err_set(err, ENOTSUP, "policy %.40s, which would watch what is due,"
                   " is switched off", judge_name(j));
}

int panel_init(struct panel *c, const struct panel_how *how,
               const char *defaults, const Hct__Submit *s, struct err *err)
{
    const struct choosing g = { c, how };

    c->n = 0;
    if (add_defaults(&g, defaults ? defaults : "", s, err) ||
        add_deadline(&g, s, err))
        return -1;
    for (size_t i = 0; i < s->n_policies; i++)
        if (strcmp(s->policies[i], "none") != 0 &&
            add_policy(&g, s->policies[i], err))
            return -1;
    return 0;
}

void panel_fini(struct panel *c)
{
    while (c->n)
        judge_destroy(c->v[--c->n]);
}

uint32_t panel_needs(const struct panel *c)
{
    uint32_t needs = 0;

    for (size_t i = 0; i < c->n; i++)
        needs |= judge_off(c->v[i]) ? 0 : judge_needs(c->v[i]);
    return needs;
}

uint32_t panel_hears(const struct panel *c)
{
    uint32_t hear = 0;

    for (size_t i = 0; i < c->n; i++)
        hear |= judge_off(c->v[i]) ? 0 : judge_hears(c->v[i]);
    return hear;
}

uint32_t panel_hears_now(const struct panel *c)
{
    uint32_t hear = 0;
    uint64_t wake_ns;

    for (size_t i = 0; i < c->n; i++)
        if (judge_wants(c->v[i], &wake_ns))
            hear |= judge_hears(c->v[i]);
    return hear;
}

uint64_t panel_wake_ns(const struct panel *c)
{
    uint64_t next = UINT64_MAX, wake_ns;

    for (size_t i = 0; i < c->n; i++)
        if (judge_wants(c->v[i], &wake_ns) && wake_ns < next)
            next = wake_ns;
    return next;
}

bool panel_busy(const struct panel *c, uint32_t asked)
{
    for (size_t i = 0; i < c->n; i++)
        if (judge_busy(c->v[i]) && (judge_hears(c->v[i]) & asked))
            return true;
    return false;
}

bool panel_off(const struct panel *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!judge_off(c->v[i]))
            return false;
    return true;
}
