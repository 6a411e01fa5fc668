/* model_ask.c - the models of a job's tasks: from its master, by a reduction of
 * the kind "model", or the last one that is kept. */
#include "master/hector/model/model_ask.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "master/hector/core/ask.h"
#include "master/hector/core/human.h"
#include "master/hector/core/seek.h"
#include "master/store/query.h"
#include "proto/base/clock.h"

/* For the slaves: names may have to be looked up in binaries first. */
#define WAIT_NS (20 * CLOCK_NS_PER_S)

/* ---------------------------------------------------------------- a master */

static int gather(const struct tool *t, const struct target *target,
                  const struct model_how *mh, struct ask *answer,
                  struct err *err)
{
    Hct__Gather m = HCT__GATHER__INIT;
    Hct__ModelAsk how = HCT__MODEL_ASK__INIT;
    char address[ADDR_LIST_MAX], ranks[4096];
    uint8_t argument[4200];

    if (target_ranks(target, ranks, sizeof(ranks), err) ||
        seek_master(t, target->job, address, err))
        return -1;
    how.ranks = ranks;
    how.histograms = mh->histograms;
    how.window = mh->window;
    m.kind = (char *)"model";
    m.argument.len = hct__model_ask__pack(&how, argument);
    m.argument.data = argument;
    m.job = target->job;
    m.wait_ns = WAIT_NS;
    return ask_gather(answer, address, &m, err);
}

Hct__Model *model_ask(const struct tool *t, const struct target *target,
                      const char *word, const struct model_how *how,
                      struct err *err)
{
    const struct taskset *ranks = &target->ranks;
    uint32_t last = ranks->n ? ranks->v[ranks->n - 1].last : 0;
    Hct__Model *m = NULL;
    struct ask answer;

    if (gather(t, target, how, &answer, err)) {
        err_prefix(err, "%s", word);
        return NULL;
    }
    m = hct__model__unpack(NULL, answer.bytes.n,
                           (const uint8_t *)str_text(&answer.bytes));
    if (!m) {
        err_set(err, EBADMSG, "%s: the master's answer makes no sense", word);
    } else if (ranks->n && m->width && last >= m->width) {
        err_set(err, ESRCH, "job %" PRIu64 " has %u tasks: there is no task %u",
                target->job, m->width, last);
        hct__model__free_unpacked(m, NULL);
        m = NULL;
    } else {
        ask_add_absent(&answer, &m->notes, &m->n_notes);
    }
    ask_fini(&answer);
    return m;
}

/* ------------------------------------------------------------ the database */

struct found { Hct__Model *m; uint64_t at_ns; bool any; };

static int on_model(void *arg, const struct store_model *row)
{
    struct found *f = arg;

    f->any = true;
    f->at_ns = row->at_ns;
    f->m = hct__model__unpack(NULL, row->model.n, row->model.p);
    return 1;
}

static int find(struct store *st, uint64_t job, struct found *f,
                struct err *err)
{
    bool ended;

    if (query_job_ended(st, job, &ended, err))
        return -1;
    if (query_model(st, job, on_model, f, err))
        return -1;
    if (!f->any)
        return err_set(err, ENOENT, "no model of job %" PRIu64 " is kept%s",
                       job, ended ? ": its tasks have told none"
                       : " yet: it runs, and nobody has asked for it");
    if (!f->m)
        return err_set(err, EBADMSG, "the model that is kept of job %" PRIu64
                       " makes no sense", job);
    return 0;
}

Hct__Model *model_last(const struct tool *t, uint64_t job, char *title,
                       size_t size)
{
    struct store *st = tool_open_store(t);
    struct found f = { 0 };
    char at[HUMAN_MAX];
    struct err err;

    if (st && find(st, job, &f, &err)) {
        tool_complain(TOOL_FAILED, "%s", err.text);
    } else if (st) {
        human_time(at, f.at_ns, clock_wall_ns());
        snprintf(title, size, "job %" PRIu64 " at %s", job, at);
    }
    store_close(st);
    return f.m;
}

bool model_job_ended(const struct tool *t, uint64_t job)
{
    struct store *st = tool_open_store(t);
    bool ended = false;

    if (st && query_job_ended(st, job, &ended, NULL))
        ended = false;
    store_close(st);
    return ended;
}
