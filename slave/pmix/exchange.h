/* exchange.h - PMIx operations that need other nodes: fences, direct modex,
 * published data. The local half: calls of our PMIx server go to the master
 * as messages, its answers end them.
 *
 * What is waiting is kept as it was sent, and sent again to a master that
 * was lost and joined again. */
#ifndef HECTOR_EXCHANGE_H
#define HECTOR_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "slave/link/uplink.h"
#include "slave/pmix/pmix.h"

struct exchange;

struct exchange *exchange_create(struct uplink *uplink, struct err *err);
void exchange_destroy(struct exchange *x);      /* answers "gone" */

/* The calls; see pmixd_ops. here: our node in the job. */
void exchange_fence(struct exchange *x, struct pmixd_call *c, uint64_t job,
                    const char *nspace, const char *what, const char *ranks,
                    const void *data, size_t bytes);
void exchange_modex(struct exchange *x, struct pmixd_call *c, uint64_t job,
                    uint32_t rank, uint32_t here);
void exchange_publish(struct exchange *x, struct pmixd_call *c, uint64_t job,
                      const char *nspace, uint32_t rank,
                      const struct pmixd_item *items, size_t n,
                      bool first_read_only, const char *range);
void exchange_unpublish(struct exchange *x, struct pmixd_call *c,
                        uint64_t job, uint32_t rank, char *const *keys);
void exchange_lookup(struct exchange *x, struct pmixd_call *c, uint64_t job,
                     char *const *keys, bool wait, uint64_t timeout_ns);

/* The answers. One that nobody waits for any more is passed over. */
void exchange_fence_done(struct exchange *x, const Hct__FenceDone *m);
void exchange_modex_reply(struct exchange *x, const Hct__ModexReply *m);
void exchange_lookup_reply(struct exchange *x, const Hct__LookupReply *m);

/* The job is over: what still waits is answered "gone". */
void exchange_drop(struct exchange *x, uint64_t job);
/* A link was opened again: repeat what has no answer; to a master that was
 * started anew also what it has to know because others may ask. */
void exchange_resend(struct exchange *x, bool new_master);

#endif
