/* messages.c - the account of messages, see messages.h.
 *
 * Partners are kept by open addressing, each within PAGE_PEER_WAYS places of
 * its own; an entry is never given back. */
#include "mpi-wrappers/handles/messages.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/fields.h"
#include "mpi-wrappers/table/real.h"

static struct page_messages *_Atomic shown;     /* borrowed */
static bool shared;             /* several threads count at the same time */

/* ----------------------------------------------------- what need not wait */

/* As Open MPI itself has it, after all files and variables that may set it: its
 * parameters are told of by a function of its own, for MPI_T begins with
 * looking for all components that there are. The value is a size_t. */
static uint32_t limit(const char *transport)
{
    int (*find)(const char *, const char *, const char *, const char *) =
        (int (*)(const char *, const char *, const char *, const char *))
            real_symbol("mca_base_var_find");
    int (*get)(int, const void *, int *, const char **) =
        (int (*)(int, const void *, int *, const char **))
            real_symbol("mca_base_var_get_value");
    const size_t *bytes = NULL;
    int is = find && get ? find("opal", "btl", transport, "eager_limit") : -1;

    return is < 0 || get(is, &bytes, NULL, NULL) != 0 || !bytes ||
           *bytes > INT32_MAX ? PAGE_EAGER_UNKNOWN : (uint32_t)*bytes;
}

/* Known is what Open MPI's own transports do; others decide for themselves, and
 * may decide anew for each message. What goes to the task itself is not to be
 * taken for longer than it is. */
static void tell_eager(struct page_messages *m)
{
    const char *pml = getenv("OMPI_MCA_pml"), *btl = getenv("OMPI_MCA_btl");
    bool known = pml && strcmp(pml, "ob1") == 0 &&
                 btl && strcmp(btl, "self,vader,tcp") == 0;
    uint32_t near = known ? limit("vader") : PAGE_EAGER_UNKNOWN;

    if (known && near == PAGE_EAGER_UNKNOWN)
        near = limit("sm");             /* since Open MPI 5 */
    if (near != PAGE_EAGER_UNKNOWN && limit("self") > near)
        near = PAGE_EAGER_UNKNOWN;
    SET(m->eager, near);
    SET(m->eager_far, known ? limit("tcp") : PAGE_EAGER_UNKNOWN);
}

void messages_start(struct page_messages *m, bool several)
{
    if (!m)
        return;
    shared = several;
    tell_eager(m);
    SET(m->valid, 1);
    atomic_store_explicit(&shown, m, memory_order_release);
}

void messages_stop(void)
{
    atomic_store_explicit(&shown, NULL, memory_order_relaxed);
}

/* ------------------------------------------------------------- counting */

static struct page_peer *peer_of(struct page_messages *m, int32_t peer)
{
    uint32_t key = (uint32_t)peer + 1;

    for (uint32_t i = 0; i < PAGE_PEER_WAYS; i++) {
        struct page_peer *p = &m->peer[((uint32_t)peer + i) % PAGE_PEERS];
        uint32_t is = GET(p->peer);

        if (LIKELY(is == key) ||
            (is == 0 && (atomic_compare_exchange_strong(&p->peer, &is, key) ||
                         is == key)))
            return p;
    }
    return NULL;
}

/* Returns the sum. */
static inline uint64_t add(_Atomic uint64_t *sum, uint64_t v)
{
    if (UNLIKELY(shared))
        return atomic_fetch_add_explicit(sum, v, memory_order_relaxed) + v;
    v += GET(*sum);
    SET(*sum, v);
    return v;
}

static struct page_messages *get(void)
{
    return atomic_load_explicit(&shown, memory_order_acquire);
}

static uint64_t count_sent(uint64_t comm, int32_t peer, int32_t tag,
                           uint64_t bytes, bool is)
{
    struct page_messages *m = get();
    struct page_peer *p;
    uint64_t v = page_message(comm, tag);

    if (!m || peer == PAGE_NULL)
        return 0;
    p = LIKELY(peer >= 0 && comm != 0) ? peer_of(m, peer) : NULL;
    if (UNLIKELY(!p)) {
        add(&m->lost, 1);
        return 0;
    }
    v = add(&p->sent, is ? v : -v);
    add(&p->bytes, is ? bytes : -bytes);
    SET(p->last_comm, comm);
    SET(p->last_tag, tag);
    return v;
}

uint64_t messages_sent(uint64_t comm, int32_t peer, int32_t tag, uint64_t bytes)
{
    return count_sent(comm, peer, tag, bytes, true);
}

void messages_unsent(uint64_t comm, int32_t peer, int32_t tag, uint64_t bytes)
{
    count_sent(comm, peer, tag, bytes, false);
}

/* Where it finds no room, it is as if it were still under way. */
void messages_received(uint64_t comm, int32_t peer, int32_t tag)
{
    struct page_messages *m = get();
    struct page_peer *p = m && peer >= 0 ? peer_of(m, peer) : NULL;

    if (!m || peer == PAGE_NULL)
        return;
    if (peer == PAGE_NONE)
        messages_unsure();
    else if (peer < 0)
        add(&m->blind, 1);
    else if (LIKELY(p && comm != 0 && tag >= 0))
        add(&p->received, page_message(comm, tag));
    else if (p)
        atomic_fetch_add_explicit(&p->blind, 1, memory_order_relaxed);
}

void messages_unsure(void)
{
    struct page_messages *m = get();

    if (m)
        atomic_fetch_add_explicit(&m->unsure, 1, memory_order_relaxed);
}
