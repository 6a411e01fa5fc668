/* fuzz_operator.c - a master says anything to hector(1): kill, suspend, drain, tree,
 * optimize, model and stack come to an end, with an answer or with a sentence.
 *
 * The who of the first steps is the command. The master says all it has to say
 * as soon as somebody comes, and then nothing more. */
#include "tests/fuzz/peers.h"

#include <pthread.h>
#include <stdarg.h>

#include "master/hector/commands.h"
#include "master/hector/model/model.h"
#include "master/hector/plan/optimize.h"
#include "master/hector/stack/stack.h"

static int listening;
static char where[64];
static const struct step *steps;        /* of the present input */
static size_t nsteps;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    listening = peers_listen(where);
    return 0;
}

static void *master(void *arg)
{
    (void)arg;
    peers_tell_all(accept4(listening, NULL, NULL, SOCK_CLOEXEC), steps,
                   nsteps);
    return NULL;
}

/* Of core/tool.c. */
int tool_complain(int status, const char *fmt, ...)
{
    char text[8192];
    va_list ap;

    va_start(ap, fmt);
    assert(vsnprintf(text, sizeof(text), fmt, ap) > 0);
    va_end(ap);
    return status;
}

int tool_answer(const struct str *out, int status)
{
    assert(!str_failed(out));
    return status;
}

struct store *tool_open_store(const struct tool *t)
{
    (void)t;
    return NULL;                /* the address is known without it */
}

/* A command, and what of its options is given. */
struct asked {
    const struct command *c;
    _Alignas(max_align_t) char own[COMMAND_OWN_BYTES];
};

static void choose(struct asked *a, const struct command *c)
{
    *a = (struct asked){ .c = c };
    if (c->own_bytes)
        memcpy(a->own, c->defaults, c->own_bytes);
}

static void give(struct asked *a, bool given, const char *name,
                 const char *value)
{
    struct args_given g = {
        .row = args_find(a->c->options, a->c->noptions, name),
        .option = name, .value = value };
    struct err err;

    assert(g.row);
    if (given)
        assert(g.row->take(a->own, &g, &err) == 0);
}

static void ask(unsigned how)
{
    static const char *const shapes[] = { NULL, "dot", "folded", "svg",
                                          "html" };
    char job[] = "7", ranks[] = "7.0-1", none[] = "", *word = job;
    struct tool t = { .address = where, .nwords = 1, .words = &word };
    const char *shape;
    struct asked a;
    int status;

    t.json = how >> 3 & 1;
    if (how >> 7 & 1) {
        choose(&a, &model_command);
        give(&a, how & 1 && !t.json, "dot", NULL);
        give(&a, how >> 1 & 1, "histogram", NULL);
        give(&a, how >> 2 & 1, "phases", NULL);
    } else if ((how & 7) < 2) {
        choose(&a, &kill_command);
        give(&a, how & 1, "signal", "10");
    } else if ((how & 7) == 2 && how >> 6 & 1) {
        choose(&a, &drain_command);
        give(&a, how >> 4 & 1, "to", "n2,n3");
    } else if ((how & 7) == 2) {
        choose(&a, &suspend_command);
    } else if ((how & 7) == 3 && how >> 6 & 1) {
        choose(&a, &optimize_command);
        give(&a, how >> 4 & 1, "dry-run", NULL);
        give(&a, how >> 4 & 1, "nodes", NULL);
        t.nwords = 0;
    } else if ((how & 7) == 3) {
        choose(&a, &tree_command);
        t.nwords = how >> 5 & 1;
        word = t.nwords ? job : none;
    } else {
        choose(&a, &stack_command);
        shape = shapes[(how & 3) + (how >> 6 & 1)];
        if (shape)
            give(&a, true, shape, NULL);
        t.json = t.json && !shape;
        give(&a, how >> 4 & 1, "lines", NULL);
    }
    if ((how & 7) != 3 && !(how >> 7 & 1) && how >> 5 & 1)
        word = ranks;
    t.own = a.own;
    status = a.c->run(&t);
    assert(status == 0 || status == TOOL_FAILED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct step v[STEP_MAX];
    pthread_t thread;

    nsteps = steps_parse(v, data, size);
    steps = v;
    if (nsteps == 0)
        return 0;
    assert(!pthread_create(&thread, NULL, master, NULL));
    ask(v[0].who ^ (nsteps > 1 ? v[1].who << 3 : 0));
    pthread_join(thread, NULL);
    return 0;
}
