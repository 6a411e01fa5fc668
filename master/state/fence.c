/* fence.c - collects the parts of fences.
 *
 * Invariants. parts are sorted by node and fixed when the first part comes;
 * narrived counts those that are there and is below nparts as long as the
 * fence is in the set; bytes is the sum of their sizes. */
#include "master/state/fence.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/idtable.h"

static uint64_t fence_hash(const struct fence_arrival *a)
{
    return idtable_mix(a->job, idtable_hash(a->signature, a->signature_bytes));
}

void fence_destroy(struct fence *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->nparts; i++)
        free(f->parts[i].data);
    free(f->parts);
    free(f->signature);
    free(f);
}

static struct fence *fence_search(const struct fences *list,
                                  const struct fence_arrival *a, uint64_t hash)
{
    struct fence *f;

    LIST_FOREACH(f, list, place)
        if (f->hash == hash && f->job == a->job &&
            f->signature_bytes == a->signature_bytes &&
            (a->signature_bytes == 0 ||
             memcmp(f->signature, a->signature, a->signature_bytes) == 0))
            return f;
    return NULL;
}

static struct fence *fence_find(struct fence_set *set,
                                const struct fence_arrival *a, uint64_t hash)
{
    return fence_search(&set->bucket[hash % FENCE_BUCKETS], a, hash);
}

const struct fence *fence_kept(const struct fence_set *set,
                               const struct fence_arrival *a)
{
    return fence_search(&set->kept, a, fence_hash(a));
}

static void fence_drop(struct fence *f)
{
    LIST_REMOVE(f, place);
    fence_destroy(f);
}

void fence_keep(struct fence_set *set, struct fence *f)
{
    struct fence *next;
    size_t n = 0;

    LIST_INSERT_HEAD(&set->kept, f, place);
    for (struct fence *old = f; old; old = next) {
        next = LIST_NEXT(old, place);
        if (old->job == f->job && ++n > FENCE_KEPT)
            fence_drop(old);
    }
}

static struct fence_part *fence_part(struct fence *f, uint32_t node)
{
    size_t low = 0, high = f->nparts;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (f->parts[mid].node < node)
            low = mid + 1;
        else
            high = mid;
    }
    return low < f->nparts && f->parts[low].node == node ? &f->parts[low]
                                                         : NULL;
}

static struct fence *fence_create(const struct fence_arrival *a,
                                  uint64_t hash)
{
    struct fence *f = calloc(1, sizeof(*f));

    if (!f || !(f->signature = malloc(a->signature_bytes + 1)) ||
        !(f->parts = calloc(a->nnodes, sizeof(*f->parts)))) {
        fence_destroy(f);
        return NULL;
    }
    if (a->signature_bytes)
        memcpy(f->signature, a->signature, a->signature_bytes);
    f->signature_bytes = a->signature_bytes;
    f->job = a->job;
    f->hash = hash;
    f->nparts = a->nnodes;
    for (size_t i = 0; i < a->nnodes; i++)
        f->parts[i].node = a->nodes[i];
    return f;
}

static bool fence_same_nodes(const struct fence *f,
                             const struct fence_arrival *a)
{
    if (f->nparts != a->nnodes)
        return false;
    for (size_t i = 0; i < f->nparts; i++)
        if (f->parts[i].node != a->nodes[i])
            return false;
    return true;
}

/* Everything that can be wrong with a part for f, before f is touched. */
static int fence_check(struct fence *f, const struct fence_arrival *a,
                       struct err *err)
{
    struct fence_part *part = fence_part(f, a->node);

    if (!fence_same_nodes(f, a))
        return err_set(err, EPROTO, "a fence of job %llu has one signature "
                       "and two sets of ranks", (unsigned long long)a->job);
    if (!part)
        return err_set(err, EPROTO, "a fence of job %llu without a task on "
                       "the node that contributes", (unsigned long long)a->job);
    return 0;
}

int fence_arrive(struct fence_set *set, const struct fence_arrival *a,
                 struct fence **done, struct err *err)
{
    uint64_t hash = fence_hash(a);
    struct fence *f = fence_find(set, a, hash), *fresh = NULL;
    struct fence_part *part;
    uint8_t *copy;

    *done = NULL;
    if (a->nnodes == 0)
        return err_set(err, EPROTO, "a fence without participants");
    if (!f && !(f = fresh = fence_create(a, hash)))
        return err_memory(err);
    if (fence_check(f, a, err)) {
        fence_destroy(fresh);
        return -1;
    }
    part = fence_part(f, a->node);
    assert(part);                       /* fence_check() has seen it */
    if (part->arrived)
        return 0;
    copy = malloc(a->data_bytes + 1);
    if (!copy) {
        fence_destroy(fresh);
        return err_memory(err);
    }
    if (a->data_bytes)
        memcpy(copy, a->data, a->data_bytes);
    part->arrived = true;
    part->data = copy;
    part->bytes = a->data_bytes;
    f->bytes += a->data_bytes;
    f->narrived++;
    f->broken = set->max_bytes && f->bytes > set->max_bytes;
    if (fresh)
        LIST_INSERT_HEAD(&set->bucket[hash % FENCE_BUCKETS], f, place);
    if (f->broken || f->narrived == f->nparts) {
        LIST_REMOVE(f, place);
        *done = f;
    }
    return 0;
}

struct fence *fence_take_broken(struct fence_set *set, uint64_t job,
                                uint32_t node, bool arrived_too)
{
    struct fence *f;

    for (int i = 0; i < FENCE_BUCKETS; i++)
        LIST_FOREACH(f, &set->bucket[i], place) {
            struct fence_part *p = f->job == job ? fence_part(f, node) : NULL;

            if (p && (arrived_too || !p->arrived)) {
                LIST_REMOVE(f, place);
                f->broken = true;
                return f;
            }
        }
    return NULL;
}

static void fence_drop_from(struct fences *list, uint64_t job)
{
    struct fence *next;

    for (struct fence *f = LIST_FIRST(list); f; f = next) {
        next = LIST_NEXT(f, place);
        if (f->job == job)
            fence_drop(f);
    }
}

void fence_drop_job(struct fence_set *set, uint64_t job)
{
    for (int i = 0; i < FENCE_BUCKETS; i++)
        fence_drop_from(&set->bucket[i], job);
    fence_drop_from(&set->kept, job);
}

void fence_set_fini(struct fence_set *set)
{
    while (!LIST_EMPTY(&set->kept))
        fence_drop(LIST_FIRST(&set->kept));
    for (int i = 0; i < FENCE_BUCKETS; i++)
        while (!LIST_EMPTY(&set->bucket[i]))
            fence_drop(LIST_FIRST(&set->bucket[i]));
}

uint8_t *fence_join(const struct fence *f, size_t *bytes)
{
    uint8_t *all = malloc(f->bytes + 1);
    size_t at = 0;

    for (size_t i = 0; all && i < f->nparts; i++) {
        if (f->parts[i].bytes)
            memcpy(all + at, f->parts[i].data, f->parts[i].bytes);
        at += f->parts[i].bytes;
    }
    *bytes = at;
    return all;
}
