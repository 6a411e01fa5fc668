/* kept.c - see kept.h. What has been kept is received once more, from this task
 * itself, on a communicator that nobody else knows: so types, truncation and
 * counts are Open MPI's affair. */
#include "mpi-wrappers/stop/kept.h"

#include <limits.h>
#include <stdlib.h>

#include "mpi-wrappers/inside/entry.h"
#include "mpi-wrappers/stop/pending.h"

enum { KEPT_TAG = 1 };

uint64_t kept_messages;

static void kept_count(int more)
{
    kept_messages += (uint64_t)more;
    SET(stop_page->kept, kept_messages);
}

struct kept *kept_receive(MPI_Message *real, const MPI_Status *found)
{
    struct kept *k;
    MPI_Status status;

    if (found->_ucount > INT_MAX)
        return NULL;
    k = malloc(sizeof(*k) + found->_ucount);
    if (!k)
        return NULL;
    *k = (struct kept){ NULL, found->MPI_SOURCE, found->MPI_TAG,
                        found->_ucount };
    INSIDE(Mrecv)(k->data, (int)k->bytes, object_real(MPI_BYTE), real, &status);
    stand_received(k->source);
    return k;
}

static void kept_append(struct comm *c, struct kept *k)
{
    if (c->kept_last)
        c->kept_last->next = k;
    else
        c->kept = k;
    c->kept_last = k;
    kept_count(1);
}

/* One is looked for before it is matched: it must not be lost. */
static bool kept_has_room(const MPI_Status *found)
{
    void *p = found->_ucount <= INT_MAX
            ? malloc(sizeof(struct kept) + found->_ucount) : NULL;

    free(p);
    return p != NULL;
}

void kept_drain(struct comm *c)
{
    MPI_Comm real = c->object ? object_real(c->object) : NULL;
    MPI_Message message;
    MPI_Status status;
    struct kept *k;
    int flag = 0;

    while (real &&
           INSIDE(Iprobe)(MPI_ANY_SOURCE, MPI_ANY_TAG, real, &flag,
                          &status) == MPI_SUCCESS && flag &&
           kept_has_room(&status)) {
        INSIDE(Improbe)(status.MPI_SOURCE, status.MPI_TAG, real, &flag,
                        &message, &status);
        if (!flag || !(k = kept_receive(&message, &status)))
            return;
        kept_append(c, k);
    }
}

struct kept *kept_find(struct comm *c, int source, int tag)
{
    struct kept *k = c->kept;

    while (k && ((source != MPI_ANY_SOURCE && source != k->source) ||
                 (tag != MPI_ANY_TAG && tag != k->tag)))
        k = k->next;
    return k;
}

void kept_unlink(struct comm *c, struct kept *k)
{
    struct kept **at = &c->kept, *last = NULL;

    while (*at && *at != k) {
        last = *at;
        at = &(*at)->next;
    }
    if (!*at)
        return;
    *at = k->next;
    if (c->kept_last == k)
        c->kept_last = last;
    k->next = NULL;
    kept_count(-1);
}

void kept_status(const struct kept *k, MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = k->source;
    status->MPI_TAG = k->tag;
    status->_ucount = k->bytes;
    status->_cancelled = 0;
}

/* Made for each: there are few, and another Open MPI knows none of this one. */
static int kept_pass(struct kept *k, void *buffer, int count,
                     MPI_Datatype type, MPI_Status *status)
{
    MPI_Comm alone = NULL;
    MPI_Request request = NULL;
    int rc = INSIDE(Comm_dup)(object_real(MPI_COMM_SELF), &alone), sent;

    if (rc != MPI_SUCCESS)
        return rc;
    INSIDE(Comm_set_errhandler)(alone, object_real(MPI_ERRORS_RETURN));
    sent = INSIDE(Isend)(k->data, (int)k->bytes, object_real(MPI_BYTE), 0,
                         KEPT_TAG, alone, &request);
    rc = sent != MPI_SUCCESS ? sent
       : INSIDE(Recv)(buffer, count, object_real(type), 0, KEPT_TAG, alone,
                      status);
    if (rc == MPI_SUCCESS && status->_ucount < k->bytes)
        rc = MPI_ERR_TRUNCATE;
    if (sent == MPI_SUCCESS)
        INSIDE(Wait)(&request, MPI_STATUS_IGNORE);
    INSIDE(Comm_free)(&alone);
    return rc;
}

int kept_give(struct kept *k, void *buffer, int count, MPI_Datatype type,
              MPI_Status *status)
{
    MPI_Status own = { .MPI_ERROR = MPI_SUCCESS };
    int rc = kept_pass(k, buffer, count, type, &own);

    own.MPI_SOURCE = k->source;
    own.MPI_TAG = k->tag;
    own.MPI_ERROR = rc;
    *status = own;
    free(k);
    return rc;
}
