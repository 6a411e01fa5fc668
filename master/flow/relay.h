/* relay.h - what the slaves of a job ask of each other for PMIx: fences,
 * published names, direct modex. The master collects, joins and passes on;
 * nothing of it is stored. */
#ifndef HECTOR_RELAY_H
#define HECTOR_RELAY_H

#include <event2/event.h>

#include "master/state/job.h"
#include "proto/base/err.h"
#include "proto/link/message.h"

struct relay;
/* nodes is borrowed. NULL when memory runs out. */
struct relay *relay_create(struct event_base *base, const struct nodes *nodes);
void relay_destroy(struct relay *r);

/* Messages of a slave about a job that has tasks on its node (jn). -1: the
 * message makes no sense, close its link. */
int relay_fence(struct relay *r, struct job *j, struct job_node *jn,
                const Hct__Fence *m, struct err *err);
int relay_modex_request(struct relay *r, struct job *j, struct job_node *jn,
                        const Hct__ModexRequest *m, struct err *err);
int relay_modex_reply(struct relay *r, struct job *j, struct job_node *jn,
                      const Hct__ModexReply *m, struct err *err);
int relay_publish(struct relay *r, struct job *j, struct job_node *jn,
                  const Hct__Publish *m, struct err *err);
int relay_lookup(struct relay *r, struct job *j, struct job_node *jn,
                 const Hct__Lookup *m, struct err *err);
int relay_unpublish(struct relay *r, struct job *j, struct job_node *jn,
                    const Hct__Unpublish *m, struct err *err);

/* The tasks of a node have all ended (lost false), or the node is gone: end
 * what waits for it. */
void relay_node_gone(struct relay *r, struct job *j, const struct job_node *jn,
                     bool lost);
/* Its slave is back: ask again what it may not have heard. */
void relay_node_back(struct relay *r, const struct job *j,
                     const struct job_node *jn);
void relay_job_ended(struct relay *r, const struct job *j);

#endif
