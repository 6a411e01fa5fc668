/* swap.c - see swap.h. */
#include "mpi-wrappers/swap/swap.h"

#include <stdint.h>
#include <stdio.h>

#include "mpi-wrappers/layer/call.h"
#include "mpi-wrappers/layer/convert.h"
#include "mpi-wrappers/swap/disposition.h"
#include "mpi-wrappers/swap/leaf.h"
#include "mpi-wrappers/swap/lease.h"
#include "mpi-wrappers/swap/rebuild.h"
#include "mpi-wrappers/layer/message.h"
#include "mpi-wrappers/inside/opened.h"
#include "mpi-wrappers/layer/wtime.h"

static int swap_any(struct object *o, void *arg)
{
    (void)o, (void)arg;
    return -1;
}

/* It is not listed, and other members know nothing of it. */
static int swap_orphan(struct object *o, void *arg)
{
    (void)arg;
    return o->comm && !o->comm->object ? -1 : 0;
}

bool swap_refused(char *why, size_t size)
{
    static const struct {
        enum object_kind kind;
        int (*one)(struct object *o, void *arg);
        const char *what;
    } kinds[] = {
        { OBJECT_WIN, swap_any, "it has a window for one-sided communication" },
        { OBJECT_FILE, swap_any, "it has a file open by MPI_File_open" },
        { OBJECT_REQUEST, swap_orphan, "it has a request on a communicator that "
                                       "it has freed" },
    };

    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (object_each(kinds[i].kind, kinds[i].one, NULL)) {
            snprintf(why, size, "%s", kinds[i].what);
            return true;
        }
    return false;
}

static void swap_say(enum page_swap what)
{
    atomic_store_explicit(&stop_page->swap, what, memory_order_release);
}

static int swap_failed(int rc, const char *what)
{
    if (what)
        snprintf(stop_page->why, sizeof(stop_page->why), "%s: error %d", what,
                 rc);
    rebuild_end();
    swap_say(PAGE_SWAP_FAILED);
    return -1;
}

static int swap_down(int *level)
{
    int rc = INSIDE(Query_thread)(level);

    if (rc != MPI_SUCCESS)
        return rc;
    wtime_leave();
    disposition_save();
    rc = INSIDE(Finalize)();
    inside_drop();
    opened_close();
    disposition_gone();
    return rc;
}

static int swap_up(int level, char **variables)
{
    int provided, rc;

    inside_environ(variables);
    opened_begin();
    rc = INSIDE(Init_thread)(NULL, NULL, level, &provided);
    disposition_come();
    if (rc != MPI_SUCCESS)
        return rc;
    opened_end();
    convert_bind();
    message_begin();
    wtime_arrive();
    return MPI_SUCCESS;
}

int swap_now(void)
{
    uint32_t generation = atomic_load(&stop_page->wanted);
    char *why = stop_page->why, **variables = NULL;
    size_t size = sizeof(stop_page->why);
    int level, rc;

    if (rebuild_read(why, size) != 0) {
        swap_say(PAGE_SWAP_FAILED);     /* others may be without theirs by now */
        return -1;
    }
    if ((rc = swap_down(&level)) != MPI_SUCCESS)
        return swap_failed(rc, "MPI_Finalize");
    swap_say(PAGE_SWAP_DOWN);
    if (lease_take(generation, &variables, why, size) != 0)
        return swap_failed(0, NULL);
    rc = swap_up(level, variables);
    lease_end(variables);
    if (rc != MPI_SUCCESS)
        return swap_failed(rc, "MPI_Init");
    if (rebuild_make(why, size) != 0)
        return swap_failed(0, NULL);
    rebuild_end();
    /* Of those that are made of files nobody waits for the others elsewhere. */
    if ((rc = INSIDE(Barrier)(object_real(MPI_COMM_WORLD))) != MPI_SUCCESS)
        return swap_failed(rc, "MPI_Barrier");
    atomic_store(&stop_page->generation, generation);
    swap_say(PAGE_SWAP_UP);
    return 0;
}

__attribute__((constructor)) static void swap_begin(void)
{
    stand_swap = (struct stand_swap){ swap_refused, swap_now, leaf_renumber };
}
