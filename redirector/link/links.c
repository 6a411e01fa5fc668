/* links.c - the stream listener and its links; see links.h.
 *
 * A link is open, and has a name, when its Hello has been accepted. A slave
 * may dial before we have read from the master what our job's number is: its
 * Hello is then kept in early until we know. Invariants: links holds every
 * connection that was announced and not closed; unended counts, for a link,
 * the (rank, stream) pairs it brought output of and no end. The streams of a task
 * that has moved come by another link, and begin there. States are those of the
 * attempt that came last: older links change none.
 *
 * In one attempt nothing comes twice, though by several links it may come in
 * another order than it was written: what was shown in earlier attempts is known
 * by where they had come to.
 *
 * Of input each link is at some byte: at the last one that was read, but for those
 * whose credit is used up, or that have asked for earlier ones. As long as a task is
 * on its way no more is read: nobody knows how much it can take. */
#include "redirector/link/links.h"

#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/link/addr.h"
#include "proto/link/conn.h"
#include "proto/link/greeting.h"
#include "redirector/link/backlog.h"
#include "redirector/link/inputsums.h"
#include "redirector/link/shown.h"

enum { LINKS_LISTENERS = 2, LINKS_KINDS = 4, LINKS_COUNTED = 2,
       LINKS_ADDRESSES = 64, LINK_MAGIC = 0x6c696e6b };

enum stream_state { STREAM_UNSEEN, STREAM_OPEN, STREAM_ENDED };

struct link {
    unsigned magic;
    struct link *next;
    struct links *owner;      /* borrowed */
    struct conn *conn;          /* owned */
    char *name;                 /* owned; NULL: not open */
    char *early;                /* owned: its name, if it is too early */
    uint64_t early_job;         /* and the job it is of */
    uint32_t attempt;
    uint64_t at, credit;        /* next byte of input; how many it may have */
    bool asked, unwanted;       /* has granted input; wants no more */
    bool end_sent;
    size_t unended;
};

struct links {
    struct links_conf conf;
    struct event_base *base;    /* borrowed */
    struct conn_listener *listeners[LINKS_LISTENERS];
    char unix_address[ADDR_TEXT_MAX];
    char tcp_addresses[ADDR_LIST_MAX];  /* each ends in NUL */
    const char *addresses[LINKS_ADDRESSES];     /* into the two */
    size_t naddresses;
    uint8_t cookie[LINKS_COOKIE];
    uint64_t job;               /* 0: not known yet */
    struct link *all;
    uint8_t *states;            /* owned; [rank * LINKS_KINDS + stream] */
    struct shown *shown;        /* owned; stdout and stderr by rank */
    uint32_t attempt;
    bool paused;
    struct backlog *backlog;    /* owned */
    bool input_ended, input_wrong;      /* wrong: it is of no use to anybody */
    int64_t under_way;          /* tasks that read and have left one link more than
                                   have come by another */
};

/* ----------------------------------------------------------------- links */

static struct link *link_of(void *arg)
{
    struct link *k = arg;

    assert(k->magic == LINK_MAGIC);
    return k;
}

/* Of the attempt that is under way. */
static bool link_counts(const struct link *k)
{
    return k->name && k->attempt == k->owner->attempt;
}

static void link_free(struct link *k)
{
    struct link **at = &k->owner->all;

    while (*at != k)
        at = &(*at)->next;
    *at = k->next;
    k->magic = 0;
    free(k->name);
    free(k->early);
    free(k);
}

/* arg: the streams, as the listener was given them. */
static void links_on_open(void *arg, struct conn *c)
{
    struct links *s = arg;
    struct link *k = calloc(1, sizeof(*k));

    if (!k) {
        conn_close(c);
        return;
    }
    k->magic = LINK_MAGIC;
    k->owner = s;
    k->conn = c;
    k->next = s->all;
    s->all = k;
    conn_set_arg(c, k);
    if (s->paused)
        conn_pause(c);
}

static void links_on_close(void *arg, struct conn *c, const struct err *why)
{
    struct link *k = link_of(arg);
    struct links *s = k->owner;
    bool torn = k->unended && link_counts(k);
    char *name = k->name;

    (void)c;
    k->name = NULL;
    link_free(k);
    if (name)
        s->conf.on_leave(s->conf.arg, name, torn ? why->text : NULL);
    free(name);
    s->conf.on_credit(s->conf.arg);
}

/* -------------------------------------------------------------- messages */

static int link_refuse(struct link *k, const struct err *why)
{
    greeting_refuse(k->conn, "links", why);
    link_free(k);
    return 0;
}

static int link_refuse_stranger(struct link *k)
{
    struct err why;

    err_set(&why, EACCES, "not a slave of this job");
    return link_refuse(k, &why);
}

/* All tasks begin again as they were at some time: their streams, too. */
static void links_again(struct links *s, uint32_t attempt)
{
    s->attempt = attempt;
    s->under_way = 0;
    memset(s->states, STREAM_UNSEEN, (size_t)s->conf.ntasks * LINKS_KINDS);
    for (size_t i = 0; i < (size_t)s->conf.ntasks * LINKS_COUNTED; i++)
        shown_again(&s->shown[i]);
    s->conf.on_again(s->conf.arg);
}

static void link_welcome(struct link *k)
{
    struct links *s = k->owner;
    Hct__Welcome welcome = HCT__WELCOME__INIT;

    if (k->attempt > s->attempt)
        links_again(s, k->attempt);
    k->name = k->early;
    k->early = NULL;
    welcome.role = HCT__ROLE__ROLE_REDIRECTOR;
    welcome.name = (char *)"hector-run";
    greeting_welcome(k->conn, HCT__ROLE__ROLE_SLAVE, &welcome);
    s->conf.on_join(s->conf.arg, k->name);
}

static int on_hello(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    struct link *k = link_of(arg);
    struct links *s = k->owner;
    const Hct__Hello *hello = msg;

    if (k->early)
        return err_set(err, EPROTO, "a second Hello");
    if (greeting_check(c, hello, "hector-run", err))
        return link_refuse(k, err);
    if (hello->role != HCT__ROLE__ROLE_SLAVE || hello->job == 0 ||
        (s->job && hello->job != s->job) ||
        hello->cookie.len != LINKS_COOKIE ||
        sodium_memcmp(hello->cookie.data, s->cookie, LINKS_COOKIE) != 0)
        return link_refuse_stranger(k);
    k->early = strdup(hello->name);
    k->early_job = hello->job;
    k->attempt = hello->attempt;
    if (!k->early)
        return err_memory(err);
    if (s->job)
        link_welcome(k);
    return 0;
}

static uint8_t *links_state(struct links *s, uint32_t rank, int stream,
                              struct err *err)
{
    if (rank >= s->conf.ntasks || stream <= HCT__STREAM__STREAM_NONE ||
        stream > HCT__STREAM__STREAM_STDTIM) {
        err_set(err, EPROTO, "output of stream %d of task %u, which there is "
                "not", stream, (unsigned)rank);
        return NULL;
    }
    return &s->states[(size_t)rank * LINKS_KINDS + (size_t)stream];
}

/* Where what is to be shown goes. */
struct passing { const struct link *link; const Hct__Output *output; };

static void link_emit(void *arg, const void *p, size_t n)
{
    const struct passing *of = arg;
    const Hct__Output *o = of->output;
    struct links *s = of->link->owner;

    if (n)
        s->conf.on_output(s->conf.arg, o->rank, (int)o->stream, p, n, o->at_ns);
}

/* NULL: nobody counts it. */
static struct shown *link_counted(const struct links *s, uint32_t rank, int stream)
{
    if (!s->conf.repeats || stream == HCT__STREAM__STREAM_STDTIM)
        return NULL;
    return &s->shown[(size_t)rank * LINKS_COUNTED + (size_t)stream -
                     HCT__STREAM__STREAM_STDOUT];
}

/* first: of its stream in this attempt. */
static void link_show(const struct link *k, const Hct__Output *o, bool first)
{
    struct links *s = k->owner;
    struct shown *w = o->ours ? NULL
                    : link_counted(s, o->rank, (int)o->stream);
    struct passing of = { k, o };
    bool differed = w && w->differs;

    if (!w) {
        link_emit(&of, o->data.data, o->data.len);
        return;
    }
    if (first && s->attempt > 0 && o->before > w->now &&
        (w->now || !s->conf.restored))
        s->conf.on_missed(s->conf.arg, o->rank, o->before - w->now);
    shown_take(w, link_counts(k), o->before, o->data.data, o->data.len,
               link_emit, &of);
    if (w->differs && !differed)
        s->conf.on_differs(s->conf.arg, o->rank);
}

static int on_output(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct link *k = link_of(arg);
    struct links *s = k->owner;
    const Hct__Output *o = msg;
    uint8_t *state = links_state(s, o->rank, (int)o->stream, err);
    bool first = state && *state == STREAM_UNSEEN && link_counts(k);

    (void)c;
    if (!state)
        return -1;
    if (o->before > UINT64_MAX - o->data.len)
        return err_set(err, EPROTO, "too much output of task %u", o->rank);
    if (*state == STREAM_ENDED && link_counts(k))
        return err_set(err, EPROTO, "output of task %u after its end",
                       o->rank);
    if (first) {
        *state = STREAM_OPEN;
        k->unended++;
    }
    link_show(k, o, first);
    return 0;
}

/* What was held to be compared. */
static void link_show_rest(const struct link *k, const Hct__OutputEnd *o)
{
    Hct__Output rest = HCT__OUTPUT__INIT;
    struct shown *w = link_counted(k->owner, o->rank, (int)o->stream);
    struct passing of = { k, &rest };

    rest.rank = o->rank;
    rest.stream = o->stream;
    if (w)
        shown_end(w, link_emit, &of);
}

static int on_output_end(void *arg, struct conn *c, const void *msg,
                         struct err *err)
{
    struct link *k = link_of(arg);
    struct links *s = k->owner;
    const Hct__OutputEnd *o = msg;
    uint8_t *state = links_state(s, o->rank, (int)o->stream, err);

    (void)c;
    if (!state)
        return -1;
    if (!link_counts(k))
        return 0;               /* it has begun again */
    if (*state == STREAM_ENDED)
        return err_set(err, EPROTO, "a second end of output of task %u",
                       o->rank);
    if (*state == STREAM_OPEN && k->unended > 0)
        k->unended--;
    *state = o->moved ? STREAM_UNSEEN : STREAM_ENDED;
    if (o->moved)
        return 0;
    link_show_rest(k, o);
    s->conf.on_output_end(s->conf.arg, o->rank, (int)o->stream);
    return 0;
}

static void links_input_is_wrong(struct links *s, const struct err *why)
{
    s->input_wrong = true;
    s->conf.on_input_lost(s->conf.arg, why, true);
}

static void links_input_ends_early(struct links *s, uint64_t at)
{
    struct err err;

    err_set(&err, EIO, "standard input ends after %llu bytes, and tasks had read "
            "%llu of it before: give the same again, from its beginning",
            (unsigned long long)backlog_end(s->backlog), (unsigned long long)at);
    links_input_is_wrong(s, &err);
}

/* Tasks may have bytes up to there. */
static uint64_t links_input_good(const struct links *s)
{
    uint64_t end = backlog_end(s->backlog), good = end;

    if (s->conf.sums)
        good = inputsums_good(s->conf.sums);
    return s->input_wrong ? 0 : good < end ? good : end;
}

/* What it may have of all that was read. Its credit is used up by what cannot be
 * read again: the owner will end the job. */
static void link_feed(struct link *k)
{
    struct links *s = k->owner;
    Hct__Input input = HCT__INPUT__INIT;
    Hct__InputEnd end = HCT__INPUT_END__INIT;
    uint64_t good = links_input_good(s);
    struct err err;

    while (k->at < good && k->credit) {
        size_t n = 0;

        input.at = k->at;
        input.data.data = (uint8_t *)(uintptr_t)backlog_from(s->backlog, k->at,
                                                             &n, &err);
        if (!input.data.data) {
            k->credit = 0;
            s->conf.on_input_lost(s->conf.arg, &err, true);
            return;
        }
        n = n < LINKS_INPUT_MAX ? n : LINKS_INPUT_MAX;
        n = n < good - k->at ? n : (size_t)(good - k->at);
        input.data.len = n < k->credit ? n : (size_t)k->credit;
        k->at += input.data.len;
        k->credit -= input.data.len;
        conn_send(k->conn, MESSAGE_INPUT, &input);
    }
    if (!s->input_ended || k->end_sent || s->input_wrong ||
        k->at < backlog_end(s->backlog))
        return;
    if (k->at > backlog_end(s->backlog)) {
        links_input_ends_early(s, k->at);
        return;
    }
    k->end_sent = true;
    end.at = k->at;
    conn_send(k->conn, MESSAGE_INPUT_END, &end);
}

static bool link_takes_input(const struct link *k)
{
    return link_counts(k) && k->asked && !k->unwanted;
}

/* Where it is to go on. */
static int link_go_to(struct link *k, const Hct__InputCredit *m, struct err *err)
{
    const struct links *s = k->owner;
    uint64_t at = m->again ? m->from : k->at;

    if (backlog_reach(s->backlog, at, err)) {
        if (link_counts(k))
            s->conf.on_input_lost(s->conf.arg, err, true);
        return -1;
    }
    if (m->bytes > UINT64_MAX - at - (m->again ? 0 : k->credit))
        return err_set(err, EPROTO, "too much credit");
    k->at = at;
    k->credit = m->bytes + (m->again ? 0 : k->credit);
    k->end_sent = k->end_sent && !m->again;
    return 0;
}

static int on_input_credit(void *arg, struct conn *c, const void *msg,
                           struct err *err)
{
    struct link *k = link_of(arg);
    struct links *s = k->owner;
    const Hct__InputCredit *m = msg;

    (void)c;
    if (link_go_to(k, m, err))
        return -1;
    k->asked = true;
    if (m->came)
        k->unwanted = false;
    if (link_counts(k))
        s->under_way += (int64_t)m->left - m->came;
    if (link_takes_input(k))
        link_feed(k);
    s->conf.on_credit(s->conf.arg);
    return 0;
}

static int on_input_unwanted(void *arg, struct conn *c, const void *msg,
                             struct err *err)
{
    struct link *k = link_of(arg);

    (void)c;
    (void)msg;
    (void)err;
    k->unwanted = true;
    k->owner->conf.on_credit(k->owner->conf.arg);
    return 0;
}

static const struct conn_route routes[] = {
    { MESSAGE_HELLO, CONN_STRANGER, on_hello },
    MESSAGES_SLAVE_TO_REDIRECTOR(CONN_ROUTE)
};
static const struct conn_ops stream_ops = {
    .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
    .on_open = links_on_open, .on_close = links_on_close,
};

/* ------------------------------------------------------------------ open */

static int links_listen(struct links *s, int which, struct addr *a,
                          struct err *err)
{
    /* A slave that hears nothing of us for a while has a person to thank
     * who has stopped us: that is no reason to part. */
    struct conn_conf conf = { .key = s->conf.key, .dead_ns = CONN_NEVER };
    int fd = addr_listen(a, err);

    if (fd < 0)
        return -1;
    s->listeners[which] = conn_listen_fd(s->base, fd, &conf, &stream_ops, s,
                                         err);
    return s->listeners[which] ? 0 : -1;
}

/* Without a directory nothing is left behind by a process that is killed. */
static void links_name(char *buf, size_t size, const char *dir)
{
    uint8_t random[12];
    char hex[2 * sizeof(random) + 1];

    randombytes_buf(random, sizeof(random));
    sodium_bin2hex(hex, sizeof(hex), random, sizeof(random));
    if (*dir)
        snprintf(buf, size, "%s/stream.sock", dir);
    else
        snprintf(buf, size, "@hector-%s", hex);
}

struct links *links_open(struct event_base *base,
                         const struct links_conf *conf, struct err *err)
{
    struct links *s = calloc(1, sizeof(*s));
    struct addr a = { .is_unix = true }, tcp = { .host = "*" };
    struct backlog_conf input = {
        .keep = conf->input_keep, .dir = conf->input_dir,
        .ahead = conf->restored,
        .fd = conf->input_keep && !conf->input_none ? STDIN_FILENO : -1 };

    if (!s)
        return err_memory(err), NULL;
    s->conf = *conf;
    s->base = base;
    s->states = calloc(conf->ntasks, LINKS_KINDS);
    s->shown = calloc(conf->ntasks, LINKS_COUNTED * sizeof(*s->shown));
    if (!s->states || !s->shown) {
        err_memory(err);
        goto fail;
    }
    s->backlog = backlog_create(&input, err);
    if (!s->backlog)
        goto fail;
    randombytes_buf(s->cookie, sizeof(s->cookie));
    links_name(a.host, sizeof(a.host), conf->dir);
    addr_format(&a, s->unix_address, sizeof(s->unix_address));
    if (links_listen(s, 0, &a, err) < 0)
        goto fail;
    s->addresses[s->naddresses++] = s->unix_address;
    if (conf->tcp && (links_listen(s, 1, &tcp, err) < 0 ||
                      addr_list_local(tcp.port, s->tcp_addresses,
                                      sizeof(s->tcp_addresses), err) < 0))
        goto fail;
    char *save = NULL;

    for (char *p = strtok_r(s->tcp_addresses, ",", &save);
         p && s->naddresses < LINKS_ADDRESSES;
         p = strtok_r(NULL, ",", &save))
        s->addresses[s->naddresses++] = p;
    return s;
fail:
    links_close(s);
    return NULL;
}

void links_close(struct links *s)
{
    if (!s)
        return;
    for (int i = 0; i < LINKS_LISTENERS; i++)
        if (s->listeners[i])
            conn_listener_close(s->listeners[i]);
    while (s->all) {
        conn_close(s->all->conn);
        link_free(s->all);
    }
    backlog_destroy(s->backlog);
    free(s->states);
    for (size_t i = 0; s->shown &&
         i < (size_t)s->conf.ntasks * LINKS_COUNTED; i++)
        shown_fini(&s->shown[i]);
    free(s->shown);
    free(s);
}

struct links_where links_where(const struct links *s)
{
    return (struct links_where){ .addresses = s->addresses,
                                 .naddresses = s->naddresses,
                                 .cookie = s->cookie };
}

void links_set_job(struct links *s, uint64_t job)
{
    s->job = job;
    for (struct link *k = s->all, *next; k; k = next) {
        next = k->next;
        if (k->early && k->early_job == job)
            link_welcome(k);
        else if (k->early)
            link_refuse_stranger(k);
    }
}

/* ---------------------------------------------------------- flow control */

unsigned links_count(const struct links *s)
{
    unsigned n = 0;

    for (const struct link *k = s->all; k; k = k->next)
        n += link_counts(k);
    return n;
}

bool links_silent(const struct links *s, uint64_t ns)
{
    for (const struct link *k = s->all; k; k = k->next)
        if (link_counts(k) && conn_silence_ns(k->conn) < ns)
            return false;
    return links_count(s) > 0;
}

void links_pause(struct links *s)
{
    s->paused = true;
    for (struct link *k = s->all; k; k = k->next)
        conn_pause(k->conn);
}

void links_resume(struct links *s)
{
    s->paused = false;
    for (struct link *k = s->all; k; k = k->next)
        conn_resume(k->conn);
}

size_t links_credit(const struct links *s, bool all)
{
    uint64_t end = backlog_end(s->backlog), least = UINT64_MAX;

    if (s->under_way > 0)
        return 0;
    for (const struct link *k = s->all; k; k = k->next) {
        if (all && link_counts(k) && !k->asked && !k->unwanted)
            return 0;
        if (link_takes_input(k) && k->at + k->credit < least)
            least = k->at + k->credit;
    }
    if (least == UINT64_MAX || least <= end)
        return 0;
    return least - end < LINKS_INPUT_MAX ? (size_t)(least - end)
                                         : LINKS_INPUT_MAX;
}

bool links_input_unwanted(const struct links *s)
{
    bool unwanted = false;

    for (const struct link *k = s->all; k; k = k->next) {
        if (link_counts(k) && !k->unwanted)
            return false;       /* takes it, or has not said so yet */
        unwanted = unwanted || (link_counts(k) && k->unwanted);
    }
    return unwanted && s->under_way <= 0 && !s->conf.input_dir;
}

static void links_feed(struct links *s)
{
    for (struct link *k = s->all; k; k = k->next)
        if (link_takes_input(k))
            link_feed(k);
}

void links_send_input(struct links *s, const void *p, size_t n)
{
    uint64_t at = backlog_end(s->backlog);
    struct err err;

    if (backlog_add(s->backlog, p, n, &err))
        s->conf.on_input_lost(s->conf.arg, &err, false);
    if (s->conf.sums && inputsums_add(s->conf.sums, at, p, n, &err)) {
        if (err.code == EBADMSG)
            links_input_is_wrong(s, &err);
        else
            s->conf.on_input_lost(s->conf.arg, &err, false);
    }
    links_feed(s);
}

void links_send_size(struct links *s, uint32_t rows, uint32_t columns)
{
    Hct__Terminal size = HCT__TERMINAL__INIT;

    size.rows = rows;
    size.columns = columns;
    for (struct link *k = s->all; k; k = k->next)
        if (k->name)
            conn_send(k->conn, MESSAGE_TERMINAL, &size);
}

void links_send_input_end(struct links *s)
{
    struct err err;

    s->input_ended = true;
    for (struct link *k = s->all; k && !s->input_wrong; k = k->next)
        if (link_takes_input(k) && k->at > backlog_end(s->backlog))
            links_input_ends_early(s, k->at);
    if (s->conf.sums && !s->input_wrong && inputsums_end(s->conf.sums, &err))
        links_input_is_wrong(s, &err);
    links_feed(s);
}
