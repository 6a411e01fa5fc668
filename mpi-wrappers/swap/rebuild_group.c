/* rebuild_group.c - see rebuild_group.h. */
#include "mpi-wrappers/swap/rebuild_group.h"

#include <stdlib.h>

#include "mpi-wrappers/layer/call.h"

struct made {
    struct made *next;
    struct object *object;
    int n, ranks[];
};
static struct made *all;

static int group_world(MPI_Group *world)
{
    return INSIDE(Comm_group)(object_real(MPI_COMM_WORLD), world);
}

int rebuild_group_of(const int *ranks, int n, void **real)
{
    MPI_Group world = NULL, made = NULL;
    int rc = group_world(&world);

    if (rc == MPI_SUCCESS)
        rc = INSIDE(Group_incl)(world, n, ranks, &made);
    if (rc == MPI_SUCCESS)
        rc = INSIDE(Group_free)(&world);
    *real = made;
    return rc;
}

static int group_ranks(struct made *m, MPI_Group world)
{
    int rc, *own = malloc((size_t)(m->n + 1) * sizeof(*own));

    if (!own)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < m->n; i++)
        own[i] = i;
    rc = INSIDE(Group_translate_ranks)(m->object->real, m->n, own, world,
                                        m->ranks);
    for (int i = 0; i < m->n && rc == MPI_SUCCESS; i++)
        if (m->ranks[i] == MPI_UNDEFINED)
            rc = MPI_ERR_GROUP;
    free(own);
    return rc;
}

static int read_one(struct object *o, void *world)
{
    struct made *m;
    int n = 0, rc = INSIDE(Group_size)(o->real, &n);

    if (rc != MPI_SUCCESS)
        return rc;
    m = calloc(1, sizeof(*m) + (size_t)n * sizeof(m->ranks[0]));
    if (!m)
        return MPI_ERR_NO_MEM;
    *m = (struct made){ all, o, n };
    all = m;
    return group_ranks(m, world);
}

int rebuild_group_read(void)
{
    MPI_Group world = NULL;
    int rc = group_world(&world);

    if (rc == MPI_SUCCESS)
        rc = object_each(OBJECT_GROUP, read_one, world);
    if (rc == MPI_SUCCESS)
        rc = INSIDE(Group_free)(&world);
    return rc;
}

int rebuild_group_make(void)
{
    void *real = NULL;
    int rc = MPI_SUCCESS;

    for (struct made *m = all; m && rc == MPI_SUCCESS; m = m->next) {
        rc = rebuild_group_of(m->ranks, m->n, &real);
        object_rebind(m->object, real);
    }
    return rc;
}

void rebuild_group_end(void)
{
    while (all) {
        struct made *next = all->next;

        free(all);
        all = next;
    }
}
