/* spots.c - places between calls of MPI, see spots.h. */
#include "slave/stacks/spots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/base/brief.h"

/* What is never the place where a program goes wrong. */
static const char *const libraries[] = {
    "libc.", "libc-", "libm.", "libm-", "libmvec", "libpthread", "libdl",
    "librt", "ld-linux", "ld-2", "libgomp", "libgfortran", "libquadmath",
    "libstdc++", "libgcc_s", "libmpi", "libopen-", "libpmix", "libucp",
    "libuct", "libucs", "libfabric", "libmpich", "libhct", "mca_", "[vdso]",
    "linux-vdso",
};

static uint64_t mix(uint64_t h, const char *text, size_t n)
{
    return idtable_mix(h, idtable_hash(text, n));
}

void spot_begin(struct spot_stack *s, uint32_t call)
{
    memset(s, 0, sizeof(*s));
    s->key[0] = idtable_mix(1, call);
}

static bool is_library(const char *module)
{
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
        if (strncmp(module, libraries[i], strlen(libraries[i])) == 0)
            return true;
    return false;
}

/* A function without a name is "file+0x12". */
static size_t name_length(const char *function)
{
    const char *plus = strstr(function, "+0x");

    return plus ? (size_t)(plus - function) : strlen(function);
}

/* As people call it, and without a place. */
static void set_name(struct spot_stack *s, const char *function, size_t n)
{
    struct str whole = { 0 }, name = { 0 };

    str_add_bytes(&whole, function, n);
    brief_function(&name, str_text(&whole), SPOT_NAME - 1);
    snprintf(s->name, sizeof(s->name), "%s", str_text(&name));
    str_fini(&whole);
    str_fini(&name);
}

void spot_push(struct spot_stack *s, const char *module, const char *function,
               uint64_t offset)
{
    size_t n = name_length(function);
    uint64_t outer = s->n ? s->key[s->n - 1] : s->key[0];

    s->wrapper |= strncmp(module, "libhector", 9) == 0;
    s->library |= s->wrapper || is_library(module);
    if (s->library)
        return;
    set_name(s, function, n);
    if (s->n == SPOT_DEPTH)
        return;
    s->key[s->n] = mix(mix(outer, module, strlen(module)), function, n);
    s->function[s->n] = mix(mix(0, module, strlen(module)), function, n);
    s->offset[s->n++] = offset;
}

/* ---------------------------------------------------------------- the table */

void spots_fini(struct spots *s)
{
    free(s->v);
    idtable_fini(&s->by_key);
    memset(s, 0, sizeof(*s));
}

static struct spot_range *find(const struct spots *s, uint64_t key)
{
    size_t i = idtable_first(&s->by_key, key);
    uint32_t id;

    for (; (id = idtable_at(&s->by_key, key, &i)) != IDTABLE_NONE; i++)
        if (s->v[id].key == key)
            return &s->v[id];
    return NULL;
}

/* NULL: there is no room. */
static struct spot_range *add(struct spots *s, uint64_t key, uint64_t offset)
{
    struct spot_range *r = find(s, key);

    if (r)
        return r;
    if (s->n == SPOTS_MAX || array_reserve(&s->v, &s->cap, s->n + 1) ||
        idtable_add(&s->by_key, key, (uint32_t)s->n))
        return NULL;
    r = &s->v[s->n++];
    *r = (struct spot_range){ key, offset, offset };
    return r;
}

void spots_learn(struct spots *s, const struct spot_stack *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        struct spot_range *r = add(s, k->key[i], k->offset[i]);

        if (!r)
            return;
        if (k->offset[i] < r->low)
            r->low = k->offset[i];
        if (k->offset[i] > r->high)
            r->high = k->offset[i];
    }
}

void spots_lead(struct spots *s, const struct spot_stack *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        s->leads |= add(s, k->function[i], 0) != NULL;
}

bool spots_know(const struct spots *s, const struct spot_stack *k)
{
    if (k->n == 0)
        return false;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct spot_range *r = find(s, k->key[i]);
        bool leads = !s->leads || find(s, k->function[i]);

        if (!r || (leads && (k->offset[i] < r->low ||
                                  k->offset[i] > r->high)))
            return false;
    }
    return true;
}
