/* places.h - where in the source the lines of a verdict are: where the rank is
 * that a line is about, or where it has made the call that the line is about,
 * and the request that it names. And what these ranks have printed that lies in
 * a buffer yet. */
#ifndef HECTOR_PLACES_H
#define HECTOR_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "master/places/whereis.h"
#include "master/state/job.h"
#include "proto/base/str.h"

/* As in struct hct_line; all of a line without a rank is passed over. */
struct places_line { int32_t rank; uint32_t site, made; };

struct places;

/* All has been found that can be: found says whether it is anything. */
typedef void places_done_f(void *arg, bool found);

/* Takes samples of all stacks first, which are kept for the verdict seq, then
 * asks for other places; seq 0: asks for these only, and nobody is stopped. v
 * is copied. NULL: nothing can be asked. done() comes once, later. */
struct places *places_start(const struct whereis_by *by, struct job *j,
                            uint64_t seq, const struct places_line *v, size_t n,
                            places_done_f *done, void *arg);

/* Append ", in solve (solver.c:214)", and where its request was made; nothing
 * of what is not known. NULL is fine, both. */
void places_add(const struct places *p, size_t line, struct str *to);

/* "in solve (solver.c:214)"; NULL: not known. p may be NULL. */
const char *places_here(const struct places *p, size_t line);

/* What the rank of this line has printed and not written yet, as a list of
 * quoted lines; of the first line about it. NULL: nothing is known. p may be
 * NULL. */
const char *places_unwritten(const struct places *p, size_t line);

void places_free(struct places *p);

#endif
