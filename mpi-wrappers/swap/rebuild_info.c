/* rebuild_info.c - see rebuild_info.h. */
#include "mpi-wrappers/swap/rebuild_info.h"

#include <stdlib.h>

#include "mpi-wrappers/layer/call.h"

struct rebuild_info {
    struct rebuild_info *next;
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
};

struct made {
    struct made *next;
    struct object *object;
    struct rebuild_info *info;
};
static struct made *all;

int rebuild_info_get(void *real, struct rebuild_info **info)
{
    int n = 0, flag = 0, rc = INSIDE(Info_get_nkeys)(real, &n);

    *info = NULL;
    for (int i = n - 1; i >= 0 && rc == MPI_SUCCESS; i--) {
        struct rebuild_info *one = calloc(1, sizeof(*one));

        if (!one)
            return MPI_ERR_NO_MEM;
        one->next = *info;
        *info = one;
        rc = INSIDE(Info_get_nthkey)(real, i, one->key);
        if (rc == MPI_SUCCESS)
            rc = INSIDE(Info_get)(real, one->key, MPI_MAX_INFO_VAL, one->value,
                                   &flag);
    }
    return rc;
}

int rebuild_info_put(const struct rebuild_info *info, void **real)
{
    MPI_Info made = NULL;
    int rc = INSIDE(Info_create)(&made);

    for (; info && rc == MPI_SUCCESS; info = info->next)
        rc = INSIDE(Info_set)(made, info->key, info->value);
    *real = made;
    return rc;
}

void rebuild_info_free(struct rebuild_info *info)
{
    while (info) {
        struct rebuild_info *next = info->next;

        free(info);
        info = next;
    }
}

static int read_one(struct object *o, void *arg)
{
    struct made *m = calloc(1, sizeof(*m));

    (void)arg;
    if (!m)
        return MPI_ERR_NO_MEM;
    m->object = o;
    m->next = all;
    all = m;
    return rebuild_info_get(o->real, &m->info);
}

int rebuild_info_read(void)
{
    return object_each(OBJECT_INFO, read_one, NULL);
}

int rebuild_info_make(void)
{
    void *real = NULL;
    int rc = MPI_SUCCESS;

    for (struct made *m = all; m && rc == MPI_SUCCESS; m = m->next) {
        rc = rebuild_info_put(m->info, &real);
        object_rebind(m->object, real);
    }
    return rc;
}

void rebuild_info_end(void)
{
    while (all) {
        struct made *next = all->next;

        rebuild_info_free(all->info);
        free(all);
        all = next;
    }
}
