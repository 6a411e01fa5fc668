/* outdir.h - --output-dir: DIR/rank.N/stdout and DIR/rank.N/stderr.
 *
 * Every rank that writes has its directory; both files are there as soon as
 * one of them is. Files of an earlier run are overwritten. Of many files only
 * some are held open at a time. */
#ifndef HECTOR_OUTDIR_H
#define HECTOR_OUTDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

struct outdir;

/* Make the directory if need be. merged: stdout only. */
struct outdir *outdir_open(const char *path, uint32_t ntasks, bool merged,
                           struct err *err);
int outdir_write(struct outdir *d, uint32_t rank, bool is_stderr,
                 const void *p, size_t n, struct err *err);

/* Files of ranks that wrote nothing are made too. NULL is fine. */
int outdir_finish(struct outdir *d, struct err *err);
void outdir_close(struct outdir *d);

#endif
