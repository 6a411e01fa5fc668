/* keepdir.h - the directory with all checkpoints of a job. */
#ifndef HECTOR_KEEPDIR_H
#define HECTOR_KEEPDIR_H

#include <stdint.h>

#include "proto/base/err.h"

/* Makes DIR/NUMBER, for the owner alone; what is there stays. Fails if DIR is
 * not there, which hector-run has made, or nothing can be written there. Several
 * hosts may do it at once. */
int keepdir_make(const char *dir, uint32_t number, struct err *err);

/* The same of a directory on this node alone, which is made with those above it,
 * in which nothing of lower numbers
 * stays that is ours. */
int keepdir_make_local(const char *local, uint32_t number, struct err *err);

/* Open DIR/NUMBER/, or -1. */
int keepdir_open(const char *dir, uint32_t number, struct err *err);

/* Removes what tries have left that did not become a checkpoint: files of DIR/
 * NUMBER/, and of lower numbers. Nobody may be writing there. */
int keepdir_sweep(const char *dir, uint32_t number, struct err *err);

/* Removes DIR/NUMBER/ unless it is a checkpoint: it was given up. Somebody may
 * be writing there yet, or making it a checkpoint, and other hosts may do the
 * same: it is removed and never will be one, or it is one and stays. That it is
 * not there is no failure. */
int keepdir_drop(const char *dir, uint32_t number, struct err *err);

/* The same of a directory on this node alone, which goes with the last of them. */
int keepdir_drop_local(const char *local, uint32_t number, struct err *err);

/* Now that NUMBER is a checkpoint: of those with lower numbers this one stays, or (0)
 * the newest whole one; the others go, and what did not become one. One that this program
 * cannot judge stays, too. Goes on after a failure and reports the first. */
int keepdir_retire(const char *dir, uint32_t number, uint32_t older,
                   struct err *err);

#endif
