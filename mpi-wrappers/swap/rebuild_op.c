/* rebuild_op.c - see rebuild_op.h. */
#include "mpi-wrappers/swap/rebuild_op.h"

#include <stdlib.h>

#include "mpi-wrappers/layer/call.h"
#include "mpi-wrappers/layer/callback.h"

struct made {
    struct made *next;
    struct object *object;
    int place, commute;
};
static struct made *all;

static int read_one(struct object *o, void *arg)
{
    struct made *m = calloc(1, sizeof(*m));

    (void)arg;
    if (!m)
        return MPI_ERR_NO_MEM;
    m->object = o;
    m->next = all;
    all = m;
    m->place = callback_operator_place(o->real);
    return m->place < 0 ? MPI_ERR_OP
                        : INSIDE(Op_commutative)(o->real, &m->commute);
}

int rebuild_op_read(void)
{
    return object_each(OBJECT_OP, read_one, NULL);
}

int rebuild_op_make(void)
{
    MPI_Op real = NULL;
    int rc = MPI_SUCCESS;

    for (struct made *m = all; m && rc == MPI_SUCCESS; m = m->next) {
        rc = callback_operator_again(m->place, m->commute, &real);
        object_rebind(m->object, real);
    }
    return rc;
}

void rebuild_op_end(void)
{
    while (all) {
        struct made *next = all->next;

        free(all);
        all = next;
    }
}
