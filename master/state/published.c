/* published.c - published values in a hash table by key, look-ups in a list.
 *
 * Invariants. A key is in the table at most once. A look-up in the list waits
 * for at least one key that is not in the table. */
#include "master/state/published.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/idtable.h"

enum { PUBLISHED_BUCKETS = 1024 };

struct published_entry {
    struct published_entry *next;   /* owned */
    char *key, *nspace;         /* owned */
    uint8_t *value;             /* owned */
    size_t bytes;
    uint64_t job;
    uint32_t rank;
    bool first_read_only;
};

struct published_wait {
    struct published_wait *next;    /* owned */
    struct published_asker who;
    uint64_t deadline_ns;
    size_t nkeys;
    char **keys;                /* owned, and each of them */
};

/* How much a job has published. */
struct published_owner {
    struct published_owner *next;   /* owned */
    uint64_t job;
    size_t values, bytes;
};

struct published {
    struct published_owner *owners;
    struct published_entry *bucket[PUBLISHED_BUCKETS];
    struct published_wait *waiting;
    published_answer_f *answer;
    void *arg;
};

static struct published_entry **published_slot(struct published *n,
                                               const char *key)
{
    uint64_t h = idtable_hash(key, strlen(key));
    struct published_entry **p = &n->bucket[h % PUBLISHED_BUCKETS];

    while (*p && strcmp((*p)->key, key) != 0)
        p = &(*p)->next;
    return p;
}

static void entry_destroy(struct published_entry *e)
{
    if (!e)
        return;
    free(e->key);
    free(e->nspace);
    free(e->value);
    free(e);
}

static size_t entry_bytes(const char *key, const char *nspace, size_t bytes)
{
    return sizeof(struct published_entry) + strlen(key) + strlen(nspace) +
           bytes;
}

/* The owner's account, made if need be; NULL: no memory. */
static struct published_owner *published_owner(struct published *n,
                                               uint64_t job)
{
    struct published_owner *o = n->owners;

    while (o && o->job != job)
        o = o->next;
    if (o || !(o = calloc(1, sizeof(*o))))
        return o;
    o->job = job;
    o->next = n->owners;
    n->owners = o;
    return o;
}

static void names_close_account(struct published *n, uint64_t job)
{
    for (struct published_owner **p = &n->owners; *p; p = &(*p)->next)
        if ((*p)->job == job) {
            struct published_owner *o = *p;

            *p = o->next;
            free(o);
            break;
        }
}

static void published_remove(struct published *n, struct published_entry **slot)
{
    struct published_entry *e = *slot;
    struct published_owner *o = published_owner(n, e->job);

    if (o) {
        o->values--;
        o->bytes -= entry_bytes(e->key, e->nspace, e->bytes);
    }
    *slot = e->next;
    entry_destroy(e);
}

static void wait_destroy(struct published_wait *w)
{
    if (!w)
        return;
    for (size_t i = 0; w->keys && i < w->nkeys; i++)
        free(w->keys[i]);
    free(w->keys);
    free(w);
}

struct published *published_create(published_answer_f *answer, void *arg)
{
    struct published *n = calloc(1, sizeof(*n));

    if (n) {
        n->answer = answer;
        n->arg = arg;
    }
    return n;
}

void published_destroy(struct published *n)
{
    if (!n)
        return;
    for (int i = 0; i < PUBLISHED_BUCKETS; i++)
        while (n->bucket[i])
            published_remove(n, &n->bucket[i]);
    while (n->owners)
        names_close_account(n, n->owners->job);
    while (n->waiting) {
        struct published_wait *w = n->waiting;

        n->waiting = w->next;
        wait_destroy(w);
    }
    free(n);
}

/* Answer with those of the keys that are there. */
static void published_give(struct published *n,
                           const struct published_asker *who,
                           char *const *keys, size_t nkeys)
{
    struct published_value *found = calloc(nkeys + 1, sizeof(*found));
    size_t nfound = 0;

    for (size_t i = 0; found && i < nkeys; i++) {
        struct published_entry *e = *published_slot(n, keys[i]);

        if (e)
            found[nfound++] = (struct published_value){
                .key = e->key, .nspace = e->nspace, .value = e->value,
                .bytes = e->bytes, .job = e->job, .rank = e->rank };
    }
    if (!found)
        n->answer(n->arg, who, PUBLISHED_ERROR, NULL, 0);
    else
        n->answer(n->arg, who, nfound == nkeys ? PUBLISHED_OK :
                  nfound ? PUBLISHED_PARTIAL : PUBLISHED_NOT_FOUND, found,
                  nfound);
    free(found);
    for (size_t i = 0; i < nkeys; i++) {
        struct published_entry **slot = published_slot(n, keys[i]);

        if (*slot && (*slot)->first_read_only)
            published_remove(n, slot);
    }
}

static bool published_all_there(struct published *n, char *const *keys,
                            size_t nkeys)
{
    for (size_t i = 0; i < nkeys; i++)
        if (!*published_slot(n, keys[i]))
            return false;
    return true;
}

/* One look-up at a time: it may take away what the next one waits for. */
static void published_wake(struct published *n)
{
    for (struct published_wait **p = &n->waiting; *p; ) {
        struct published_wait *w = *p;

        if (published_all_there(n, w->keys, w->nkeys)) {
            *p = w->next;
            published_give(n, &w->who, w->keys, w->nkeys);
            wait_destroy(w);
        } else {
            p = &w->next;
        }
    }
}

/* What a slave says again, after its link was lost. */
static bool published_is_same(const struct published_entry *e,
                          const struct published_value *v)
{
    return e->job == v->job && e->rank == v->rank && e->bytes == v->bytes &&
           memcmp(e->value, v->value, v->bytes) == 0;
}

bool published_publish(struct published *n, const struct published_asker *who,
                       const struct published_value *v)
{
    struct published_entry **slot = published_slot(n, v->key), *e;
    struct published_owner *o = published_owner(n, v->job);
    size_t bytes = entry_bytes(v->key, v->nspace, v->bytes);

    if (*slot) {
        n->answer(n->arg, who, published_is_same(*slot, v) ? PUBLISHED_OK
                                                       : PUBLISHED_DUPLICATE,
                  NULL, 0);
        return true;
    }
    if (o && (o->values == PUBLISHED_JOB_VALUES ||
              bytes > PUBLISHED_JOB_BYTES - o->bytes)) {
        n->answer(n->arg, who, PUBLISHED_FULL, NULL, 0);
        return false;
    }
    e = calloc(1, sizeof(*e));
    if (!o || !e || !(e->key = strdup(v->key)) ||
        !(e->nspace = strdup(v->nspace)) ||
        !(e->value = malloc(v->bytes + 1))) {
        entry_destroy(e);
        n->answer(n->arg, who, PUBLISHED_ERROR, NULL, 0);
        return true;
    }
    o->values++;
    o->bytes += bytes;
    if (v->bytes)
        memcpy(e->value, v->value, v->bytes);
    e->bytes = v->bytes;
    e->job = v->job;
    e->rank = v->rank;
    e->first_read_only = v->first_read_only;
    *slot = e;
    n->answer(n->arg, who, PUBLISHED_OK, NULL, 0);
    published_wake(n);
    return true;
}

/* Everything of one job, or of one of its tasks (rank >= 0). */
static void names_remove_owned(struct published *n, uint64_t job, int64_t rank)
{
    for (int i = 0; i < PUBLISHED_BUCKETS; i++)
        for (struct published_entry **p = &n->bucket[i]; *p; )
            if ((*p)->job == job && (rank < 0 || (*p)->rank == rank))
                published_remove(n, p);
            else
                p = &(*p)->next;
}

void published_unpublish(struct published *n, const struct published_asker *who,
                         uint32_t rank, char *const *keys, size_t nkeys)
{
    size_t gone = 0;

    if (nkeys == 0)
        names_remove_owned(n, who->job, rank);

    for (size_t i = 0; i < nkeys; i++) {
        struct published_entry **slot = published_slot(n, keys[i]);

        if (*slot && (*slot)->job == who->job && (*slot)->rank == rank) {
            published_remove(n, slot);
            gone++;
        }
    }
    n->answer(n->arg, who, gone == nkeys ? PUBLISHED_OK : PUBLISHED_NOT_FOUND,
              NULL, 0);
}

static struct published_wait *wait_create(const struct published_asker *who,
                                      char *const *keys, size_t nkeys)
{
    struct published_wait *w = calloc(1, sizeof(*w));

    if (!w || !(w->keys = calloc(nkeys + 1, sizeof(*w->keys)))) {
        wait_destroy(w);
        return NULL;
    }
    w->who = *who;
    for (w->nkeys = 0; w->nkeys < nkeys; w->nkeys++)
        if (!(w->keys[w->nkeys] = strdup(keys[w->nkeys]))) {
            wait_destroy(w);
            return NULL;
        }
    return w;
}

void published_lookup(struct published *n, const struct published_asker *who,
                      char *const *keys, size_t nkeys, bool wait,
                      uint64_t deadline_ns)
{
    struct published_wait *w, **p = &n->waiting;

    if (!wait || published_all_there(n, keys, nkeys)) {
        published_give(n, who, keys, nkeys);
        return;
    }
    w = wait_create(who, keys, nkeys);
    if (!w) {
        n->answer(n->arg, who, PUBLISHED_ERROR, NULL, 0);
        return;
    }
    w->deadline_ns = deadline_ns;
    while (*p)                          /* first come, first served */
        p = &(*p)->next;
    *p = w;
}

uint64_t published_expire(struct published *n, uint64_t now_ns)
{
    uint64_t next = 0;

    for (struct published_wait **p = &n->waiting; *p; ) {
        struct published_wait *w = *p;

        if (w->deadline_ns && w->deadline_ns <= now_ns) {
            *p = w->next;
            n->answer(n->arg, &w->who, PUBLISHED_TIMEOUT, NULL, 0);
            wait_destroy(w);
            continue;
        }
        if (w->deadline_ns && (!next || w->deadline_ns < next))
            next = w->deadline_ns;
        p = &w->next;
    }
    return next;
}

void published_drop_job(struct published *n, uint64_t job)
{
    names_remove_owned(n, job, -1);
    names_close_account(n, job);
    for (struct published_wait **p = &n->waiting; *p; ) {
        struct published_wait *w = *p;

        if (w->who.job == job) {
            *p = w->next;
            wait_destroy(w);
        } else {
            p = &w->next;
        }
    }
}
