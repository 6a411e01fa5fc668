/* sentence.c - a verdict as people read it, see sentence.h. */
#include "master/findings/sentence.h"

#include <stdio.h>
#include <string.h>

#include "master/findings/remedy.h"
#include "master/watch/verdict.h"

/* What the job is, and what those are that are named, by kind. */
static const struct { const char *job, *tasks; } sentence_of[] = {
    [HCT_HANG] = { "hangs", "faulty" },
    [HCT_DEADLOCK] = { "is deadlocked", "faulty" },
    [HCT_SLOWDOWN] = { "is slow", "faulty" },
    [HCT_OUTLIER] = { "has tasks unlike the others", "odd" },
    [HCT_PROGRESS] = { "has tasks that are behind", "behind" },
    [HCT_DEADLINE] = { "", "" },        /* below */
    [HCT_IMBALANCE] = { "is out of balance", "overloaded" },
    [HCT_NOTICE] = { "", "" },
};

static void say_line(const struct job *j, const struct found *f,
                     uint32_t line, struct str *to)
{
    const struct hct_line *l = &f->lines[line];
    const struct task *t = &j->tasks[l->rank];
    char own[24];
    size_t n = (size_t)snprintf(own, sizeof(own), "rank %d ", l->rank);
    bool again = strncmp(l->text, own, n) == 0;

    str_addf(to, "task %d on %s%s%s", l->rank, job_node_name(j, t),
             again ? " " : ": ", l->text + (again ? n : 0));
    if (f->tags[line][0] && !strstr(l->text, "last tag"))
        str_addf(to, ", last tag \"%s\"", f->tags[line]);
}

/* Of a deadline it depends on what has become of it. */
static const struct { const char *job, *tasks; } sentence_of_deadline[] = {
    [0] = { "is late", "late" },
    [HCT_DEADLINE_DECLINING] = { "will soon be late", "slow" },
    [HCT_DEADLINE_MISSED] = { "is late", "late" },
    [HCT_DEADLINE_MET_AGAIN] = { "is in time again", "in time" },
    [HCT_DEADLINE_NEVER] = { "does not do what is due", "concerned" },
};

static const char *job_is(const struct hct_verdict *v)
{
    return v->kind == HCT_DEADLINE ? sentence_of_deadline[v->what].job
                                   : sentence_of[v->kind].job;
}

static const char *tasks_are(const struct hct_verdict *v)
{
    return v->kind == HCT_DEADLINE ? sentence_of_deadline[v->what].tasks
                                   : sentence_of[v->kind].tasks;
}

/* Without a score nobody can say how sure it is. */
static void say_strength(const struct hct_verdict *v, struct str *to)
{
    const char *where = found_where_name(v->where), *sep = " (";

    if (v->score > 0) {
        str_addf(to, "%s%.*g %% sure", sep, v->score < 0.99 ? 3 : 6,
                 100 * remedy_score(v));
        sep = ", ";
    }
    if (v->age_ns || verdict_is_hang(v)) {
        str_addf(to, "%sfor %.3g s", sep, (double)v->age_ns / 1e9);
        sep = ", ";
    }
    if (*where) {
        str_addf(to, "%serror in %s", sep, where);
        sep = ", ";
    }
    if (sep[0] == ',')
        str_add(to, ")");
}

static void say_head(const struct job *j, const struct hct_verdict *v,
                     const struct found *f, bool back, struct str *to)
{
    const char *sentence = verdict_sentence(f, v), *faulty = "faulty";
    struct str ranks = { 0 };

    str_addf(to, "job %llu", (unsigned long long)j->id);
    if (v->kind == HCT_NOTICE) {
        str_addf(to, ": %s", sentence);
        return;
    }
    if (back) {
        str_add(to, " is moving again");
    } else {
        str_addf(to, " %s", job_is(v));
        if (v->what != HCT_DEADLINE_MET_AGAIN)
            say_strength(v, to);
        faulty = tasks_are(v);
    }
    verdict_ranks(&ranks, f, v);
    if (ranks.n)
        str_addf(to, ", %s: task%s %s", faulty, v->nranks == 1 ? "" : "s",
                 str_text(&ranks));
    str_addf(to, "%s%s", *sentence ? ": " : "", sentence);
    str_fini(&ranks);
}

void sentence_report(struct str *to, const struct job *j,
                     const struct found *f, const struct hct_verdict *v,
                     bool back)
{
    say_head(j, v, f, back, to);
    str_add(to, "\n");
    for (uint32_t i = 1; i < v->nlines; i++) {
        const struct hct_line *l = &f->lines[v->lines + i];

        str_add(to, "  ");
        if (l->rank == HCT_NONE)
            str_add(to, l->text);
        else
            say_line(j, f, v->lines + i, to);
        str_add(to, "\n");
    }
}
