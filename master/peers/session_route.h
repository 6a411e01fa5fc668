/* session_route.h - what session.c and session_route.c share: the struct of a
 * link, and the table of messages. For these two files only. */
#ifndef HECTOR_SESSION_ROUTE_H
#define HECTOR_SESSION_ROUTE_H

#include "master/peers/session.h"
#include "master/tree/gather.h"

enum { SESSION_LISTENERS = 8, SESSION_ROUTES = 31 };

struct session {
    struct session *next, *prev;        /* in the hub */
    struct session_hub *hub;    /* borrowed */
    struct conn *link;          /* owned */
    struct node *node;          /* borrowed; slaves only */
    struct job *job;            /* of the message being handled */
    struct job_node *at;        /* its part of that job */
    struct gather *gather;      /* operators: what they wait for, or NULL */
};

struct session_hub {
    struct event_base *base;    /* borrowed, like the next five */
    struct nodes *nodes;
    struct jobs *jobs;
    struct journal *journal;
    struct relay *relay;
    struct flow *flow;
    struct session_hub_conf conf;
    struct reducer *reducer;    /* owned, like the next two */
    struct session *sessions;
    struct conn_listener *listeners[SESSION_LISTENERS];
    size_t nlisteners;
    bool holding, had_redirector;
    size_t nleaving;            /* links that are still being flushed */
    void (*left)(void *arg);    /* when there is none any more */
    char *warning;              /* owned; said to everyone who submits */
};

extern const struct conn_route session_routes[SESSION_ROUTES];

int session_on_hello(void *arg, struct conn *c, const void *msg,
                     struct err *err);

#endif
