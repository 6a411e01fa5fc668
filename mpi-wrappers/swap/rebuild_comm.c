/* rebuild_comm.c - see rebuild_comm.h. Of a communicator it is known who is in
 * it, and its identity, which is the same on all of them: all make theirs in
 * ascending order of it, and so nobody waits for ever for another. */
#include "mpi-wrappers/swap/rebuild_comm.h"

#include <stdlib.h>

#include "mpi-wrappers/inside/grow.h"
#include "mpi-wrappers/layer/call.h"
#include "mpi-wrappers/stop/comm.h"
#include "mpi-wrappers/swap/rebuild_group.h"
#include "mpi-wrappers/swap/rebuild_handler.h"
#include "mpi-wrappers/swap/rebuild_info.h"

enum { COMM_TAGS = 0x7fff };

struct made {
    struct object *object;
    const struct comm *comm;    /* borrowed; NULL: one that MPI defines */
    struct rebuild_handler *handler;    /* borrowed */
    struct rebuild_info *info;  /* owned */
    int topology;
    int n, m;                   /* numbers of it: see read_topology() */
    bool weighted;
    int *ints;                  /* owned */
    char name[MPI_MAX_OBJECT_NAME];
};

static struct {
    struct made *v;             /* owned; the first two are MPI's own */
    size_t n, room;
    struct rebuild_handler *file;       /* of files that are yet to be opened */
} comms;

/* ------------------------------------------------------------------ read */

static int room_for(struct made *m, size_t n)
{
    m->ints = calloc(n + 1, sizeof(*m->ints));
    return m->ints ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int read_cart(struct made *m, MPI_Comm real)
{
    int rc = INSIDE(Cartdim_get)(real, &m->n);

    if (rc == MPI_SUCCESS)
        rc = room_for(m, 3 * (size_t)m->n);
    return rc != MPI_SUCCESS ? rc
        : INSIDE(Cart_get)(real, m->n, m->ints, m->ints + m->n,
                            m->ints + 2 * m->n);
}

static int read_graph(struct made *m, MPI_Comm real)
{
    int rc = INSIDE(Graphdims_get)(real, &m->n, &m->m);

    if (rc == MPI_SUCCESS)
        rc = room_for(m, (size_t)m->n + (size_t)m->m);
    return rc != MPI_SUCCESS ? rc
        : INSIDE(Graph_get)(real, m->n, m->m, m->ints, m->ints + m->n);
}

/* Sources, their weights, destinations, their weights. */
static int read_dist_graph(struct made *m, MPI_Comm real)
{
    int weighted = 0;
    int rc = INSIDE(Dist_graph_neighbors_count)(real, &m->n, &m->m, &weighted);

    m->weighted = weighted != 0;
    if (rc == MPI_SUCCESS)
        rc = room_for(m, 2 * ((size_t)m->n + (size_t)m->m));
    return rc != MPI_SUCCESS ? rc
        : INSIDE(Dist_graph_neighbors)(
              real, m->n, m->ints, weighted ? m->ints + m->n : MPI_UNWEIGHTED,
              m->m, m->ints + 2 * m->n,
              weighted ? m->ints + 2 * m->n + m->m : MPI_UNWEIGHTED);
}

static int read_topology(struct made *m, MPI_Comm real)
{
    int rc = INSIDE(Topo_test)(real, &m->topology);

    if (rc != MPI_SUCCESS)
        return rc;
    return m->topology == MPI_CART ? read_cart(m, real)
         : m->topology == MPI_GRAPH ? read_graph(m, real)
         : m->topology == MPI_DIST_GRAPH ? read_dist_graph(m, real)
         : MPI_SUCCESS;
}

/* With what every communicator has. */
static int read_comm(struct made *m)
{
    MPI_Comm real = m->object->real;
    MPI_Errhandler handler = NULL;
    MPI_Info info = NULL;
    int n = 0, rc = INSIDE(Comm_get_errhandler)(real, &handler);

    if (rc == MPI_SUCCESS && !(m->handler = rebuild_handler_get(handler)))
        rc = MPI_ERR_ARG;
    if (rc == MPI_SUCCESS)
        rc = INSIDE(Comm_get_name)(real, m->name, &n);
    if (rc == MPI_SUCCESS)
        rc = INSIDE(Comm_get_info)(real, &info);
    if (rc == MPI_SUCCESS)
        rc = rebuild_info_get(info, &m->info);
    if (rc == MPI_SUCCESS)
        rc = INSIDE(Info_free)(&info);
    return rc;
}

static int read_one(struct object *o, void *arg)
{
    struct made *v = grow(comms.v, comms.n, &comms.room, 32, sizeof(*v)), *m;

    (void)arg;
    if (!v)
        return MPI_ERR_NO_MEM;
    comms.v = v;
    m = &comms.v[comms.n++];
    *m = (struct made){ .object = o, .topology = MPI_UNDEFINED };
    if (!o->predefined && !(m->comm = comm_of((MPI_Comm)o)))
        return MPI_ERR_COMM;
    return read_comm(m);
}

/* Theirs come last: an error would be what they say. */
static int read_topologies(void)
{
    int rc = MPI_SUCCESS;

    for (size_t i = 2; i < comms.n && rc == MPI_SUCCESS; i++)
        if (!comms.v[i].comm->remote)
            rc = read_topology(&comms.v[i], comms.v[i].object->real);
    return rc;
}

static int by_identity(const void *a, const void *b)
{
    uint64_t x = ((const struct made *)a)->comm->id;
    uint64_t y = ((const struct made *)b)->comm->id;

    return (x > y) - (x < y);
}

int rebuild_comm_read(void)
{
    MPI_Errhandler file = NULL;
    int rc = read_one((struct object *)MPI_COMM_WORLD, NULL);

    if (rc == MPI_SUCCESS)
        rc = read_one((struct object *)MPI_COMM_SELF, NULL);
    if (rc == MPI_SUCCESS)
        rc = object_each(OBJECT_COMM, read_one, NULL);
    if (rc == MPI_SUCCESS)
        rc = INSIDE(File_get_errhandler)(object_real(MPI_FILE_NULL), &file);
    if (rc == MPI_SUCCESS && !(comms.file = rebuild_handler_get(file)))
        rc = MPI_ERR_ARG;
    if (rc == MPI_SUCCESS)
        rc = read_topologies();
    if (rc == MPI_SUCCESS)
        rc = rebuild_comm_quiet();
    if (rc == MPI_SUCCESS)
        qsort(comms.v + 2, comms.n - 2, sizeof(comms.v[0]), by_identity);
    return rc;
}

/* ------------------------------------------------------------------ make */

static int make_group(const int *ranks, int n, uint64_t id, MPI_Comm *to)
{
    MPI_Group group = NULL;
    void *real = NULL;
    int rc = rebuild_group_of(ranks, n, &real);

    group = real;
    if (rc == MPI_SUCCESS)
        rc = INSIDE(Comm_create_group)(object_real(MPI_COMM_WORLD), group,
                                        (int)(id & COMM_TAGS), to);
    return rc == MPI_SUCCESS ? INSIDE(Group_free)(&group) : rc;
}

/* Both groups' first members speak for them. */
static int make_inter(const struct comm *c, MPI_Comm own, MPI_Comm *to)
{
    return INSIDE(Intercomm_create)(own, 0, object_real(MPI_COMM_WORLD),
                                     c->world[c->size],
                                     (int)(c->id & COMM_TAGS), to);
}

static int make_topology(const struct made *m, MPI_Comm plain, MPI_Comm *to)
{
    const int *i = m->ints;

    if (m->topology == MPI_CART)
        return INSIDE(Cart_create)(plain, m->n, i, i + m->n, 0, to);
    if (m->topology == MPI_GRAPH)
        return INSIDE(Graph_create)(plain, m->n, i, i + m->n, 0, to);
    return INSIDE(Dist_graph_create_adjacent)(
        plain, m->n, i, m->weighted ? i + m->n : MPI_UNWEIGHTED, m->m,
        i + 2 * m->n, m->weighted ? i + 2 * m->n + m->m : MPI_UNWEIGHTED,
        object_real(MPI_INFO_NULL), 0, to);
}

static int make_comm(const struct made *m, MPI_Comm *to)
{
    const struct comm *c = m->comm;
    MPI_Comm plain = NULL;
    int rc = make_group(c->world, c->size, c->id, &plain);

    if (rc != MPI_SUCCESS)
        return rc;
    if (!c->remote && m->topology == MPI_UNDEFINED) {
        *to = plain;
        return rc;
    }
    rc = c->remote ? make_inter(c, plain, to) : make_topology(m, plain, to);
    return rc == MPI_SUCCESS ? INSIDE(Comm_free)(&plain) : rc;
}

static int put_info(MPI_Comm comm, const struct rebuild_info *from)
{
    MPI_Info info = NULL;
    void *real = NULL;
    int rc;

    if (!from)
        return MPI_SUCCESS;
    rc = rebuild_info_put(from, &real);
    info = real;
    if (rc == MPI_SUCCESS)
        rc = INSIDE(Comm_set_info)(comm, info);
    return rc == MPI_SUCCESS ? INSIDE(Info_free)(&info) : rc;
}

int rebuild_comm_make(void)
{
    int rc = MPI_SUCCESS;

    for (size_t i = 0; i < comms.n && rc == MPI_SUCCESS; i++) {
        struct made *m = &comms.v[i];
        MPI_Comm real = m->object->predefined ? m->object->real : NULL;

        if (!real) {
            rc = make_comm(m, &real);
            object_rebind(m->object, real);
        }
        if (rc == MPI_SUCCESS)
            rc = INSIDE(Comm_set_name)(real, m->name);
        if (rc == MPI_SUCCESS)
            rc = put_info(real, m->info);
        if (rc == MPI_SUCCESS && i >= 2)
            rc = INSIDE(Comm_set_errhandler)(real,
                                              rebuild_handler_now(m->handler));
    }
    return rc;
}

int rebuild_comm_quiet(void)
{
    MPI_Errhandler returns = object_real(MPI_ERRORS_RETURN);
    int rc = INSIDE(Comm_set_errhandler)(object_real(MPI_COMM_WORLD), returns);

    return rc != MPI_SUCCESS ? rc
        : INSIDE(Comm_set_errhandler)(object_real(MPI_COMM_SELF), returns);
}

/* A handler that is as it was, or was made again. */
int rebuild_comm_back(void)
{
    int rc = MPI_SUCCESS;

    for (size_t i = 0; i < 2 && i < comms.n && rc == MPI_SUCCESS; i++)
        rc = INSIDE(Comm_set_errhandler)(comms.v[i].object->real,
                                          rebuild_handler_now(comms.v[i].handler));
    if (rc == MPI_SUCCESS && comms.file)
        rc = INSIDE(File_set_errhandler)(object_real(MPI_FILE_NULL),
                                          rebuild_handler_now(comms.file));
    return rc;
}

void rebuild_comm_end(void)
{
    for (size_t i = 0; i < comms.n; i++) {
        rebuild_info_free(comms.v[i].info);
        free(comms.v[i].ints);
    }
    free(comms.v);
    comms.v = NULL;
    comms.n = comms.room = 0;
    comms.file = NULL;
}
