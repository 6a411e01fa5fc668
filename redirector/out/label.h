/* label.h - what stands in front of a task's lines.
 *
 *   rank   "07: "                            srun -l: zeros up to the width of
 *                                            the largest rank
 *   tag    "[1,7]<stdout>:"                  mpirun --tag-output
 *   time   "2026-11-21T01:11:22.123456+01:00 "   in front of either, or alone:
 *                                            local time of day here, of the
 *                                            moment the task's node stamped
 *
 * Pure but for the time zone. */
#ifndef HECTOR_LABEL_H
#define HECTOR_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum label_style { LABEL_NONE, LABEL_RANK, LABEL_TAG };
enum { LABEL_MAX = 80 };

struct label {
    enum label_style style;
    bool timestamp;
    int width;
    time_t second;              /* that text is of; -1: of none */
    char text[24], zone[8];     /* "2026-11-21T01:11:22", "+01:00" */
};

void label_init(struct label *l, enum label_style style, bool timestamp,
                uint32_t ntasks);

/* Is there anything to put in front of lines? */
bool label_wanted(const struct label *l);

/* Returns the length. No NUL is added. */
size_t label_format(struct label *l, char buf[LABEL_MAX], uint32_t rank,
                    const char *stream, uint64_t at_ns);

#endif
