/* published.h - what tasks publish for others to look up (MPI_Publish_name),
 * and the look-ups that wait for it. Pure: no I/O, times are arguments.
 *
 * A key is known to all jobs of this master, once. A value that was published
 * for one reader is gone after it was read. What a job has published, and
 * what it waits for, goes with the job. Statuses are those of PMIx, which
 * the slaves pass on. */
#ifndef HECTOR_PUBLISHED_H
#define HECTOR_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum published_status {
    PUBLISHED_OK = 0,
    PUBLISHED_ERROR = -1,
    PUBLISHED_TIMEOUT = -24,
    PUBLISHED_FULL = -29,       /* the job has published as much as it may */
    PUBLISHED_NOT_FOUND = -46,
    PUBLISHED_PARTIAL = -52,    /* some of the keys were found */
    PUBLISHED_DUPLICATE = -53,
};

/* What one job may have published at a time. */
enum { PUBLISHED_JOB_VALUES = 65536, PUBLISHED_JOB_BYTES = 64 << 20 };

struct published_value {
    const char *key, *nspace;
    const uint8_t *value;
    size_t bytes;
    uint64_t job;
    uint32_t rank;
    bool first_read_only;
};

/* Who asks, and how he knows the answer by. */
struct published_asker { uint64_t job; uint32_t node; uint64_t ticket; };

typedef void published_answer_f(void *arg, const struct published_asker *who,
                                enum published_status status,
                                const struct published_value *found,
                                size_t nfound);

struct published;
struct published *published_create(published_answer_f *answer, void *arg);
void published_destroy(struct published *n);

/* Each answers the asker through the callback, at once or later; publishing
 * may answer others who waited. It returns false when the job has published
 * as much as it may. */
bool published_publish(struct published *n, const struct published_asker *who,
                       const struct published_value *v);
/* Only what the task itself has published; no keys means all of that. */
void published_unpublish(struct published *n, const struct published_asker *who,
                         uint32_t rank, char *const *keys, size_t nkeys);
/* deadline_ns on the caller's monotonic clock, 0: wait for ever. */
void published_lookup(struct published *n, const struct published_asker *who,
                      char *const *keys, size_t nkeys, bool wait,
                      uint64_t deadline_ns);

/* Answer look-ups whose time is over. Returns the next deadline, 0: none. */
uint64_t published_expire(struct published *n, uint64_t now_ns);

void published_drop_job(struct published *n, uint64_t job); /* answers nobody */

#endif
