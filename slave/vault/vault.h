/* vault.h - what outlives a slave that is killed: memory that it shares with
 * its guard, and the pages of its tasks.
 *
 * In it lie the event records that the master has not acknowledged, and for
 * each task a ledger: how far its rings have been read and what was made of
 * that. The slave alone writes, and every step it takes is complete with one
 * store, so that the guard finds it whole whenever the slave died. See
 * lastwords.h for what the guard does with it.
 *
 * A vault that is full, or not there, only means that less can be saved. */
#ifndef HECTOR_VAULT_H
#define HECTOR_VAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mpi-wrappers/page.h"
#include "proto/base/err.h"

enum { VAULT_BYTES = 64 << 20, VAULT_TASKS = 4096, VAULT_OPEN = 128 };

struct records_chunk;

struct vault_open {             /* a tagged call that has not left */
    uint64_t seq;
    int32_t marker;
    uint16_t call, slot;
};

struct vault_state {            /* after one reading of the rings */
    uint64_t page;              /* number of the page that was read; 0: none */
    uint64_t next;              /* number of the next record */
    uint64_t next_seq;
    uint64_t tail[PAGE_SLOTS];
    uint32_t nopen;
    struct vault_open open[VAULT_OPEN];
};

struct vault_ledger {
    uint64_t job;
    uint32_t rank, index;
    _Atomic(struct records_chunk *) first;      /* not acknowledged yet */
    _Atomic uint32_t now;       /* which of the two is valid */
    _Atomic int32_t stopped;    /* a task that we have stopped and that is no
                                   child of ours, its pid; or 0 */
    _Atomic int32_t shares;     /* the same, one that was given something else of
                                   the processors than it came with */
    struct vault_state state[2];
};

struct vault;
struct vault *vault_create(struct err *err);    /* before the guard's fork */
void vault_destroy(struct vault *v);            /* NULL is fine */
void vault_set_instance(struct vault *v, uint64_t instance);
uint64_t vault_instance(const struct vault *v);

/* Memory; NULL when it is full. vault_has(): is p from here? */
void *vault_alloc(struct vault *v, size_t bytes);
void vault_free(struct vault *v, void *p);
bool vault_has(const struct vault *v, const void *p);

/* The slave's side; NULL (no vault, or no room) is fine everywhere. */
struct vault_ledger *vault_open_ledger(struct vault *v, uint64_t job,
                                       uint32_t rank);
void vault_close_ledger(struct vault *v, struct vault_ledger *l);
/* The state to be filled, and then to become the valid one. */
struct vault_state *vault_draft(struct vault_ledger *l);
void vault_commit(struct vault_ledger *l);
/* It has been stopped (0: goes on), and is to go on if the slave dies. */
void vault_stop(struct vault_ledger *l, pid_t pid);
/* It has been given something else of the processors (0: not any more), which is
 * to be undone if the slave dies. */
void vault_shares(struct vault_ledger *l, pid_t pid);
/* A page was given out: the guard is to keep it too. Returns its number. */
uint64_t vault_keep_page(struct vault *v, const struct vault_ledger *l,
                         int fd);

/* The guard's side. The socket is to be read when it can be, also once the
 * slave is dead. */
int vault_socket(const struct vault *v);
void vault_take(struct vault *v);
/* As it was made, for another slave: the one before is dead. */
void vault_empty(struct vault *v);
const struct vault_ledger *vault_ledger(const struct vault *v, size_t index);
/* Whom the slave has left stopped goes on; undo is called for those that it has given
 * something else of the processors. */
void vault_let_go(const struct vault *v, void (*undo)(pid_t pid));
/* The page's descriptor; -1 if it is not there. */
int vault_page(const struct vault *v, size_t index, uint64_t page);

#endif
