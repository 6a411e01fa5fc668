/* input.h - stdin of the tasks of one job on this node.
 *
 * One buffer, several readers: every byte goes to every task that was added
 * and still reads. The redirector may send only what was granted: at most
 * INPUT_WINDOW bytes beyond what the slowest reader has taken. */
#ifndef HECTOR_INPUT_H
#define HECTOR_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/base/err.h"

enum { INPUT_WINDOW = 256 * 1024, INPUT_STEP = 64 * 1024 };

struct input;

struct input_ops {
    void (*grant)(void *arg, uint64_t bytes);
    void (*unwanted)(void *arg);        /* nobody reads any more; once */
};

struct input *input_create(struct event_base *base,
                           const struct input_ops *ops, void *arg);
void input_destroy(struct input *in);   /* NULL is fine; closes all */

/* A task that reads from the other end of fd (non-blocking), which is taken
 * also on failure. */
int input_add(struct input *in, int fd, struct err *err);

/* The same, where fd is our end of a terminal: that it can be read says
 * nothing of its reader. Who reads there and finds the end says so. */
int input_add_terminal(struct input *in, int fd, struct err *err);
void input_lost(struct input *in, int fd);

/* All are added: grants the first bytes, or says that nobody reads. */
void input_start(struct input *in);

/* -1 if it is more than was granted. */
int input_data(struct input *in, const void *data, size_t n,
               struct err *err);

/* End of file, after what was sent. */
void input_end(struct input *in);
/* ... and all readers have it, or there is none any more. */
bool input_is_over(const struct input *in);

#endif
