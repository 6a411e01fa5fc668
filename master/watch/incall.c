/* incall.c - see incall.h. */
#include "master/watch/incall.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "master/watch/callclass.h"
#include "proto/base/idtable.h"
#include "proto/tree/mpiname.h"

enum { NAME_MAX_BYTES = 48 };

/* Of a node: what a stack that ends there does. */
enum phase { OUTSIDE, BEFORE, LIBRARY, CALLED };
struct place {
    enum phase phase;
    bool waits;                 /* in the library */
    uint32_t call;              /* 0: none that is known */
    uint32_t named;             /* node of the function; 0: none */
};

static const char *function_of(const struct prefixtree *t, uint32_t node)
{
    return prefixtree_text(t, t->frames[t->nodes[node].frame].function);
}

static const char *module_of(const struct prefixtree *t, uint32_t node)
{
    return prefixtree_text(t, t->frames[t->nodes[node].frame].module);
}

/* ------------------------------------------------------------------- frames */

/* MPI_Bcast, PMPI_Bcast, mpi_bcast_, of C and Fortran: its number, or 0. */
static uint32_t call_of(const char *function)
{
    uint32_t n;
    const struct hct_call *calls = callclass_table(&n);
    char name[NAME_MAX_BYTES];
    size_t len = strnlen(function, sizeof(name));

    if (strncasecmp(function, "pmpi_", 5) == 0) {
        function++;
        len--;
    }
    if (strncasecmp(function, "mpi_", 4) != 0 || len >= sizeof(name))
        return 0;
    while (len && function[len - 1] == '_')
        len--;
    memcpy(name, function, len);
    name[len] = '\0';
    for (uint32_t i = 1; i < n; i++)
        if (strcasecmp(calls[i].name, name) == 0)
            return i;
    return 0;
}

static bool begins_with_one(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return true;
    return false;
}

/* What everybody uses: not told apart. */
static bool is_system(const char *module)
{
    static const char *const names[] = {
        "libc.", "libc-", "libm.", "libm-", "ld-",
        "libpthread", "librt.", "libgcc_s", "libstdc++", "libgfortran", "libdl",
        "linux-vdso", "[", "libnuma", "libhwloc", "libevent", "libpmix", NULL };

    return begins_with_one(module, names) || !*module;
}

/* Hector's own that records; its faults are somebody else's. */
static bool is_recorder(const char *module)
{
    return strncmp(module, "libhector", 9) == 0 &&
           strncmp(module, "libhector-inject", 16) != 0;
}

/* Transports that MPI's library has loaded. */
static bool is_transport(const char *module)
{
    static const char *const names[] = {
        "libuc", "libfabric", "libibverbs", "libmlx",
        "libpsm", "libefa", "libmpi", "libxpmem", NULL };

    return begins_with_one(module, names);
}

/* Not by names like MPI_Bcast: tools have functions of these. */
static bool is_library(const char *function, const char *module)
{
    static const char *const names[] = {
        "PMPI_", "pmpi_", "ompi_", "opal_", "mca_",
        "orte_", "MPIR_", "MPID", "MPII_", "MPIU_", NULL };

    return mpiname_is("", module) || is_transport(module) ||
           begins_with_one(function, names);
}

static bool waits(const char *function)
{
    static const char *const words[] = {
        "progress", "wait", "poll", "yield", "sleep",
        "futex", "select", "probe", "barrier" };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasestr(function, words[i]))
            return true;
    return false;
}

/* Its caller is at that place, and it is in a call. */
static void step_inside(struct place *p, const struct prefixtree *t,
                        uint32_t node)
{
    const char *function = function_of(t, node), *module = module_of(t, node);
    bool library = is_library(function, module);

    if (is_recorder(module))
        return;
    if (library) {
        if (p->phase != CALLED)
            p->waits = p->waits || waits(function);
        else if (waits(function))       /* it has called MPI itself */
            p->waits = true;
        p->phase = LIBRARY;
        p->named = node;
    } else if (is_system(module)) {
        p->waits = p->waits || (p->phase == LIBRARY && waits(function));
    } else {
        p->phase = p->phase == BEFORE ? BEFORE : CALLED;
        p->waits = false;
        p->named = node;
    }
}

static struct place place_of(const struct place *up, const struct prefixtree *t,
                             uint32_t node)
{
    const char *function = function_of(t, node), *module = module_of(t, node);
    struct place p = *up;

    if (p.phase != OUTSIDE) {
        if (!p.call)            /* a function of the program's is called mpi_x */
            p.call = call_of(function);
        step_inside(&p, t, node);
        return p;
    }
    if (!mpiname_is(function, module))
        return p;
    p.call = call_of(function);
    p.phase = BEFORE;
    if (!is_recorder(module))
        step_inside(&p, t, node);
    p.named = 0;
    return p;
}

/* --------------------------------------------------------------------- rows */

static uint64_t mix(uint64_t x, const char *text)
{
    while (*text)
        x = idtable_mix(x, (unsigned char)*text++);
    return x;
}

static void copy(char *to, size_t size, const char *text)
{
    size_t n = strnlen(text, size - 1);

    memcpy(to, text, n);
    memset(to + n, 0, size - n);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static struct hct_inside row_of(const struct prefixtree *t,
                                const struct place *p)
{
    static const uint32_t what[] = { [BEFORE] = HCT_INSIDE_BEFORE,
        [LIBRARY] = HCT_INSIDE_LIBRARY, [CALLED] = HCT_INSIDE_CALLED };
    const struct prefixtree_frame *f = &t->frames[t->nodes[p->named].frame];
    const char *file = base_of(prefixtree_text(t, f->file));
    struct hct_inside row = {
        .call = p->call, .what = what[p->phase], .line = *file ? f->line : 0,
        .function = mix(mix(p->call, module_of(t, p->named)),
                        function_of(t, p->named)) };

    copy(row.name, sizeof(row.name), function_of(t, p->named));
    copy(row.file, sizeof(row.file),
         *file ? file : base_of(module_of(t, p->named)));
    return row;
}

/* Where it is, or is to be; NULL: all that are there have fewer tasks. */
static struct hct_inside *find(struct incall *c, const struct hct_inside *row,
                               uint32_t tasks)
{
    struct hct_inside *most = c->v;

    for (uint32_t i = 0; i < c->n; i++) {
        if (c->v[i].function == row->function && c->v[i].call == row->call &&
            c->v[i].what == row->what)
            return &c->v[i];
        if (c->v[i].tasks > most->tasks)
            most = &c->v[i];
    }
    if (c->n < HCT_INSIDE_MAX)
        most = &c->v[c->n++];
    else if (most->tasks <= tasks)
        return NULL;
    *most = *row;
    return most;
}

static void add_ranks(struct hct_inside *to, const struct prefixtree *t,
                      uint32_t node)
{
    struct taskset tasks = { 0 };
    uint32_t n = to->tasks;

    if (prefixtree_tasks(t, node, &tasks) == 0)
        for (int64_t r = -1; n < 4 && (r = taskset_next(&tasks, r)) >= 0; )
            if (!prefixtree_child(t, node, (uint32_t)r))
                to->rank[n++] = (uint32_t)r;
    taskset_fini(&tasks);
}

static void add_row(struct incall *c, const struct prefixtree *t, uint32_t node,
                    const struct place *p, uint32_t tasks)
{
    struct hct_inside row = row_of(t, p), *to = find(c, &row, tasks);

    if (!to)
        return;
    add_ranks(to, t, node);
    to->tasks += tasks;
}

/* Tasks whose stack ends here. */
static uint32_t ends(const struct prefixtree *t, uint32_t node)
{
    uint32_t n = prefixtree_count(t, node);

    for (uint32_t k = t->nodes[node].child; k; k = t->nodes[k].sibling) {
        uint32_t in = prefixtree_count(t, k);

        n -= in < n ? in : n;
    }
    return n;
}

static int by_tasks(const void *a, const void *b)
{
    const struct hct_inside *x = a, *y = b;

    if (x->tasks != y->tasks)
        return x->tasks < y->tasks ? -1 : 1;
    if (x->rank[0] != y->rank[0])
        return x->rank[0] < y->rank[0] ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

/* Those whose ranks are not known are nobody's. */
static void finish(struct incall *c, const uint32_t *in_call)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n; i++) {
        struct hct_inside *v = &c->v[i];

        v->in_call = in_call[v->call];
        if (v->tasks && v->tasks <= v->in_call)
            c->v[n++] = *v;
    }
    c->n = n;
    qsort(c->v, c->n, sizeof(c->v[0]), by_tasks);
}

int incall_of(struct incall *c, const struct prefixtree *t, struct err *err)
{
    uint32_t ncalls;
    struct place *place = calloc(t->nnodes + 1, sizeof(*place));
    uint32_t *in_call;

    (void)callclass_table(&ncalls);
    in_call = calloc(ncalls, sizeof(*in_call));
    *c = (struct incall){ .stacks = prefixtree_count(t, 0) };
    for (uint32_t i = 1; place && in_call && i < t->nnodes; i++) {
        const struct place *up = &place[t->nodes[i].parent];
        struct place *p = &place[i];
        uint32_t n = ends(t, i);

        *p = place_of(up, t, i);
        if (p->call != up->call)
            in_call[p->call] += prefixtree_count(t, i);
        if (!n || p->phase == OUTSIDE)
            continue;
        if (p->waits)
            c->waiting += n;
        else if (p->call && p->named)
            add_row(c, t, i, p, n);
    }
    if (place && in_call)
        finish(c, in_call);
    free(place);
    free(in_call);
    return place && in_call ? 0 : err_memory(err);
}
