/* rungrow.h - a row of table rung that a master before has left, as far as it
 * makes sense: the file may be damaged, or may have been written by others.
 * Pure.
 *
 * A step that stands is taken back, whatever else its row says: else who gave
 * way would stand for ever. So little makes a row worth nothing. */
#ifndef HECTOR_RUNGROW_H
#define HECTOR_RUNGROW_H

#include "master/ladder/climb.h"
#include "master/ladder/rung.h"
#include "master/state/job.h"
#include "master/store/store.h"
#include "proto/base/err.h"

/* More steps no job takes in a year. */
enum { RUNGROW_MOST = 1 << 24 };

struct rungrow {
    enum climb_kind kind;
    enum rung_state state;      /* stored, doing, done or undoing */
    uint32_t deadline;          /* 1 to PACES */
    char odd[100];              /* what is wrong with it, as part of a sentence; ""
                                   where all is well */
};

/* The jobs it is for and done to; NULL: they are gone. -1 with a part of a
 * sentence: it is no step that can stand. */
int rungrow_read(struct rungrow *to, const struct store_rung *row,
                 const struct job *j, const struct job *target,
                 struct err *err);

#endif
