/* imageout.h - the image of a task that leaves, on its way out: what the task
 * writes into a pipe is read by somebody else from the moment on when it may be
 * sent, or goes on in pieces, no more of it than the other end has room for. */
#ifndef HECTOR_IMAGEOUT_H
#define HECTOR_IMAGEOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

struct event_base;
struct imageout;

struct imageout_ops {
    /* Too much waits to be sent already: it is asked again in a moment. */
    bool (*congested)(void *arg);
    /* Asked with the first piece. Who says yes reads the pipe, and over() is
     * not called. */
    bool (*pass)(void *arg, int pipe);
    void (*piece)(void *arg, const void *data, size_t bytes);
    /* Nobody holds the pipe open for writing, and all of it was sent on;
     * whether it is whole is the task's to say. It may be closed in this call. */
    void (*over)(void *arg);
};

/* *to: where the task is to write, the caller's. NULL with err. */
struct imageout *imageout_open(struct event_base *base, const struct imageout_ops *ops,
                               void *arg, int *to, struct err *err);
/* The other end has room for so many bytes more. */
void imageout_credit(struct imageout *o, uint64_t bytes);
/* What was not sent is lost. NULL is fine. */
void imageout_close(struct imageout *o);

#endif
