/* bygone.h - is a job of a batch system over, as that itself says? Asked for
 * one of whose run nothing is heard any more, from wherever its commands work,
 * which takes 3 s at most. */
#ifndef HECTOR_BYGONE_H
#define HECTOR_BYGONE_H

#include <stdbool.h>
#include <stdint.h>

struct bygone_run {
    const char *batch;          /* "Slurm 42" */
    uint64_t restarts;          /* it was begun so often before this run */
    const char *host;           /* where that was led; the batch system has to
                                   know it, or it is another one, with numbers
                                   of its own */
};

enum bygone { BYGONE_UNKNOWN,   /* nobody can be asked */
              BYGONE_NOT, BYGONE_IS };

/* *reason: a word of reasons.h, static; NULL: it does not say why. */
enum bygone bygone_ask(const struct bygone_run *r, const char **reason);

/* What a batch system has answered, for tests: "STATE RESTARTS" of Slurm,
 * "state LETTERS" of Grid Engine, or "gone". */
enum bygone bygone_of_slurm(const char *text, uint64_t restarts,
                            const char **reason);
enum bygone bygone_of_gridengine(const char *text, uint64_t restarts,
                                 const char **reason);

#endif
