/* journal_aside.c - a database in memory stands in for the file while that
 * cannot be written, and goes into it when it can.
 *
 * Invariants. `aside` is true exactly while the store is such a one. `why` has
 * a code until people have been told; of a file that is only locked they are
 * told when that has gone on for long, or when the file has a job of the same
 * number, which they have to know (taken). path is NULL when there is no hope. */
#include "master/store/journal_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "master/store/query.h"
#include "proto/base/log.h"

static const uint64_t journal_return_ns = 500 * MS;
static const uint64_t journal_tell_ns = 30000 * MS;     /* locked for long */

bool journal_may_return(const struct err *why)
{
    return why->code == EBUSY || why->code == ENOSPC || why->code == EIO ||
           why->code == EDQUOT;
}

/* People are told why, once. */
static void journal_complain(struct journal *jn)
{
    char text[sizeof(jn->why.text) + 64];

    snprintf(text, sizeof(text), "%s: the run goes on, its record %s",
             jn->why.text, jn->path ? "waits in memory" : "is lost");
    jn->why.code = 0;
    jn->told = true;
    jn->ops->told(jn->arg, text, true);
}

void journal_set_aside(struct journal *jn, const struct err *why)
{
    jn->aside = true;
    jn->why = *why;
    jn->tell_at = clock_monotonic_ns() + journal_tell_ns;
    if (why->code != EBUSY || !jn->path)
        journal_complain(jn);
}

/* Nothing of the store that stands in can be kept any more. */
static void journal_give_up(struct journal *jn, const struct err *why)
{
    log_warn("journal", "%s", why->text);
    free(jn->path);
    jn->path = NULL;
}

void journal_replace(struct journal *jn, const struct err *why)
{
    struct err err;
    struct store *fresh = store_open(":memory:", &err);

    if (!jn->aside)             /* another's may be higher than all of ours */
        query_last_number(jn->store, &jn->last_job, NULL);
    if (!fresh || store_seed(fresh, jn->last_job, &err)) {
        log_warn("journal", "%s", err.text);
        store_close(fresh);
        return;                         /* the timer tries again */
    }
    store_close(jn->store);
    jn->store = fresh;
    jn->master_dirty = true;
    if (jn->aside || !journal_may_return(why))
        journal_give_up(jn, why);       /* memory is full too, or no hope */
    jn->busy_since = 0;
    jn->return_at = clock_monotonic_ns() + journal_return_ns;
    journal_set_aside(jn, why);
    jn->ops->replaced(jn->arg);
    if (jn->path)
        journal_wake(jn, journal_return_ns);
}

static void journal_say_returned(struct journal *jn)
{
    char text[sizeof(jn->why.text)];

    snprintf(text, sizeof(text), "%.150s can be written again, nothing of the "
             "record is lost", jn->path);
    if (jn->told)
        jn->ops->told(jn->arg, text, false);
    else
        log_info("journal", "%s", text);
    jn->told = false;
    jn->why.code = 0;
}

/* The file can perhaps be written again. */
int journal_settle(struct journal *jn, struct err *err)
{
    struct store *file;

    if (!jn->aside)
        return 0;
    if (!jn->path)
        return err_set(err, ENODEV, "there is no database");
    jn->return_at = clock_monotonic_ns() + journal_return_ns;
    file = store_open_now(jn->path, err);
    if (!file || store_merge(jn->store, jn->path, err)) {
        store_close(file);
        return -1;
    }
    store_close(jn->store);
    jn->store = file;
    jn->aside = false;
    jn->master_dirty = true;
    if (jn->ending)
        return 0;
    journal_wake(jn, 0);
    journal_say_returned(jn);
    jn->ops->replaced(jn->arg);
    return 0;
}

/* Two that began while it was locked have taken the same number. */
static void journal_say_taken(struct journal *jn)
{
    char text[sizeof(jn->why.text) + 100];

    snprintf(text, sizeof(text), "%.150s can be written again, but has a job of "
             "that number: the record follows when this one has ended",
             jn->path);
    jn->ops->told(jn->arg, text, false);
    jn->why.code = 0;
    jn->told = jn->taken = true;
}

void journal_try_to_return(struct journal *jn, uint64_t now)
{
    struct err err;

    if (!jn->aside || !jn->path)
        return;
    if (now >= jn->return_at && journal_settle(jn, &err)) {
        log_debug("journal", "%s", err.text);
        if (err.code == EAGAIN && !jn->taken && (jn->told || now >= jn->tell_at))
            journal_say_taken(jn);      /* a short job has ended before */
    }
    if (!jn->aside)
        return;
    if (jn->why.code && now >= jn->tell_at)
        journal_complain(jn);
    journal_wake(jn, journal_return_ns);
}

/* Numbers that the file does not have, if it can be read at least. */
int journal_seed(struct journal *jn, struct err *err)
{
    struct store *file = NULL;

    if (!jn->aside)
        return 0;
    if (jn->path)
        file = store_open_readonly(jn->path, NULL);
    if (file)
        query_last_number(file, &jn->last_job, NULL);
    store_close(file);
    return store_seed(jn->store, jn->last_job, err);
}
