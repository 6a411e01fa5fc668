/* paths.h - where Hector keeps its things.
 *
 * Every function that gives a path writes an absolute one into buf and fails
 * (-1, err) rather than cutting it short. An XDG variable that is not an
 * absolute path counts as unset, as its specification asks. */
#ifndef HECTOR_PATHS_H
#define HECTOR_PATHS_H

#include <stddef.h>

#include "proto/base/err.h"

enum {
    PATHS_MAX = 1024,           /* enough for buf everywhere */
    PATHS_SOCKET_MAX = 100,     /* sun_path has 108 bytes */
};

/* What is behind the last slash of path: in it. */
const char *paths_base(const char *path);

/* $HECTOR_DB, else $XDG_STATE_HOME/hector/hector.db, else the same below
 * ~/.local/state. Parent directories are made, for the owner only. */
int paths_database(char *buf, size_t size, struct err *err);

/* $HECTOR_KEY_FILE, else $XDG_CONFIG_HOME/hector/key, else the same below
 * ~/.config. Parent directories are made, for the owner only. */
int paths_key_file(char *buf, size_t size, struct err *err);

/* $XDG_CONFIG_HOME/hector/hector.conf; makes nothing. */
int paths_user_conf(char *buf, size_t size, struct err *err);

/* Directory of a standing master's socket, made with mode 0700 if missing:
 * $XDG_RUNTIME_DIR/hector, for root /run/hector, else /tmp/hector-UID. One
 * that belongs to somebody else, or lets others in, is refused. */
int paths_runtime_dir(char *buf, size_t size, struct err *err);

/* A fresh directory hector-XXXXXX with mode 0700 for one run, in
 * $XDG_RUNTIME_DIR, $TMPDIR or /tmp, the first that can be written and where
 * a socket with a name of up to 24 bytes fits. */
int paths_make_private_dir(char *buf, size_t size, struct err *err);

/* Remove path and all below it. Symbolic links are removed, not followed.
 * What is not there any more is no failure; goes on after one and reports
 * the first. */
int paths_remove_tree(const char *path, struct err *err);

/* Make the missing parent directories of path with mode 0700. */
int paths_make_parents(const char *path, struct err *err);

/* Path of another program of ours: in the directory of the running one. */
int paths_sibling(const char *program, char *buf, size_t size,
                  struct err *err);

/* Path of a library of ours: the first that exists of ../lib/hector/NAME and
 * ../lib/NAME, seen from the running program. */
int paths_library(const char *name, char *buf, size_t size, struct err *err);

#endif
