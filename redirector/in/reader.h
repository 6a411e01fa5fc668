/* reader.h - read the standard input of hector-run, and only as much as the
 * tasks will take.
 *
 * Not a byte is read without credit, so what no task wants stays for the
 * next program; nor while a terminal is not ours (we are in the background).
 * Files and devices that cannot be waited for are read when there is
 * credit. The descriptor's open file description is shared with others and
 * left as it is. */
#ifndef HECTOR_READER_H
#define HECTOR_READER_H

#include <stddef.h>
#include <event2/event.h>

#include "proto/base/err.h"

struct reader;

struct reader_ops {
    size_t (*credit)(void *arg);        /* bytes that may be given now */
    void (*take)(void *arg, const void *p, size_t n);
    void (*end)(void *arg);             /* end of file, once */
    void (*error)(void *arg, const struct err *err);    /* instead of end */
};

struct reader *reader_open(struct event_base *base, int fd,
                         const struct reader_ops *ops, void *arg,
                         struct err *err);

/* The credit may have changed. */
void reader_wake(struct reader *r);

/* Nobody reads any more: let go of the descriptor, so that who writes to it
 * gets to know. It is replaced by /dev/null. */
void reader_drop(struct reader *r);
void reader_close(struct reader *r);     /* NULL is fine */

#endif
