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

static struct kept **kept_at(struct comm *c, int source, int tag)
{
    struct kept **at = &c->kept;

    while (*at && ((source != MPI_ANY_SOURCE && source != (*at)->source) ||
                   (tag != MPI_ANY_TAG && tag != (*at)->tag)))
        at = &(*at)->next;
    return at;
}

static void kept_status(const struct kept *k, MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = k->source;
    status->MPI_TAG = k->tag;
    status->_ucount = k->bytes;
    status->_cancelled = 0;
}

/* It may have been the last one. */
static void kept_unlink(struct comm *c, struct kept **at)
{
    struct kept *k = *at, *last = NULL;

    *at = k->next;
    k->next = NULL;
    for (struct kept *i = c->kept; i; i = i->next)
        last = i;
    c->kept_last = last;
    kept_count(-1);
}

struct kept *kept_take_out(struct comm *c, int source, int tag,
                           MPI_Status *status)
{
    struct kept **at, *k;

    stand_lock();
    at = kept_at(c, source, tag);
    k = *at;
    if (k) {
        kept_status(k, status);
        kept_unlink(c, at);
    }
    stand_unlock();
    return k;
}

void kept_put_back(struct comm *c, struct kept *k)
{
    stand_lock();
    k->next = c->kept;
    c->kept = k;
    if (!k->next)
        c->kept_last = k;
    kept_count(1);
    stand_unlock();
}

bool kept_find(struct comm *c, int source, int tag, MPI_Status *status)
{
    const struct kept *k;

    stand_lock();
    k = *kept_at(c, source, tag);
    if (k)
        kept_status(k, status);
    stand_unlock();
    return k != NULL;
}

void kept_drop(struct comm *c)
{
    stand_lock();
    while (c->kept) {
        struct kept *k = c->kept;

        kept_unlink(c, &c->kept);
        free(k);
    }
    stand_unlock();
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
