/* ask.c - Gather to a master, and its answer. */
#include "master/hector/core/ask.h"

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/core/seek.h"
#include "proto/base/clock.h"
#include "proto/link/greeting.h"
#include "proto/model/tasknotes.h"

/* Beyond what the master waits for the slaves. */
enum { ASK_WAIT_S = 20, ASK_DEFAULT_S = 3600 };

struct asking {
    struct event_base *base;            /* owned */
    struct conn *conn;                  /* owned while the loop runs */
    const Hct__Gather *what;            /* borrowed */
    struct ask *answer;                 /* borrowed */
    struct err why;
};

static void over(struct asking *a)
{
    event_base_loopbreak(a->base);
}

static void on_open(void *arg, struct conn *c)
{
    Hct__Hello m = HCT__HELLO__INIT;

    (void)arg;
    m.role = HCT__ROLE__ROLE_OPERATOR;
    greeting_hello(c, &m);
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    struct asking *a = arg;

    (void)c;
    a->conn = NULL;
    a->why = *why;
    over(a);
}

static int on_welcome(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct asking *a = arg;

    if (greeting_welcomed(c, msg, HCT__ROLE__ROLE_MASTER, err))
        return -1;
    if (conn_send(c, MESSAGE_GATHER, a->what))
        return err_set(err, EMSGSIZE, "the request is too large");
    return 0;
}

/* The answer outlives its message by way of its own bytes. */
static Hct__Gathered *copy_end(const Hct__Gathered *m)
{
    Hct__Gathered end = *m, *copy;
    uint8_t *packed;
    size_t n;

    end.piece = (ProtobufCBinaryData){ 0, NULL };
    packed = malloc(hct__gathered__get_packed_size(&end) + 1);
    if (!packed)
        return NULL;
    n = hct__gathered__pack(&end, packed);
    copy = hct__gathered__unpack(NULL, n, packed);
    free(packed);
    return copy;
}

static int on_gathered(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    struct asking *a = arg;
    const Hct__Gathered *m = msg;

    (void)c;
    if (a->answer->end)
        return err_set(err, EPROTO, "an answer goes on after its end");
    if (!m->ok)
        return err_set(err, EIO, "%s", *m->why ? m->why : "the master does "
                       "not want to, and does not say why");
    str_add_bytes(&a->answer->bytes, m->piece.data, m->piece.len);
    if (!m->last)
        return 0;
    a->answer->end = copy_end(m);
    if (!a->answer->end || str_failed(&a->answer->bytes))
        return err_memory(err);
    over(a);
    return 0;
}

static const struct conn_route routes[] = {
    { MESSAGE_WELCOME, CONN_STRANGER, on_welcome },
    { MESSAGE_REFUSE, CONN_STRANGER, greeting_on_refuse },
    { MESSAGE_GATHERED, CONN_ROLE(HCT__ROLE__ROLE_MASTER), on_gathered },
};
static const struct conn_ops ops = {
    routes, sizeof(routes) / sizeof(routes[0]), on_open, on_close, NULL,
};

int ask_gather(struct ask *out, const char *address, const Hct__Gather *m,
               struct err *err)
{
    struct asking a = { .what = m, .answer = out };
    struct conn_conf conf = { 0 };
    struct timeval limit = { ASK_WAIT_S, 0 };
    struct key key;

    *out = (struct ask){ 0 };
    limit.tv_sec += m->wait_ns ? (time_t)(m->wait_ns / CLOCK_NS_PER_S)
                               : ASK_DEFAULT_S;
    if (seek_key(address, &conf, &key, err))
        return -1;
    a.base = event_base_new();
    if (!a.base)
        return err_memory(err);
    a.conn = conn_open_to(a.base, address, &conf, &ops, &a, err);
    if (!a.conn) {
        event_base_free(a.base);
        return -1;
    }
    err_set(&a.why, ETIMEDOUT, "no answer");
    event_base_loopexit(a.base, &limit);
    event_base_dispatch(a.base);
    conn_close(a.conn);
    event_base_free(a.base);
    if (out->end && !str_failed(&out->bytes))
        return 0;
    ask_fini(out);
    *err = a.why;
    return -1;
}

void ask_fini(struct ask *a)
{
    str_fini(&a->bytes);
    if (a->end)
        hct__gathered__free_unpacked(a->end, NULL);
    *a = (struct ask){ 0 };
}

void ask_add_absent(const struct ask *a, Hct__TreeNote ***notes, size_t *n)
{
    const Hct__Gathered *end = a->end;
    Hct__TreeNote **all = realloc(*notes, (*n + end->n_absent + 1) *
                                              sizeof(*all));

    if (!all)
        return;
    *notes = all;
    for (size_t i = 0; i < end->n_absent; i++) {
        const Hct__Gathered__Absent *x = end->absent[i];
        Hct__TreeNote *note = malloc(sizeof(*note));
        char text[TASKNOTES_ABSENT_MAX];

        if (!note)
            return;
        hct__tree_note__init(note);
        note->ranks = strdup(x->ranks);
        note->text = strdup(tasknotes_absent(text, x->node, x->why));
        all[(*n)++] = note;
    }
}
