/* input.h - stdin of the tasks of one job on this node.
 *
 * One buffer, several readers: every byte goes to every task that was added
 * and still reads. The redirector may send only what was granted: at most
 * INPUT_WINDOW bytes beyond what the slowest reader has taken.
 *
 * Bytes are numbered, and each reader is at some byte of the same stream. One
 * that goes to another node has read all but what is left in its pipe: there it
 * begins at the first of those, and the redirector sends them again if need be. */
#ifndef HECTOR_INPUT_H
#define HECTOR_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/base/err.h"

enum { INPUT_WINDOW = 256 * 1024, INPUT_STEP = 64 * 1024 };

struct input;

struct input_ask {
    uint64_t bytes;             /* that may be sent, more than before; or, if */
    bool again;                 /* so, of those from number `from` on, and of */
    uint64_t from;              /* no others */
    uint32_t came, left;        /* readers, since it was asked last */
};

struct input_ops {
    void (*ask)(void *arg, const struct input_ask *a);
    void (*unwanted)(void *arg);        /* nobody reads, unless one comes */
};

struct input *input_create(struct event_base *base,
                           const struct input_ops *ops, void *arg);
void input_destroy(struct input *in);   /* NULL is fine; closes all */

/* A task that reads from the other end of fd (non-blocking), which is taken
 * also on failure. */
int input_add(struct input *in, uint32_t rank, int fd, struct err *err);

/* The same, where fd is our end of a terminal: that it can be read says
 * nothing of its reader. Who reads there and finds the end says so. */
int input_add_terminal(struct input *in, uint32_t rank, int fd,
                       struct err *err);
void input_lost(struct input *in, int fd);

/* The same as input_add(), of one that is to come: nothing is written before
 * input_came(), which says at which byte it begins. Or it does not come, or
 * finds the end at once: input_stayed_away(). */
int input_add_later(struct input *in, uint32_t rank, int fd, struct err *err);
void input_came(struct input *in, uint32_t rank, uint64_t at);
void input_stayed_away(struct input *in, uint32_t rank);

/* All are added: grants the first bytes, or says that nobody reads. */
void input_start(struct input *in);

/* A task may go, or is saved: nothing is written to it, and its end is not seen.
 * Then it stays, and all is as before; or it has its place elsewhere. */
void input_hold(struct input *in, uint32_t rank);
void input_stays(struct input *in, uint32_t rank);
void input_left(struct input *in, uint32_t rank);

/* Where one that is held begins, if it goes, is stored in *bytes: it has left
 * so many in its pipe. False: there is nothing more for it, as it has closed its
 * input or has all up to the end. */
bool input_place(struct input *in, uint32_t rank, uint64_t unread,
                 uint64_t *bytes);

/* at: the number of the first byte; what is not due is passed over. -1 if it is
 * more than was granted. */
int input_data(struct input *in, uint64_t at, const void *data, size_t n,
               struct err *err);

/* End of file, after so many bytes. */
void input_end(struct input *in, uint64_t at);
/* ... and now, as no more can come. */
void input_cut(struct input *in);

#endif
