/* model.c - hector model: how the tasks of a job move from call to call, as one
 * semi-Markov model of all of them, per phase. See model_ask.c for where it
 * comes from, modelview.c for what is shown. */
#include "master/hector/model/model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/model/model_ask.h"
#include "master/hector/model/model_draw.h"
#include "proto/base/parse.h"

enum { MODEL_TOP = 20 };

static int parse_phase(const char *text, int64_t *phase, struct err *err)
{
    uint64_t n;

    *phase = MODELVIEW_ALL;
    if (!text)
        return 0;
    *phase = MODELVIEW_EARLIER;
    if (strcmp(text, "earlier") == 0)
        return 0;
    if (parse_u64(&n, text, 0, UINT32_MAX, NULL))
        return err_set(err, EINVAL, "--phase wants the number of a phase, or"
                       " \"earlier\"; see --phases");
    *phase = (int64_t)n;
    return 0;
}

static int write_out(const struct tool *t, const struct modelview *v)
{
    struct model_text what = {
        .phases = t->phases || (v->model.nphases > 1 && v->phase < 0),
        .steps = !t->phases, .histograms = t->histogram };
    struct str out = { 0 };
    struct err err;
    int status = 0;

    if (t->shape)
        model_draw_dot(&out, v);
    else if (t->json)
        model_draw_json(&out, v);
    else if (model_print(v, &what, &err))
        status = tool_complain(TOOL_FAILED, "%s", err.text);
    if (str_failed(&out))
        status = tool_complain(TOOL_FAILED, "out of memory");
    else
        fwrite(str_text(&out), 1, out.n, stdout);
    if (fflush(stdout))
        status = tool_complain(TOOL_FAILED, "cannot write: %s",
                               strerror(errno));
    for (size_t i = 0; t->shape && i < v->m->n_notes; i++)
        tool_complain(0, "[%s]: %s", v->m->notes[i]->ranks,
                      v->m->notes[i]->text);
    str_fini(&out);
    return status;
}

static int show(const struct tool *t, const Hct__Model *m, int64_t phase,
                const char *title)
{
    uint64_t most = t->count ? t->count : t->json || t->shape ? 0 : MODEL_TOP;
    struct modelview v;
    struct err err;
    int status;

    if (m->n_phase == 0) {
        for (size_t i = 0; i < m->n_notes; i++)
            tool_complain(TOOL_FAILED, "%s [%s]: %s", title,
                          m->notes[i]->ranks, m->notes[i]->text);
        return m->n_notes ? TOOL_FAILED
            : tool_complain(TOOL_FAILED, "%s has no model", title);
    }
    if (modelview_init(&v, m, phase, most, t->json, &err))
        return tool_complain(TOOL_FAILED, "%s: %s", title, err.text);
    v.title = title;
    status = write_out(t, &v);
    modelview_fini(&v);
    return status;
}

static int check(const struct tool *t)
{
    if (t->json && t->shape)
        return tool_complain(TOOL_USAGE, "one of -j and --dot");
    if (t->phase && t->phases)
        return tool_complain(TOOL_USAGE, "one of --phase and --phases");
    if (t->nwords != 1)
        return tool_complain(TOOL_USAGE, "model wants a JOB or a JOB.RANKS");
    return 0;
}

/* What is kept is shown if that is wanted, or there is nothing else. */
static Hct__Model *find(const struct tool *t, const struct target *target,
                        char *title, size_t size)
{
    const char *word = t->words[0];
    bool kept = t->last || (!t->address && model_job_ended(t, target->job));

    if (kept && !target->all) {
        tool_complain(TOOL_FAILED, "%s: what is kept of a job is the model of"
                      " all its tasks", word);
        return NULL;
    }
    if (kept)
        return model_last(t, target->job, title, size);
    snprintf(title, size, "job %.200s", word);
    return model_ask(t, target, word);
}

int model_command(const struct tool *t)
{
    struct target target;
    char title[300] = "";
    Hct__Model *m;
    int64_t phase;
    struct err err;
    int status = check(t);

    if (status)
        return status;
    if (parse_phase(t->phase, &phase, &err) ||
        target_parse(&target, t->words[0], &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    m = find(t, &target, title, sizeof(title));
    target_fini(&target);
    if (!m)
        return TOOL_FAILED;
    status = show(t, m, phase, title);
    hct__model__free_unpacked(m, NULL);
    return status;
}
