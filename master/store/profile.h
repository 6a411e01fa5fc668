/* profile.h - costs of MPI calls on their way from a slave into the journal.
 *
 * What a Profile says is checked and copied; modules, frames and sites get
 * numbers that are made of what they are, 52 bits of a keyed hash: the same
 * in every job and database, without asking one. */
#ifndef HECTOR_PROFILE_H
#define HECTOR_PROFILE_H

#include "master/state/job.h"
#include "master/store/journal.h"
#include "proto/link/message.h"

enum {
    PROFILE_MODULES = 1024, PROFILE_FRAMES = 65536, PROFILE_SITES = 16384,
    PROFILE_SITE_FRAMES = 64, PROFILE_DEPTH = 64, PROFILE_TEXT = 4096,
};

int profile_take(struct journal *jn, struct job *j, struct job_node *at,
                 const Hct__Profile *m, struct err *err);

#endif
