/* hosts.h - which hosts a job may use, and how many slots each has.
 *
 * Sources, of which exactly one is used: -H, a hostfile, the allocation of a
 * batch system (allocation.h), else this machine. A host keeps the place where it was named
 * first; named again, its slots add up. */
#ifndef HECTOR_HOSTS_H
#define HECTOR_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/base/idtable.h"

enum { HOSTS_SLOTS_MAX = 1 << 20 };

struct host {
    char *name;                 /* owned; name of the node */
    char *user;                 /* owned; "user" of user@name, or NULL */
    uint32_t slots;             /* 0: as many as it has processors */
    uint32_t max_slots;         /* 0: no limit */
    uint32_t mentions;
    bool local;                 /* this machine: no launch agent */
};

struct hosts {
    struct host *v;             /* owned */
    size_t n, cap;
    struct idtable by_name;
    const char *agent;          /* of the allocation they are from, or NULL */
    uint64_t granted;           /* tasks that it has room for; 0: not known */
};

/* {0} is empty. */
void hosts_fini(struct hosts *h);

/* "a,b:4,user@n[1-3]:2": without a number a mention is one slot, as mpirun
 * has it. */
int hosts_add_list(struct hosts *h, const char *text, struct err *err);

/* Lines "[user@]HOST[:N] [slots=N] [max_slots=N] # comment", HOST maybe a
 * range. A host that is named once without a number has 0 slots (as many as
 * processors); named several times, one for each. Errors say "NAME:LINE". */
int hosts_add_file(struct hosts *h, const char *text, size_t n,
                   const char *name, struct err *err);
int hosts_load_file(struct hosts *h, const char *path, struct err *err);

/* One more mention of a host; slots 0: it gave no number. */
int hosts_add(struct hosts *h, const char *name, uint32_t slots,
              struct err *err);

/* This machine under its own name. */
int hosts_add_here(struct hosts *h, struct err *err);

/* Set local of each: those that have this machine's name, or an address of
 * it, as such or by /etc/hosts. Nothing else is asked, and a user other than
 * ours is not local. */
void hosts_find_local(struct hosts *h);
bool hosts_any_remote(const struct hosts *h);

#endif
