/* conf.h - hector.conf(5): a table of keys fills a struct.
 *
 *   static const struct conf_key keys[] = {
 *       { "master", "listen", CONF_TEXT, offsetof(struct conf_master, listen),
 *         "unix:...", 0, 0 },
 *       { NULL } };
 *
 * One table feeds the defaults and the check; what a key is for stands in the
 * example hector.conf and in hector.conf(5). All programs read the same file,
 * so a section that belongs to another of Hector's programs is passed over; any
 * other section, and any unknown key, is an error. */
#ifndef HECTOR_CONF_H
#define HECTOR_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/err.h"

enum conf_kind {
    CONF_BOOL,          /* bool */
    CONF_INT,           /* int64_t, min..max */
    CONF_REAL,          /* double, min..max */
    CONF_DURATION,      /* uint64_t, ns; min..max in seconds */
    CONF_BYTES,         /* uint64_t; min..max in bytes */
    CONF_TEXT,          /* char *, owned by the struct, never NULL */
};

struct conf_key {
    const char *section, *name;
    enum conf_kind kind;
    size_t offset;              /* of the field in the struct */
    const char *fallback;       /* the default, written as in the file */
    double min, max;            /* both 0: no bounds */
};

/* Set every field to its default. Call first, on a zeroed struct. The table
 * ends with section == NULL. */
int conf_init(const struct conf_key *keys, void *into, struct err *err);
void conf_fini(const struct conf_key *keys, void *into);

/* Set one field from text, as a line of the file would. */
int conf_set(const struct conf_key *keys, void *into, const char *section,
             const char *name, const char *value, struct err *err);

/* Read a file. A mistake in it is reported as "FILE:LINE: sentence"; what
 * stood before it has been set. A missing file fails with ENOENT. */
int conf_load(const struct conf_key *keys, void *into, const char *path,
              struct err *err);

/* path if not NULL, else /etc/hector/hector.conf and then the user's
 * (paths_user_conf), each of which may be missing. */
int conf_load_all(const struct conf_key *keys, void *into, const char *path,
                  struct err *err);

#endif
