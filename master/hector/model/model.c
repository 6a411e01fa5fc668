/* model.c - hector model: how the tasks of a job move from call to call, as one
 * semi-Markov model of all of them, per phase. See model_ask.c for where it
 * comes from, modelview.c for what is shown. */
#include "master/hector/model/model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/core/human.h"
#include "master/hector/model/model_ask.h"
#include "master/hector/model/model_draw.h"
#include "master/hector/model/model_options.h"
#include "proto/base/parse.h"

enum { MODEL_TOP = 20 };

static const struct model_options defaults;

#define OPTION(f) offsetof(struct model_options, f)
static const struct args_option options[] = {
    { NULL, "n count", ARGS_VALUE, "N", "the first N",
      args_u64, OPTION(count), 1, INT32_MAX },
    { NULL, "last", ARGS_NONE, NULL, "what is kept of the last time",
      args_flag, OPTION(last), 0, 0 },
    { NULL, "phase", ARGS_VALUE, "P", "of this phase; or of those \"earlier\"",
      args_text, OPTION(phase), 0, 0 },
    { NULL, "window", ARGS_VALUE, "W", "of the current \"phase\", or of the"
      " \"last\" minutes", args_text, OPTION(window), 0, 0 },
    { NULL, "phases", ARGS_NONE, NULL, "the phases only",
      args_flag, OPTION(phases), 0, 0 },
    { NULL, "histogram", ARGS_NONE, NULL, "with histograms of the times",
      args_flag, OPTION(histogram), 0, 0 },
    { NULL, "dot", ARGS_NONE, NULL, "for Graphviz",
      args_flag, OPTION(dot), 0, 0 },
};

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
    const struct model_options *o = t->own;
    struct model_text what = {
        .phases = o->phases || (v->model.nphases > 1 && v->phase < 0),
        .steps = !o->phases, .histograms = o->histogram };
    struct str out = { 0 };
    struct err err;
    int status = 0;

    if (o->dot)
        model_draw_dot(&out, v);
    else if (t->json)
        model_draw_json(&out, v);
    else if (model_print(v, &what, &err))
        status = tool_complain(TOOL_FAILED, "%s", err.text);
    status = tool_answer(&out, status);
    for (size_t i = 0; o->dot && i < v->m->n_notes; i++)
        tool_complain(0, "[%s]: %s", v->m->notes[i]->ranks,
                      v->m->notes[i]->text);
    str_fini(&out);
    return status;
}

static int show(const struct tool *t, const Hct__Model *m, int64_t phase,
                const char *title)
{
    const struct model_options *o = t->own;
    uint64_t most = o->count ? o->count : t->json || o->dot ? 0 : MODEL_TOP;
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
    const struct model_options *o = t->own;

    if (t->json && o->dot)
        return tool_complain(TOOL_USAGE, "one of -j and --dot");
    if (o->phase && o->phases)
        return tool_complain(TOOL_USAGE, "one of --phase and --phases");
    if (o->window && strcmp(o->window, "phase") != 0 &&
        strcmp(o->window, "last") != 0)
        return tool_complain(TOOL_USAGE, "--window wants \"phase\" or"
                             " \"last\"");
    if (o->window && (o->phase || o->phases))
        return tool_complain(TOOL_USAGE, "one of --window, --phase and"
                             " --phases");
    if (o->window && o->last)
        return tool_complain(TOOL_USAGE, "one of --window and --last: what is"
                             " kept is of all the time");
    if (o->window && strcmp(o->window, "last") == 0 && o->histogram)
        return tool_complain(TOOL_USAGE, "--window last has no histograms");
    if (t->nwords != 1)
        return tool_complain(TOOL_USAGE, "model wants a JOB or a JOB.RANKS");
    return 0;
}

/* Of a stretch of time its length is known of the task that has the longest. */
static void name_time(const struct model_options *o, const Hct__Model *m,
                      const char *word, char *title, size_t size)
{
    char age[HUMAN_MAX];
    uint64_t longest_ns = 0;

    for (size_t i = 0; m && i < m->n_phases; i++)
        if (m->phases[i]->age_ns > longest_ns)
            longest_ns = m->phases[i]->age_ns;
    human_duration(age, longest_ns < INT64_MAX ? (int64_t)longest_ns
                                               : INT64_MAX);
    if (!o->window)
        snprintf(title, size, "job %.200s", word);
    else
        snprintf(title, size, "job %.200s, %s %s", word,
                 *o->window == 'l' ? "the last" : "since its phase began,", age);
}

static uint32_t window_of(const struct model_options *o)
{
    return !o->window ? 0 : *o->window == 'p' ? 1 : 2;
}

/* What is kept is shown if that is wanted, or there is nothing else. */
static Hct__Model *find(const struct tool *t, const struct target *target,
                        char *title, size_t size)
{
    const struct model_options *o = t->own;
    const char *word = t->words[0];
    Hct__Model *m;
    struct err err;
    bool kept = o->last || (!t->address && model_job_ended(t, target->job));

    if (kept && !target->all) {
        tool_complain(TOOL_FAILED, "%s: what is kept of a job is the model of"
                      " all its tasks", word);
        return NULL;
    }
    if (kept && o->window) {
        tool_complain(TOOL_FAILED, "%s: what is kept of a job is the model of"
                      " all its time", word);
        return NULL;
    }
    if (kept)
        return model_last(t, target->job, title, size);
    m = model_ask(t, target, word,
                  &(struct model_how){ .histograms = o->histogram,
                                       .window = window_of(o) }, &err);
    if (m)
        name_time(o, m, word, title, size);
    else
        tool_complain(TOOL_FAILED, "%s", err.text);
    return m;
}

static int run_model(const struct tool *t)
{
    const struct model_options *o = t->own;
    struct target target;
    char title[300] = "";
    Hct__Model *m;
    int64_t phase;
    struct err err;
    int status = check(t);

    if (status)
        return status;
    if (parse_phase(o->phase, &phase, &err) ||
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

const struct command model_command = {
    "model", "JOB[.RANKS]", "how the tasks move from call to call",
    COMMAND_OPTIONS(options, defaults), run_model
};
