/* sites.h - the places from which the tasks of a job call MPI, each kept once.
 *
 * A site is a function of MPI and the addresses on the stack under it. What
 * tells addresses apart is where they are in their files, not where a task has
 * mapped them: so one line of all tasks is one site. Numbers count from 0 and
 * never change. The tables are bounded; what finds no room is counted for the
 * site of the function that has no frames. */
#ifndef HECTOR_SITES_H
#define HECTOR_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/base/idtable.h"
#include "slave/page/state.h"

enum {
    SITES_MAX = 16384,
    SITES_FRAMES_MAX = 65536,
    SITES_MODULES_MAX = 1024,
    SITES_NONE = UINT16_MAX,    /* no number of a site */
};

struct sites_module {
    char path[192];
    uint8_t id[36];             /* build id */
    uint32_t id_bytes;
};

struct sites_frame {
    uint32_t module;            /* number + 1; 0: in none */
    uint64_t offset;            /* in the file; in none: the address */
};

struct site {
    uint32_t call, frames;      /* how many */
    uint32_t frame[PAGE_FRAMES];
};

struct sites {
    struct sites_module *module;        /* owned, like all arrays */
    struct sites_frame *frame;
    struct site *site;
    size_t nmodules, nframes, nsites;
    size_t modules_cap, frames_cap, sites_cap;
    struct idtable by_frame, by_site;
};

/* {0} is empty. */
void sites_fini(struct sites *s);

/* The site of a page; modules is what the page says of its addresses.
 * SITES_NONE: out of memory. */
uint32_t sites_find(struct sites *s, const struct state_site *p,
                    const struct state_module *modules, unsigned nmodules);

/* Its number in all runs of the program (placekey.h); 0: there is none. */
uint64_t sites_key(const struct state_site *p,
                   const struct state_module *modules, unsigned nmodules);

/* The same of one that has a number here. */
uint64_t sites_key_of(const struct sites *s, uint32_t site);

/* All calls of this function whose site is not known. */
uint32_t sites_find_other(struct sites *s, uint32_t call);

#endif
