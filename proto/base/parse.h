/* parse.h - numbers and durations that people write, with their bounds.
 *
 * The whole text must be the value, without blanks around it. On failure the
 * result is untouched and err says what was wrong with the text. */
#ifndef HECTOR_PARSE_H
#define HECTOR_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/err.h"

/* Decimal; min <= value <= max. */
int parse_u64(uint64_t *out, const char *text, uint64_t min, uint64_t max,
              struct err *err);
int parse_i64(int64_t *out, const char *text, int64_t min, int64_t max,
              struct err *err);
int parse_double(double *out, const char *text, double min, double max,
                 struct err *err);

/* yes no, true false, on off, 1 0 */
int parse_bool(bool *out, const char *text, struct err *err);

/* "10" (seconds), "1.5s", "200ms", "50us", "2m", "1h", "1d", into ns. */
int parse_duration(uint64_t *ns, const char *text, struct err *err);

/* "4096", "64k", "1.5M", "2G", powers of 1024, optionally followed by "B" or
 * "iB". */
int parse_bytes(uint64_t *bytes, const char *text, struct err *err);

#endif
