/* events.c - Events messages checked and copied into batches, and the
 * acknowledgements back. task->records is the number of the first record
 * that has not come yet. */
#include "master/store/events.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "proto/link/conn.h"

static int events_check(const struct task *t, const Hct__Events *m,
                        struct err *err)
{
    if (m->first > t->records)
        return err_set(err, EPROTO, "event records %llu to %llu of rank %u "
                       "are missing", (unsigned long long)t->records,
                       (unsigned long long)m->first - 1, m->rank);
    for (size_t i = 0; i < m->n_records; i++) {
        const Hct__Events__Record *r = m->records[i];

        if (r->enter_ns == 0 && r->exit_ns == 0)
            return err_set(err, EPROTO, "an event record without a time");
        if (r->enter_ns && r->label >= m->n_labels)
            return err_set(err, EPROTO, "label %u of %zu in an event record",
                           r->label, m->n_labels);
    }
    return 0;
}

static struct journal_batch *events_copy(const Hct__Events *m, size_t skip)
{
    size_t text_bytes = 0;
    struct journal_batch *b;
    char *text;

    for (size_t i = 0; i < m->n_labels; i++)
        text_bytes += m->labels[i].len;
    b = journal_batch_create(m->n_records - skip, m->n_labels, text_bytes);
    if (!b)
        return NULL;
    text = b->text;
    for (size_t i = 0; i < m->n_labels; i++) {
        b->labels[i].text = text;
        b->labels[i].bytes = m->labels[i].len;
        if (m->labels[i].len)
            memcpy(text, m->labels[i].data, m->labels[i].len);
        text += m->labels[i].len;
    }
    for (size_t i = skip; i < m->n_records; i++) {
        const Hct__Events__Record *r = m->records[i];

        b->events[i - skip] = (struct store_event){
            .seq = r->seq, .enter_ns = r->enter_ns, .exit_ns = r->exit_ns,
            .marker = r->marker, .label = r->label, .call = r->call,
            .thread = r->thread };
    }
    return b;
}

int events_take(struct journal *jn, struct job *j, struct job_node *at,
                const Hct__Events *m, struct err *err)
{
    struct task *t = job_task_find(j, m->rank);
    uint64_t upto = m->first + m->n_records;
    struct journal_batch *b;

    if (!t || !job_has_on(j, t, at))
        return err_set(err, EPROTO, "events of rank %u, which is not on this "
                       "node", m->rank);
    if (events_check(t, m, err))
        return -1;
    if (upto <= t->records) {
        events_ack(j, m->rank, t->acked);       /* all of it was here before */
        return 0;
    }
    b = events_copy(m, t->records - m->first);
    if (!b)
        return err_memory(err);
    b->job = j;
    b->node = at->node;
    b->rows.rank = m->rank;
    b->rows.upto = t->records = upto;
    journal_events(jn, b);
    return 0;
}

void events_ack(const struct job *j, uint32_t rank, uint64_t upto)
{
    const struct job_node *n = &j->nodes[j->tasks[rank].node];
    Hct__EventAck m = HCT__EVENT_ACK__INIT;

    m.job = j->id;
    m.rank = rank;
    m.upto = upto;
    if (!n->lost && n->node->link)
        conn_send(n->node->link, MESSAGE_EVENT_ACK, &m);
}

/* ------------------------------------------------------ what did not come */

enum { WHO = 120 };             /* bytes of ranks at most; else how many */

void events_lost_add(struct events_lost *l, uint32_t rank, uint64_t records)
{
    l->records += records;
    if (records)
        taskset_add(&l->who, rank, rank);
}

void events_lost_text(const struct events_lost *l, struct str *to)
{
    size_t n = taskset_count(&l->who);
    char who[WHO];

    if (!l->records)
        return;
    str_addf(to, "%" PRIu64 " record%s of tagged calls of ", l->records,
             l->records == 1 ? "" : "s");
    if (taskset_format(&l->who, who, WHO) < WHO)
        str_addf(to, "task%s %s", n == 1 ? "" : "s", who);
    else
        str_addf(to, "%zu tasks", n);
    str_addf(to, " %s lost: not all of %s events are in the database",
             l->records == 1 ? "is" : "are", n == 1 ? "its" : "their");
}

void events_lost_fini(struct events_lost *l)
{
    taskset_fini(&l->who);
}
