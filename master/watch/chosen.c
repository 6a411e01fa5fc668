/* chosen.c - which policies watch a job, see chosen.h. */
#include "master/watch/chosen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/log.h"

struct chosen { struct policy *v; size_t *n; };         /* borrowed */

static int add_policy(struct chosen *c, const char *spec, struct err *err)
{
    struct policy *p = &c->v[*c->n];

    if (*c->n == CHOSEN_MAX)
        return err_set(err, E2BIG, "more than %d policies", CHOSEN_MAX);
    if (policy_open(p, spec, err))
        return -1;
    /* Two of a kind are told apart by their parameters. */
    for (size_t i = 0; i < *c->n; i++)
        if (strcmp(c->v[i].name, p->name) == 0)
            snprintf(p->name, sizeof(p->name), "%.47s", spec);
    ++*c->n;
    return 0;
}

static bool names(const char *spec, const char *name, size_t n)
{
    return strncmp(spec, name, n) == 0 && (!spec[n] || spec[n] == ':');
}

/* Those of hector.conf that the user has not named, or declined by "none". */
static int add_defaults(struct chosen *c, const char *text,
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
        if (!named && add_policy(c, spec, err)) {
            log_info("watcher", "hector.conf: %s", err->text);
            return 0;           /* a run is not refused for it */
        }
        text += n;
    }
    return 0;
}

int chosen_open(struct policy *v, size_t *n, const char *defaults,
                const Hct__Submit *s, struct err *err)
{
    struct chosen c = { v, n };

    if (add_defaults(&c, defaults ? defaults : "", s, err))
        return -1;
    for (size_t i = 0; i < s->n_policies; i++)
        if (strcmp(s->policies[i], "none") != 0 &&
            add_policy(&c, s->policies[i], err))
            return -1;
    return 0;
}
