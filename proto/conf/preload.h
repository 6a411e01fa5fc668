/* preload.h - paths of our libraries as LD_PRELOAD can hold them.
 *
 * It takes a path with a blank or a colon in it for two. Then a symbolic link
 * without any leads there. */
#ifndef HECTOR_PRELOAD_H
#define HECTOR_PRELOAD_H

#include "proto/base/err.h"
#include "proto/base/paths.h"

/* The path of a library, if need be by a link in dir. */
int preload_path(const char *name, const char *dir, char buf[PATHS_MAX],
                 struct err *err);

/* The same for tasks on several hosts, each of which makes its own link, if it
 * needs one: in ~/.local/state/hector, where nobody else can, and by a word
 * that all of them know. Where the home is one directory on all hosts, one of
 * them makes it. link: what this process has made, and is to remove in the
 * end; "" if nothing. */
int preload_shared(const char *name, const char *word, char buf[PATHS_MAX],
                   char link[PATHS_MAX], struct err *err);

#endif
