/* rebuild_handler.c - see rebuild_handler.h. */
#include "mpi-wrappers/swap/rebuild_handler.h"

#include <stdlib.h>

#include "mpi-wrappers/layer/call.h"
#include "mpi-wrappers/layer/callback.h"

struct rebuild_handler {
    struct rebuild_handler *next;
    struct object *object;      /* NULL: the program has none */
    void *was, *now;
    enum object_kind of;        /* what it is a handler of */
    int place;
};
static struct rebuild_handler *all;

struct rebuild_handler *rebuild_handler_get(void *real)
{
    struct object *o = object_find(OBJECT_ERRHANDLER, real);
    struct rebuild_handler *h = all;

    while (h && h->was != real)
        h = h->next;
    if (h || !(h = calloc(1, sizeof(*h))))
        return h;
    *h = (struct rebuild_handler){ .was = real,
                                   .object = object_is(o) ? o : NULL };
    if (!(h->object && h->object->predefined) &&
        !callback_handler_place(real, &h->of, &h->place)) {
        free(h);
        return NULL;
    }
    h->next = all;
    return all = h;
}

void *rebuild_handler_now(const struct rebuild_handler *h)
{
    return h->now ? h->now : h->object ? h->object->real : h->was;
}

static int read_one(struct object *o, void *arg)
{
    (void)arg;
    return rebuild_handler_get(o->real) ? MPI_SUCCESS : MPI_ERR_ARG;
}

int rebuild_handler_read(void)
{
    return object_each(OBJECT_ERRHANDLER, read_one, NULL);
}

/* MPI has given it out more than once: each time is a reference. Of handlers of
 * windows there are none without windows. */
static int retain(struct rebuild_handler *h)
{
    MPI_Comm self = object_real(MPI_COMM_SELF);
    MPI_File file = object_real(MPI_FILE_NULL);
    MPI_Errhandler same = NULL;
    int rc = MPI_SUCCESS;

    if (h->of == OBJECT_COMM) {
        rc = INSIDE(Comm_set_errhandler)(self, h->now);
        if (rc == MPI_SUCCESS)
            rc = INSIDE(Comm_get_errhandler)(self, &same);
    } else if (h->of == OBJECT_FILE) {
        rc = INSIDE(File_set_errhandler)(file, h->now);
        if (rc == MPI_SUCCESS)
            rc = INSIDE(File_get_errhandler)(file, &same);
    }
    return rc;
}

int rebuild_handler_make(void)
{
    int rc = MPI_SUCCESS;

    for (struct rebuild_handler *h = all; h && rc == MPI_SUCCESS; h = h->next) {
        MPI_Errhandler real = NULL;

        if (h->object && h->object->predefined)
            continue;
        rc = callback_handler_again(h->of, h->place, &real);
        h->now = real;
        if (!h->object)
            continue;
        object_rebind(h->object, real);
        for (uint32_t i = 1; i < h->object->refs && rc == MPI_SUCCESS; i++)
            rc = retain(h);
    }
    return rc;
}

void rebuild_handler_end(void)
{
    while (all) {
        struct rebuild_handler *next = all->next;
        MPI_Errhandler real = all->now;

        if (real && !all->object)
            INSIDE(Errhandler_free)(&real);
        free(all);
        all = next;
    }
}
