/* fuzz_operator.c - a master says anything to hector(1): kill, suspend, tree,
 * model and stack come to an end, with an answer or with a sentence.
 *
 * The who of the first steps is the command. The master says all it has to say
 * as soon as somebody comes, and then nothing more. */
#include "tests/fuzz/peers.h"

#include <pthread.h>
#include <stdarg.h>

#include "master/hector/commands.h"
#include "master/hector/model/model.h"
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

struct store *tool_open_store(const struct tool *t)
{
    (void)t;
    return NULL;                /* the address is known without it */
}

static void ask(unsigned how)
{
    static const char shapes[] = { 0, 'D', 'F', 'G', 'H' };
    char job[] = "7", ranks[] = "7.0-1", none[] = "", *word = job;
    struct tool t = { .address = where, .nwords = 1, .words = &word };
    int status;

    t.json = how >> 3 & 1;
    if (how >> 7 & 1) {
        t.shape = how & 1 && !t.json ? 'D' : 0;
        t.histogram = how >> 1 & 1;
        t.phases = how >> 2 & 1;
        status = model_command(&t);
        assert(status == 0 || status == TOOL_FAILED);
        return;
    }
    t.lines = how >> 4 & 1;
    if (how >> 5 & 1)
        word = ranks;
    switch (how & 7) {
    case 0:
        status = kill_command(&t);
        break;
    case 1:
        t.signal = 10;
        status = kill_command(&t);
        break;
    case 2:
        status = suspend_command(&t);
        break;
    case 3:
        t.nwords = how >> 5 & 1;
        word = t.nwords ? job : none;
        status = tree_command(&t);
        break;
    default:
        t.shape = shapes[(how & 3) + (how >> 6 & 1)];
        t.json = t.json && !t.shape;
        status = stack_command(&t);
    }
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
