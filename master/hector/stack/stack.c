/* stack.c - hector stack: where the tasks of a job are, or any processes of
 * this node.
 *
 * A job's tree comes from its master (stack_ask.c), or is the last one that
 * is kept (stack_last.c); that of processes comes from hector-slave --stack,
 * which needs no daemon. */
#include "master/hector/stack/stack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "master/hector/stack/stack_ask.h"
#include "master/hector/stack/stack_draw.h"
#include "master/hector/stack/stack_last.h"
#include "master/hector/stack/stack_options.h"
#include "proto/base/paths.h"

enum { ANSWER_MAX = 1 << 30 };

static const struct stack_options defaults = { .interval_ms = 100 };

/* One of --dot, --folded, --svg and --html; which, the row says. */
static int take_shape(void *to, const struct args_given *g, struct err *err)
{
    enum stack_shape *shape = args_at(to, g);

    if (*shape && *shape != (enum stack_shape)g->row->min)
        return err_set(err, EINVAL, "one of --dot, --folded, --svg and --html");
    *shape = (enum stack_shape)g->row->min;
    return 0;
}

#define OPTION(f) offsetof(struct stack_options, f)
static const struct args_option options[] = {
    { NULL, "a all", ARGS_NONE, NULL, "also what is inside of MPI",
      args_flag, OPTION(all), 0, 0 },
    { NULL, "samples", ARGS_VALUE, "N",
      "look N times: a tree over tasks and samples (3D in STAT), not over "
      "tasks alone (2D)", args_u64, OPTION(samples), 1, 1000 },
    { NULL, "interval", ARGS_VALUE, "MS",
      "... so many milliseconds apart (100)",
      args_u64, OPTION(interval_ms), 0, 3600000 },
    { NULL, "lines", ARGS_NONE, NULL, "with source files and lines",
      args_flag, OPTION(lines), 0, 0 },
    { NULL, "threads", ARGS_NONE, NULL, "of all threads",
      args_flag, OPTION(threads), 0, 0 },
    { NULL, "pid", ARGS_VALUE, "P,...", "of these processes, without a job",
      args_text, OPTION(pids), 0, 0 },
    { NULL, "last", ARGS_NONE, NULL, "what is kept of the last time",
      args_flag, OPTION(last), 0, 0 },
    { NULL, "dot", ARGS_NONE, NULL, "for Graphviz",
      take_shape, OPTION(shape), STACK_DOT, 0 },
    { NULL, "folded", ARGS_NONE, NULL, "for flame graphs",
      take_shape, OPTION(shape), STACK_FOLDED, 0 },
    { NULL, "svg", ARGS_NONE, NULL, "as a picture",
      take_shape, OPTION(shape), STACK_SVG, 0 },
    { NULL, "html", ARGS_NONE, NULL, "as a page",
      take_shape, OPTION(shape), STACK_HTML, 0 },
};

/* ------------------------------------------------------------- processes */

static pid_t start_taking(const struct tool *t, int *out, struct err *err)
{
    const struct stack_options *o = t->own;
    char program[PATHS_MAX], samples[24], interval[24];
    int fds[2];
    pid_t pid;

    if (paths_sibling("hector-slave", program, sizeof(program), err))
        return -1;
    snprintf(samples, sizeof(samples), "%" PRIu64, o->samples ? o->samples : 1);
    snprintf(interval, sizeof(interval), "%" PRIu64, o->interval_ms * 1000000);
    if (pipe(fds))
        return err_sys(err, "cannot make a pipe");
    pid = fork();
    if (pid == 0) {
        dup2(fds[1], STDOUT_FILENO);
        close(fds[0]);
        close(fds[1]);
        execl(program, program, "--stack", "--", o->pids, samples, interval,
              o->lines ? "1" : "0", o->threads ? "1" : "0", (char *)NULL);
        fprintf(stderr, "hector: cannot start %s: %s\n", program,
                strerror(errno));
        _exit(127);
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return err_sys(err, "cannot start hector-slave");
    }
    *out = fds[0];
    return pid;
}

static int read_all(int fd, struct str *to)
{
    char part[65536];
    ssize_t n;

    while ((n = read(fd, part, sizeof(part))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || to->n > ANSWER_MAX)
            return -1;
        str_add_bytes(to, part, (size_t)n);
    }
    return str_failed(to) ? -1 : 0;
}

/* NULL after having complained. */
static Hct__CallTree *take_processes(const struct tool *t)
{
    Hct__CallTree *m = NULL;
    struct str bytes = { 0 };
    struct err err;
    int fd = -1, status = 0;
    pid_t pid = start_taking(t, &fd, &err);

    if (pid < 0) {
        tool_complain(TOOL_FAILED, "%s", err.text);
        return NULL;
    }
    if (read_all(fd, &bytes) == 0)
        m = hct__call_tree__unpack(NULL, bytes.n,
                                   (const uint8_t *)str_text(&bytes));
    close(fd);
    str_fini(&bytes);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (m && status) {
        hct__call_tree__free_unpacked(m, NULL);
        m = NULL;
    }
    if (!m && status == 0)
        tool_complain(TOOL_FAILED, "hector-slave said nothing sensible");
    return m;
}

/* ----------------------------------------------------------------- drawing */

static unsigned terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");

    if (!isatty(STDOUT_FILENO))
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return columns ? (unsigned)atoi(columns) : 80;
}

/* As no-color.org has it: set, and not to nothing. */
static bool wants_colour(void)
{
    const char *no = getenv("NO_COLOR");

    return isatty(STDOUT_FILENO) && !(no && *no);
}

static void draw(const struct tool *t, const struct callview *v,
                 struct str *out)
{
    const struct stack_options *o = t->own;
    struct stack_text_style style = {
        .colour = wants_colour(),
        .width = terminal_width() };

    switch (o->shape) {
    case STACK_DOT: stack_draw_dot(out, v); break;
    case STACK_FOLDED: stack_draw_folded(out, v); break;
    case STACK_SVG: stack_draw_svg(out, v); break;
    case STACK_HTML: stack_draw_html(out, v); break;
    default:
        if (t->json)
            stack_draw_json(out, v);
        else
            stack_draw_text(out, v, &style);
    }
}

/* A task without a stack is said on stderr where the shape has no place for
 * it. */
static void complain_notes(const struct tool *t, const Hct__CallTree *m)
{
    const struct stack_options *o = t->own;

    if (o->shape == STACK_TEXT || o->shape == STACK_HTML)
        return;
    for (size_t i = 0; i < m->n_notes; i++)
        tool_complain(0, "[%s]: %s", m->notes[i]->ranks, m->notes[i]->text);
}

static int show(const struct tool *t, const Hct__CallTree *m,
                const char *title)
{
    const struct stack_options *o = t->own;
    struct callview v;
    struct str out = { 0 };
    struct err err;
    int status = 0;

    if (m->tree.len == 0) {
        for (size_t i = 0; i < m->n_notes; i++)
            tool_complain(0, "[%s]: %s", m->notes[i]->ranks,
                          m->notes[i]->text);
        return tool_complain(TOOL_FAILED, "%s: %s", title, m->n_notes
                             ? "no stack could be taken" : "it has no tasks");
    }
    if (callview_init(&v, m, !o->all && o->shape != STACK_HTML, &err))
        return tool_complain(TOOL_FAILED, "%s", err.text);
    v.title = title;
    v.processes = o->pids != NULL;
    draw(t, &v, &out);
    status = tool_answer(&out, status);
    complain_notes(t, m);
    if (v.ntasks == 0)
        status = tool_complain(TOOL_FAILED, "no stack could be taken");
    callview_fini(&v);
    str_fini(&out);
    return status;
}

static int run_stack(const struct tool *t)
{
    const struct stack_options *o = t->own;
    char title[300];
    Hct__CallTree *m;
    int status;

    if (t->json && o->shape)
        return tool_complain(TOOL_USAGE, "one of -j, --dot, --folded, --svg"
                             " and --html");
    if (o->last && (o->pids || o->samples || o->lines || o->threads))
        return tool_complain(TOOL_USAGE, "--last shows what is kept: no --pid,"
                             " --samples, --lines or --threads with it");
    if (o->pids ? t->nwords != 0 : t->nwords != 1)
        return tool_complain(TOOL_USAGE, "stack wants a JOB, a JOB.RANKS or"
                             " --pid P,...");
    if (o->pids) {
        snprintf(title, sizeof(title), strlen(o->pids) > 40
                 ? "processes %.37s..." : "processes %s", o->pids);
        m = take_processes(t);
    } else if (o->last) {
        m = stack_last(t, t->words[0], title, sizeof(title));
    } else {
        snprintf(title, sizeof(title), "job %.200s", t->words[0]);
        m = stack_ask(t, t->words[0]);
    }
    if (!m)
        return TOOL_FAILED;
    status = show(t, m, title);
    hct__call_tree__free_unpacked(m, NULL);
    return status;
}

const struct command stack_command = {
    "stack", "JOB[.RANKS]", "where the tasks are",
    COMMAND_OPTIONS(options, defaults), run_stack
};
