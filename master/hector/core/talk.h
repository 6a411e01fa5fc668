/* talk.h - a conversation with a master: connect, Hello, Welcome, the request, and
 * answers until one of them ends it. */
#ifndef HECTOR_TALK_H
#define HECTOR_TALK_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/err.h"
#include "proto/link/conn.h"

struct talk {                   /* routes get it as their argument */
    int (*send)(struct talk *t, struct conn *c);    /* the request; not 0: it
                                                       cannot be sent */
    const char *lost;           /* stands before why the link has broken; NULL:
                                   nothing does */
    int wait_s;                 /* for the end; 0: as long as it takes */
    bool answered, good;
    char text[512];             /* the answer, or what went wrong */
    struct event_base *base;    /* owned while it goes on, like conn */
    struct conn *conn;
};

/* Have it, with the master at that address. -1 with err: there was no answer. */
int talk_hold(struct talk *t, const char *address,
              const struct conn_route *routes, size_t nroutes, struct err *err);

/* It ends with this; the first end counts. */
void talk_end(struct talk *t, bool good, const char *text);

/* Those of every conversation: Welcome and Refuse; and Result, which ends it. */
int talk_on_welcome(void *arg, struct conn *c, const void *msg, struct err *err);
int talk_on_result(void *arg, struct conn *c, const void *msg, struct err *err);
#define TALK_ROUTES                                                     \
    { MESSAGE_WELCOME, CONN_STRANGER, talk_on_welcome },                \
    { MESSAGE_REFUSE, CONN_STRANGER, greeting_on_refuse },              \
    { MESSAGE_RESULT, CONN_ROLE(HCT__ROLE__ROLE_MASTER), talk_on_result }

#endif
