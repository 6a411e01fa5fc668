/* checkpointfile.h - the file that makes a directory a checkpoint.
 *
 * A job has one directory for its checkpoints, and in it one for each, by its
 * number: DIR/7/. There lie the images of its tasks, and, written last, the file
 * "checkpoint": a line of text, a packed Checkpoint, and the SHA-256 of both.
 * Without that file the directory is none: whoever wrote it did not finish. */
#ifndef HECTOR_CHECKPOINTFILE_H
#define HECTOR_CHECKPOINTFILE_H

#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"

#define CHECKPOINTFILE          "checkpoint"
#define CHECKPOINTFILE_NEW      "checkpoint.new"        /* while it is written */
enum { CHECKPOINTFILE_NUMBER = 11 };    /* bytes of a number as text, and a 0 */

/* The number that a directory's name is; 0: it is none. */
uint32_t checkpointfile_number(const char *name);

/* n bytes, which are a packed Checkpoint, become the file of DIR/NUMBER/. When
 * it returns they are on the disk, and so are the names of the directory; if it
 * fails, or the machine does, an earlier file is as it was. */
int checkpointfile_write(const char *dir, uint32_t number, const void *bytes,
                         size_t n, struct err *err);

/* What it says, for the caller to hct__checkpoint__free_unpacked(). The sentence
 * of a failure tells a person what to do: it is not there, cut off, damaged, of
 * another version, of another user, or of another checkpoint. Root may read
 * those of others. err->code of one that is not there or was not finished is
 * ENOENT, of a damaged one EBADMSG, and another one of all that may be good. */
int checkpointfile_read(const char *dir, uint32_t number,
                        Hct__Checkpoint **out, struct err *err);

/* The numbers of those that have such a file, the newest first, whatever is in
 * it; *numbers is the caller's to free(). That there are none is no failure, but
 * that there is no such directory is. */
int checkpointfile_list(const char *dir, uint32_t **numbers, size_t *n,
                        struct err *err);

/* Fill *err with a sentence that has the checkpoint for its subject, or, if why
 * is NULL, with what code means; return -1. */
int checkpointfile_refuse(struct err *err, int code, const char *dir,
                          uint32_t number, const char *why);

#endif
