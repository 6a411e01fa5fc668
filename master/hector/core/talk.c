/* talk.c - see talk.h. */
#include "master/hector/core/talk.h"

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>

#include "master/hector/core/seek.h"
#include "proto/link/greeting.h"

void talk_end(struct talk *t, bool good, const char *text)
{
    if (!t->answered) {
        t->answered = true;
        t->good = good;
        snprintf(t->text, sizeof(t->text), "%s", text);
    }
    event_base_loopbreak(t->base);
}

static void on_open(void *arg, struct conn *c)
{
    Hct__Hello hello = HCT__HELLO__INIT;

    (void)arg;
    hello.role = HCT__ROLE__ROLE_OPERATOR;
    greeting_hello(c, &hello);
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    struct talk *t = arg;
    char text[sizeof(t->text)];

    (void)c;
    t->conn = NULL;
    snprintf(text, sizeof(text), "%.200s%.300s", t->lost ? t->lost : "",
             why->text);
    talk_end(t, false, text);
}

int talk_on_welcome(void *arg, struct conn *c, const void *msg, struct err *err)
{
    struct talk *t = arg;

    if (greeting_welcomed(c, msg, HCT__ROLE__ROLE_MASTER, err))
        return -1;
    if (t->send(t, c))
        talk_end(t, false, "cannot send to the master");
    return 0;
}

int talk_on_result(void *arg, struct conn *c, const void *msg, struct err *err)
{
    const Hct__Result *m = msg;

    (void)c, (void)err;
    talk_end(arg, m->ok, m->text);
    return 0;
}

int talk_hold(struct talk *t, const char *address,
              const struct conn_route *routes, size_t nroutes, struct err *err)
{
    const struct conn_ops ops = { routes, nroutes, on_open, on_close, NULL };
    struct timeval limit = { t->wait_s, 0 };
    struct conn_conf conf = { 0 };
    struct key key;

    if (seek_key(address, &conf, &key, err))
        return -1;
    t->base = event_base_new();
    if (!t->base)
        return err_memory(err);
    t->conn = conn_open_to(t->base, address, &conf, &ops, t, err);
    if (!t->conn) {
        event_base_free(t->base);
        return -1;
    }
    if (t->wait_s)
        event_base_loopexit(t->base, &limit);
    event_base_dispatch(t->base);
    conn_close(t->conn);
    event_base_free(t->base);
    return t->answered ? 0
        : err_set(err, ETIMEDOUT, "no answer within %d s", t->wait_s);
}
