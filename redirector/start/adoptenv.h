/* adoptenv.h - the variables by which tasks of another launcher find the
 * slave of their node.
 *
 *   HECTOR_SLAVE   where to register: one name on all hosts
 *   HECTOR_JOB     the session
 *   LD_PRELOAD     the wrapper library, in front of what the user has there
 *   OMPI_MCA_mca_base_env_list   has mpirun take them to other hosts */
#ifndef HECTOR_ADOPTENV_H
#define HECTOR_ADOPTENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "redirector/start/runplace.h"

enum { ADOPTENV_VARIABLES = 6 };

struct adoptenv {
    struct { const char *name; char *value; } v[ADOPTENV_VARIABLES];
    size_t n;                   /* value: owned; NULL: to be unset */
};

/* preload: path of the library; old_preload: the user's LD_PRELOAD or NULL;
 * export: for mpirun and other hosts. -1 when memory runs out. */
int adoptenv_make(struct adoptenv *e, const char *socket, uint64_t job,
                  const char *preload, const char *old_preload, bool export);
void adoptenv_fini(struct adoptenv *e);

/* Lines for a shell to evaluate, to be freed; NULL when memory runs out. */
char *adoptenv_script(const struct adoptenv *e);

/* A name for the socket that nobody can guess. */
enum { ADOPTENV_SOCKET = 8 + 32 + 1 };
void adoptenv_socket(char name[ADOPTENV_SOCKET]);

/* The path of the wrapper library without blanks and colons, if need be by a
 * link in the directory of the run, a buffer of PATHS_MAX; if there is none it is
 * made. socket, if not NULL: tasks on other hosts use it as well, by a link for which
 * see preload_shared(); where that cannot be the person is told. */
int adoptenv_library(char *buf, struct runplace *place, const char *socket,
                     char *link, struct err *err);

/* Is this command Open MPI's mpirun with nothing in its words and no list of
 * the user's (old_list, may be NULL) that forbids to name variables in the
 * environment? It takes either -x or a list. */
bool adoptenv_may_export(char *const *argv, const char *old_list);

#endif
