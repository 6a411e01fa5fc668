/* series.c - looks of several nodes in the order of time, see series.h. */
#include "master/watch/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/link/lookwire.h"

struct series_look {
    uint8_t *data;              /* owned */
    size_t bytes;
    uint64_t after_ns;
};

struct series_part {
    struct series_look look[SERIES_MAX];
    uint32_t n, at;             /* how many; those that are taken */
};

static void part_empty(struct series_part *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        free(p->look[i].data);
    p->n = p->at = 0;
}

static void series_empty(struct series *s)
{
    for (size_t i = 0; i < s->n; i++)
        part_empty(&s->part[i]);
    s->at = 0;
}

void series_fini(struct series *s)
{
    series_empty(s);
    free(s->part);
    memset(s, 0, sizeof(*s));
}

int series_begin(struct series *s, size_t nodes)
{
    series_fini(s);
    s->part = calloc(nodes + 1, sizeof(*s->part));
    s->n = s->part ? nodes : 0;
    return s->part ? 0 : -1;
}

bool series_any(const struct series *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->part[i].n)
            return true;
    return false;
}

static bool look_makes_sense(const ProtobufCBinaryData *look,
                             bool (*there)(const void *arg, uint32_t rank),
                             const void *arg, uint64_t *after_ns)
{
    struct lookwire w;
    int rc;

    lookwire_open(&w, look->data, look->len);
    while ((rc = lookwire_next_rank(&w)) > 0)
        if (!there(arg, w.task.rank))
            return false;
    *after_ns = w.after_ns;
    return rc == 0;
}

int series_put(struct series *s, size_t node, const Hct__Looked *m,
               bool (*there)(const void *arg, uint32_t rank), const void *arg,
               struct err *err)
{
    struct series_part *p = &s->part[node];

    part_empty(p);
    if (m->n_more > SERIES_MAX)
        return err_set(err, EPROTO, "Looked with %zu looks", m->n_more);
    for (size_t i = 0; i < m->n_more; i++) {
        struct series_look *l = &p->look[i];

        if (!look_makes_sense(&m->more[i], there, arg, &l->after_ns)) {
            part_empty(p);
            return err_set(err, EPROTO, "Looked with a look that is none, or "
                           "with tasks that are not on this node");
        }
        l->bytes = m->more[i].len;
        l->data = malloc(l->bytes + 1);
        if (!l->data) {
            part_empty(p);
            return err_memory(err);
        }
        if (l->bytes)
            memcpy(l->data, m->more[i].data, l->bytes);
        p->n++;
    }
    return 0;
}

static struct series_part *leader(const struct series *s)
{
    struct series_part *p = NULL;

    for (size_t i = 0; i < s->n; i++)
        if (!p || s->part[i].n > p->n)
            p = &s->part[i];
    return p;
}

bool series_step(struct series *s, uint64_t every_ns, series_take_f *take,
                 void *arg, uint64_t *after_ns)
{
    const struct series_part *lead = leader(s);
    bool last = !lead || s->at + 1 >= lead->n;

    *after_ns = lead && s->at < lead->n ? lead->look[s->at].after_ns : 0;
    for (size_t i = 0; i < s->n; i++) {
        struct series_part *p = &s->part[i];

        while (p->at < p->n &&
               (last || (p == lead ? p->at <= s->at
                         : p->look[p->at].after_ns <
                           *after_ns + every_ns / 2))) {
            take(arg, i, p->look[p->at].data, p->look[p->at].bytes);
            p->at++;
        }
    }
    s->at++;
    if (last)
        series_empty(s);
    return !last;
}
