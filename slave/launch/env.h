/* env.h - the environment of a task while it is put together.
 *
 * A list NAME=VALUE, NULL-terminated, strings from malloc(): what execve()
 * takes, and what PMIx_server_setup_fork() extends in place. The first
 * setting of a name wins when a list has it twice, as in getenv(). */
#ifndef HECTOR_ENV_H
#define HECTOR_ENV_H

#include <stdbool.h>
#include <stddef.h>

struct env {
    char **v;                   /* owned, and the strings too */
};

/* {0} is the empty environment. All return 0, or -1 when memory runs out. */
void env_fini(struct env *e);
int env_copy(struct env *e, char *const *from);

const char *env_get(const struct env *e, const char *name);     /* or NULL */
int env_set(struct env *e, const char *name, const char *value);
int env_setf(struct env *e, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Only if the name is not set yet: what the user has chosen stays. */
int env_default(struct env *e, const char *name, const char *value);

/* Remove the names that begin with prefix, but not those with except. */
void env_strip(struct env *e, const char *prefix, const char *except);

/* Put an entry in front of a list that is separated by sep, as in PATH. */
int env_prepend(struct env *e, const char *name, const char *entry, char sep);

#endif
