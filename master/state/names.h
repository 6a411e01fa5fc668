/* names.h - what tasks publish for others to look up (MPI_Publish_name), and
 * the look-ups that wait for it. Pure: no I/O, times are arguments.
 *
 * A key is known to all jobs of this master, once. A value that was published
 * for one reader is gone after it was read. What a job has published, and
 * what it waits for, goes with the job. Statuses are those of PMIx, which
 * the slaves pass on. */
#ifndef HECTOR_NAMES_H
#define HECTOR_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum names_status {
    NAMES_OK = 0,
    NAMES_ERROR = -1,
    NAMES_TIMEOUT = -24,
    NAMES_FULL = -29,           /* the job has published as much as it may */
    NAMES_NOT_FOUND = -46,
    NAMES_PARTIAL = -52,        /* some of the keys were found */
    NAMES_DUPLICATE = -53,
};

/* What one job may have published at a time. */
enum { NAMES_JOB_VALUES = 65536, NAMES_JOB_BYTES = 64 << 20 };

struct names_value {
    const char *key, *nspace;
    const uint8_t *value;
    size_t bytes;
    uint64_t job;
    uint32_t rank;
    bool first_read_only;
};

/* Who asks, and how he knows the answer by. */
struct names_asker { uint64_t job; uint32_t node; uint64_t ticket; };

typedef void names_answer_f(void *arg, const struct names_asker *who,
                            enum names_status status,
                            const struct names_value *found, size_t nfound);

struct names;
struct names *names_create(names_answer_f *answer, void *arg);
void names_destroy(struct names *n);

/* Each answers the asker through the callback, at once or later; publishing
 * may answer others who waited. It returns false when the job has published
 * as much as it may. */
bool names_publish(struct names *n, const struct names_asker *who,
                   const struct names_value *v);
/* Only what the task itself has published; no keys means all of that. */
void names_unpublish(struct names *n, const struct names_asker *who,
                     uint32_t rank, char *const *keys, size_t nkeys);
/* deadline_ns on the caller's monotonic clock, 0: wait for ever. */
void names_lookup(struct names *n, const struct names_asker *who,
                  char *const *keys, size_t nkeys, bool wait,
                  uint64_t deadline_ns);

/* Answer look-ups whose time is over. Returns the next deadline, 0: none. */
uint64_t names_expire(struct names *n, uint64_t now_ns);

void names_drop_job(struct names *n, uint64_t job);     /* answers nobody */

#endif
