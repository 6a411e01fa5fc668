/* seek.h - where the master is that an operator's command has to talk to. */
#ifndef HECTOR_SEEK_H
#define HECTOR_SEEK_H

#include "master/hector/core/tool.h"
#include "proto/link/addr.h"
#include "proto/link/conn.h"
#include "proto/link/key.h"

/* The address of -s, else what the database says: of the master that runs the
 * job, or, for job 0, of the one that was started last, of those
 * that have not ended. */
int seek_master(const struct tool *t, uint64_t job,
                char address[ADDR_LIST_MAX], struct err *err);

/* Fill conf for a connection to it; key is the caller's to keep. */
int seek_key(const char *address, struct conn_conf *conf, struct key *key,
             struct err *err);

#endif
