/* names.h - what the frames of call sites are called in the source.
 *
 * Reading debug information takes from milliseconds to seconds, and what is
 * read are the files of a user: so a child process does it, as that user, with
 * everything closed, bounded in time, and killed with us. Its answers come
 * through a pipe; nothing of them is trusted. */
#ifndef HECTOR_NAMES_H
#define HECTOR_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/base/err.h"
#include "proto/base/str.h"
#include "slave/launch/launch.h"
#include "slave/page/sites.h"

enum { NAMES_TEXT_MAX = 1024 };

struct name {                   /* texts: where they are in names.text */
    uint32_t frame, depth;      /* depth 0 is the innermost of those inlined */
    uint32_t line;              /* 0: not known */
    uint32_t function, file, note;
};

struct names {                  /* {0}: nothing was asked for yet */
    struct name *v;             /* owned */
    size_t n, cap;
    struct str text;
    size_t known;               /* frames below this have been looked up */
    size_t asked;               /* the child's will be the limit of known */
    struct namer *child;        /* owned; NULL: none is at work */
    unsigned failures;          /* children that died over it */
};
void names_fini(struct names *n);       /* ends the child */

/* Look up what is not known of the frames of s, if anything. calm: somebody
 * else may need the processors more. */
void names_ask(struct names *n, struct event_base *base,
               const struct sites *s, const struct launch_user *user,
               bool calm);

/* Are all frames of s looked up, as far as they can be? To be called again
 * until it says so; a child that takes too long is ended here. */
bool names_settled(struct names *n, const struct sites *s);

/* One that is known without looking it up. False: out of memory. */
struct name_of {
    uint32_t frame, depth, line;
    const char *function, *file, *note; /* end with their bytes, or a zero */
    size_t function_bytes, file_bytes, note_bytes;
};
bool names_add(struct names *n, const struct name_of *is);

const char *name_text(const struct names *n, uint32_t at);

#endif
