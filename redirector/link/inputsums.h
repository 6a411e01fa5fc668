/* inputsums.h - what standard input was, in hashes of its pieces: a file in the
 * directory of a job's checkpoints, by which another hector-run sees that it is
 * given the same again.
 *
 *   DIR/input     a line for each 64 KiB: how many bytes there had been at its
 *                 end, and the BLAKE2b of those of the piece
 *
 * The last line is of what had been read so far, and written again with more. Of
 * an input that nobody has read there is no file. */
#ifndef HECTOR_INPUTSUMS_H
#define HECTOR_INPUTSUMS_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

struct inputsums;

/* to: the directory of checkpoints to come; from: of those that tasks are made
 * of, who have read so many bytes as `needed` says; each NULL if there is none,
 * and both are borrowed for the call. They may be the same. Without a file in
 * `from`, as an earlier version has left none, nothing is compared. */
struct inputsums *inputsums_open(const char *to, const char *from,
                                 uint64_t needed, struct err *err);
/* Where there is no checkpoint in `to` the file goes. NULL is fine. */
void inputsums_close(struct inputsums *s);

/* So many bytes of it, from number `at` on: what is known already is passed over.
 * -1 with EBADMSG: these are others than they were. -1 with another code: the file
 * cannot be written, and is gone; said once. */
int inputsums_add(struct inputsums *s, uint64_t at, const void *p, size_t n,
                  struct err *err);
/* That is all of it. -1: it is shorter than it was. */
int inputsums_end(struct inputsums *s, struct err *err);

/* Bytes before that one may be given to tasks: they are the same, or there is
 * nothing to compare them with. UINT64_MAX: all that were added. */
uint64_t inputsums_good(const struct inputsums *s);

#endif
