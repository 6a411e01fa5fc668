/* node.c - the table of nodes. v[i]->id == i, names differ. */
#include "master/state/node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

static void node_destroy(struct node *n)
{
    if (!n)
        return;
    free(n->name);
    free(n->hostname);
    free(n->machine);
    free(n->away.why);
    free(n->output_waits);
    free(n->reduce_at);
    free(n->leaving.why);
    free(n->leaving.to);
    free(n->owner.why);
    free(n);
}

void nodes_fini(struct nodes *t)
{
    for (size_t i = 0; i < t->n; i++)
        node_destroy(t->v[i]);
    free(t->v);
    memset(t, 0, sizeof(*t));
}

struct node *nodes_find(const struct nodes *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->v[i]->name, name) == 0)
            return t->v[i];
    return NULL;
}

struct node *nodes_make(struct nodes *t, const char *name)
{
    struct node *n = nodes_find(t, name);

    if (n)
        return n;
    if (array_reserve(&t->v, &t->cap, t->n + 1))
        return NULL;
    n = calloc(1, sizeof(*n));
    if (!n || !(n->name = strdup(name))) {
        node_destroy(n);
        return NULL;
    }
    n->id = (uint32_t)t->n;
    n->cpus = 1;
    n->state = NODE_LEFT;
    t->v[t->n++] = n;
    return n;
}

int node_set_leaving(struct node *n, const char *why, const char *to)
{
    struct node_leaving l = { why ? strdup(why) : NULL, why ? strdup(to) : NULL };

    if (why && (!l.why || !l.to)) {
        free(l.why);
        free(l.to);
        return -1;
    }
    free(n->leaving.why);
    free(n->leaving.to);
    n->leaving = l;
    return 0;
}

int node_takes(const struct node *n, struct err *err)
{
    if (n->draining && n->owner.drains)
        return err_set(err, EBUSY, "the owner of node %s is there: it takes no "
                       "new tasks", n->name);
    if (n->draining)
        return err_set(err, EBUSY, "node %s is draining: it takes no new tasks",
                       n->name);
    return 0;
}

/* Some five seconds: plans are made every ten. */
void node_mix_busy(struct node *n)
{
    const double part = 0.25;

    if (n->cpu_busy >= 0 && n->cpu_busy <= 1)
        n->busy_mean += part * (n->cpu_busy - n->busy_mean);
}

double node_speed_whole(const struct node *n)
{
    const struct node_pace *p = &n->pace;

    return p->seen > 0 ? p->seen : p->loop > 0 ? p->loop : 1;
}

double node_speed(const struct node *n)
{
    return node_speed_whole(n) * (n->pace.part > 0 ? n->pace.part : 1);
}

void node_set_text(char **field, const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        return;
    free(*field);
    *field = copy;
}

const char *node_state_name(enum node_state s)
{
    static const char *const names[] = {
        [NODE_UP] = "up", [NODE_LEFT] = "left",
        [NODE_AWAY] = "away", [NODE_LOST] = "lost",
    };

    return names[s];
}

const char *node_owner_name(enum node_owner_is is)
{
    return is == NODE_OWNER_HERE ? "here" : is == NODE_OWNER_GONE ? "gone" : "";
}
