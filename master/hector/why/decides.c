/* decides.c - see decides.h. Calls on the way to where a task is are in its stack,
 * which is shown besides. */
#include "master/hector/why/decides.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "master/store/query.h"
#include "proto/base/paths.h"

enum { DECIDES_TASKS = 2, DECIDES_LINES = 3, DECIDES_READ = 10 };

struct telling {
    struct str *to;             /* borrowed */
    uint64_t job;
    int64_t rank, all, told;    /* rank -1: none is begun; all: lines it has */
};

static const char *text_of(const struct store_value *v)
{
    return v->type == STORE_TEXT ? v->text : "";
}

static void add_place(struct str *to, const struct store_value *file,
                      const struct store_value *line)
{
    str_addf(to, "%s:%" PRId64, paths_base(text_of(file)),
             line->type == STORE_INT ? line->i : 0);
}

static void end(struct telling *t)
{
    if (t->rank < 0)
        return;
    if (t->told)
        str_addf(t->to, "; all %" PRId64 ": hector why %" PRIu64 " --slice %"
                 PRId64, t->all, t->job, t->rank);
    str_add(t->to, "\n");
    t->rank = -1;
}

static void begin(struct telling *t, const struct store_value *v)
{
    const char *in = strstr(text_of(&v[5]), ", in ");

    end(t);
    t->rank = v[0].i;
    t->all = v[6].i;
    t->told = 0;
    str_addf(t->to, "the lines that decide that task %" PRId64 " stays in %s (",
             t->rank, in ? in + strlen(", in ") : text_of(&v[2]));
    add_place(t->to, &v[3], &v[4]);
    str_add(t->to, "), the nearest first:\n");
}

static int on_line(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    struct telling *t = arg;
    const char *reason = text_of(&v[5]), *reader = strstr(reason, ", read at ");

    (void)ncols, (void)names;
    if (v[1].i == 1) {
        begin(t, v);
        return 0;
    }
    if (t->told == DECIDES_LINES || strstr(reason, ", on the way there"))
        return 0;
    str_add(t->to, t->told++ ? "; " : "  ");
    add_place(t->to, &v[3], &v[4]);
    str_add(t->to, " ");
    str_add_bytes(t->to, reason, reader ? (size_t)(reader - reason)
                                        : strlen(reason));
    return 0;
}

void decides_of_job(struct str *to, struct store *st, uint64_t job)
{
    struct telling t = { .to = to, .job = job, .rank = -1 };
    const struct query_rows rows = { NULL, on_line, &t };

    query_slice_heads(st, job, DECIDES_TASKS, DECIDES_READ, &rows, NULL);
    end(&t);
}
