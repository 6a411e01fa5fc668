/* systembytes.c - see systembytes.h. */
#include "proto/plan/systembytes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SYSTEMBYTES_VERSION = 1, SYSTEMBYTES_PARTS = 4 };
static const char magic[4] = { 'H', 'C', 'T', 'S' };

struct head {
    char magic[4];
    uint32_t version;
    uint32_t n[SYSTEMBYTES_PARTS], each[SYSTEMBYTES_PARTS];     /* hosts, works,
                                   seats, traffic: so many of so many bytes */
    uint32_t names, nmoves;     /* bytes of names, each with its zero */
    uint64_t seq, now_ns, seed;
    double move_s, move_bytes_s;
};

void systembytes_pack(struct str *to, const struct hct_system *in,
                      char *const *names)
{
    const void *parts[] = { in->hosts, in->works, in->seats, in->traffic };
    struct head h = {
        .version = SYSTEMBYTES_VERSION,
        .n = { in->nhosts, in->nworks, in->nseats, in->ntraffic },
        .each = { in->host_size, in->work_size, in->seat_size,
                  in->traffic_size },
        .nmoves = in->nmoves, .seq = in->seq, .now_ns = in->now_ns,
        .seed = in->seed, .move_s = in->move_s,
        .move_bytes_s = in->move_bytes_s };

    memcpy(h.magic, magic, sizeof(magic));
    for (uint32_t i = 0; names && i < in->nhosts; i++)
        h.names += (uint32_t)strlen(names[i]) + 1;
    str_add_bytes(to, &h, sizeof(h));
    for (int i = 0; i < SYSTEMBYTES_PARTS; i++)
        if (h.n[i])
            str_add_bytes(to, parts[i], (size_t)h.n[i] * h.each[i]);
    for (uint32_t i = 0; names && i < in->nhosts; i++)
        str_add_bytes(to, names[i], strlen(names[i]) + 1);
}

/* ------------------------------------------------------------------ reading */

static int wrong(struct err *err, const char *what)
{
    return err_set(err, EPROTO, "a recorded system is broken: %s", what);
}

static int take_rows(void **to, size_t size, const char *from, uint32_t n,
                     uint32_t each, struct err *err)
{
    char *rows = calloc((size_t)n + 1, size);

    *to = rows;
    if (!rows)
        return err_memory(err);
    for (uint32_t i = 0; i < n; i++)
        memcpy(rows + i * size, from + (size_t)i * each,
               each < size ? each : size);
    return 0;
}

static int take_names(struct systembytes *s, const char *from, size_t bytes,
                      struct err *err)
{
    size_t table = (s->in.nhosts + 1) * sizeof(char *);
    char *text;

    if (bytes == 0)
        return 0;
    s->names = malloc(table + bytes + 1);
    if (!s->names)
        return err_memory(err);
    text = (char *)s->names + table;
    memcpy(text, from, bytes);
    text[bytes] = '\0';
    for (uint32_t i = 0; i < s->in.nhosts; i++) {
        s->names[i] = text;
        if (text >= (char *)s->names + table + bytes)
            return wrong(err, "nodes have no name");
        text += strlen(text) + 1;
    }
    return 0;
}

static bool is_above(double v, double least)
{
    return isfinite(v) && v > least;
}

/* Optimizers, and who checks what they say, take these for granted. */
static int check_hosts(const struct hct_system *in, struct err *err)
{
    for (uint32_t i = 0; i < in->nhosts; i++) {
        const struct hct_host *h = hct_host(in, i);

        if (h->slots == 0 || !is_above(h->speed, 0) || !isfinite(h->load) ||
            h->load < 0)
            return wrong(err, "a node without processors or speed");
    }
    return is_above(in->move_s, 0) && is_above(in->move_bytes_s, 0)
           ? 0 : wrong(err, "moves take no time");
}

static int check_works(const struct hct_system *in, struct err *err)
{
    uint64_t seats = 0;

    for (uint32_t i = 0; i < in->nworks; i++) {
        const struct hct_work *w = hct_work(in, i);

        if (w->first != seats || w->ntasks > in->nseats - seats)
            return wrong(err, "tasks do not follow their jobs");
        seats += w->ntasks;
        for (uint32_t k = 0; k < w->ntasks; k++) {
            const struct hct_seat *t = hct_seat(in, w->first + k);

            if (t->work != i ||
                (t->host >= in->nhosts && t->host != HCT_NOWHERE) ||
                !isfinite(t->wants) || t->wants < 0)
                return wrong(err, "a task of another job, or on no node");
        }
    }
    return seats == in->nseats ? 0 : wrong(err, "tasks without a job");
}

static int check_traffic(const struct hct_system *in, struct err *err)
{
    for (uint32_t i = 0; i < in->ntraffic; i++) {
        const struct hct_traffic *t = hct_traffic(in, i);

        if (t->a >= t->b || t->b >= in->nseats ||
            hct_seat(in, t->a)->work != hct_seat(in, t->b)->work ||
            !isfinite(t->bytes_s) || t->bytes_s < 0)
            return wrong(err, "traffic of no pair");
    }
    return 0;
}

static int take_head(struct head *h, const void *bytes, size_t n,
                     struct err *err)
{
    uint64_t all = sizeof(*h);

    if (n < sizeof(*h))
        return wrong(err, "it ends too early");
    memcpy(h, bytes, sizeof(*h));
    if (memcmp(h->magic, magic, sizeof(magic)) != 0 ||
        h->version != SYSTEMBYTES_VERSION)
        return wrong(err, "it is of another version");
    for (int i = 0; i < SYSTEMBYTES_PARTS; i++)
        all += (uint64_t)h->n[i] * h->each[i];
    return all + h->names == n ? 0 : wrong(err, "it has another length");
}

int systembytes_read(struct systembytes *s, const void *bytes, size_t n,
                     struct err *err)
{
    static const size_t sizes[SYSTEMBYTES_PARTS] = {
        sizeof(struct hct_host), sizeof(struct hct_work),
        sizeof(struct hct_seat), sizeof(struct hct_traffic) };
    void *parts[SYSTEMBYTES_PARTS] = { NULL };
    const char *p = (const char *)bytes + sizeof(struct head);
    struct head h;
    int rc = take_head(&h, bytes, n, err);

    *s = (struct systembytes){ .names = NULL };
    for (int i = 0; rc == 0 && i < SYSTEMBYTES_PARTS; i++) {
        rc = take_rows(&parts[i], sizes[i], p, h.n[i], h.each[i], err);
        p += (size_t)h.n[i] * h.each[i];
    }
    if (rc == 0)
        s->in = (struct hct_system){
            .size = sizeof(s->in), .nmoves = h.nmoves, .seq = h.seq,
            .now_ns = h.now_ns, .seed = h.seed, .move_s = h.move_s,
            .move_bytes_s = h.move_bytes_s, .nhosts = h.n[0],
            .nworks = h.n[1], .nseats = h.n[2], .ntraffic = h.n[3] };
    s->in.hosts = parts[0];
    s->in.works = parts[1];
    s->in.seats = parts[2];
    s->in.traffic = parts[3];
    s->in.host_size = sizeof(struct hct_host);
    s->in.work_size = sizeof(struct hct_work);
    s->in.seat_size = sizeof(struct hct_seat);
    s->in.traffic_size = sizeof(struct hct_traffic);
    if (rc == 0 && check_hosts(&s->in, err) == 0 &&
        check_works(&s->in, err) == 0 && check_traffic(&s->in, err) == 0 &&
        take_names(s, p, h.names, err) == 0)
        return 0;
    systembytes_fini(s);
    return -1;
}

void systembytes_fini(struct systembytes *s)
{
    free((void *)(uintptr_t)s->in.hosts);
    free((void *)(uintptr_t)s->in.works);
    free((void *)(uintptr_t)s->in.seats);
    free((void *)(uintptr_t)s->in.traffic);
    free(s->names);
    *s = (struct systembytes){ .names = NULL };
}

const char *systembytes_node(const struct systembytes *s, uint32_t host)
{
    return host < s->in.nhosts && s->names ? s->names[host] : "-";
}
