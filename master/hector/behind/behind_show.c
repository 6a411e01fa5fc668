/* behind_show.c - see behind_show.h. */
#include "master/hector/behind/behind_show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/behind/behind_ask.h"
#include "master/hector/behind/behind_draw.h"
#include "master/hector/core/human.h"
#include "master/store/query.h"
#include "proto/base/clock.h"

static void draw(struct str *out, const struct tool *t, const struct behind *b,
                 uint64_t job, enum behind_shape shape)
{
    char at[HUMAN_MAX], title[HUMAN_MAX + 40];

    human_time(at, b->at_ns, clock_wall_ns());
    snprintf(title, sizeof(title), "job %" PRIu64 " at %s", job, at);
    if (t->json) {
        behind_draw_json(out, b);
    } else if (shape == BEHIND_DOT) {
        behind_draw_dot(out, b, title);
    } else if (shape == BEHIND_SVG) {
        behind_draw_svg(out, b, title);
    } else if (shape == BEHIND_HTML) {
        behind_draw_html(out, b, title);
    } else {
        str_addf(out, "%s\n", title);
        behind_draw_text(out, b);
    }
}

static int find(struct behind *b, const struct tool *t, struct store *st,
                uint64_t job, struct err *err)
{
    bool ended;

    if (query_job_ended(st, job, &ended, err) || behind_read(b, st, job, err))
        return -1;
    if (!ended)
        return behind_ask(b, t, st, job, err);
    if (b->n == 0)
        return err_set(err, ENOENT, "it is not known who was behind in job %"
                       PRIu64 ": policy progress did not watch it, or found "
                       "nothing", job);
    return 0;
}

int behind_show(const struct tool *t, struct store *st, uint64_t job,
                enum behind_shape shape)
{
    struct behind b = { 0 };
    struct str out = { 0 };
    struct err err;
    int status = 0;

    if (find(&b, t, st, job, &err)) {
        status = tool_complain(TOOL_FAILED, "%s", err.text);
    } else {
        draw(&out, t, &b, job, shape);
        status = tool_answer(&out, 0);
    }
    str_fini(&out);
    behind_fini(&b);
    return status;
}
