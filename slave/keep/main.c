/* main.c - hector-keep(8): files of checkpoints, as the user of the job. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/args.h"
#include "proto/base/array.h"
#include "proto/base/limits.h"
#include "proto/base/parse.h"
#include "proto/base/taskset.h"
#include "proto/conf/checkpointfile.h"
#include "slave/keep/copy.h"
#include "slave/keep/images.h"
#include "slave/keep/keepdir.h"
#include "slave/keep/pack.h"

enum { PART = 64 << 10 };
#define MOST ((size_t)1 << 30)          /* what says all of a checkpoint */

struct options {
    bool first;
    const char *local;          /* NULL: not said */
    uint64_t rate;
};

static int take_rate(void *to, const struct args_given *g, struct err *err)
{
    return parse_bytes(args_at(to, g), g->value, err)
           ? err_prefix(err, "%s", g->option) : 0;
}

static const struct args_option options[] = {
    { NULL, "f first", ARGS_NONE, NULL, "begin: remove what earlier tries left",
      args_flag, offsetof(struct options, first), 0, 0 },
    { NULL, "l local", ARGS_VALUE, "LOCAL",
      "images are written there first, on this node", args_text,
      offsetof(struct options, local), 0, 0 },
    { NULL, "r rate", ARGS_VALUE, "BYTES",
      "copy: so many a second at most; also 50M", take_rate,
      offsetof(struct options, rate), 0, 0 },
    ARGS_COMMON
};

static const struct args_program program = {
    "hector-keep",
    "usage: hector-keep begin [--first] [--local LOCAL] DIR NUMBER\n"
    "       hector-keep write DIR NUMBER RANK\n"
    "       hector-keep check DIR NUMBER RANKS\n"
    "       hector-keep copy --local LOCAL [--rate BYTES] DIR NUMBER RANKS\n"
    "       hector-keep seal DIR NUMBER [OLDER]\n"
    "       hector-keep drop [--local LOCAL] DIR NUMBER\n"
    "       hector-keep unpack <IMAGE\n"
    "hector-slave starts it for checkpoints of jobs: hector-keep(8).\n",
    options, sizeof(options) / sizeof(options[0])
};

/* What all commands are about. */
struct call {
    const struct options *options;
    const char *dir, *more;
    uint32_t number;
};

static int begin(const struct call *c, struct err *err)
{
    Hct__Checkpoint *there;
    struct err why;

    if (keepdir_make(c->dir, c->number, err))
        return -1;
    if (c->options->local &&
        keepdir_make_local(c->options->local, c->number, err))
        return -1;
    if (checkpointfile_read(c->dir, c->number, &there, &why) == 0) {
        hct__checkpoint__free_unpacked(there, NULL);
        return checkpointfile_refuse(err, EEXIST, c->dir, c->number,
                                     "is there and whole: choose the next "
                                     "number");
    }
    if (why.code != ENOENT && why.code != EBADMSG)
        return err_set(err, why.code, "%s", why.text);  /* it may be good */
    return c->options->first ? keepdir_sweep(c->dir, c->number, err) : 0;
}

static int write_image(const struct call *c, struct err *err)
{
    uint64_t rank;

    if (parse_u64(&rank, c->more, 0, UINT32_MAX, err))
        return err_prefix(err, "RANK");
    return copy_input(c->dir, c->number, (uint32_t)rank, err);
}

/* Copy them first, if they are on this node. */
static int check(const struct call *c, struct err *err)
{
    const char *local = c->options->local;
    struct taskset ranks = { 0 };
    int rc;

    if (strcmp(c->more, "all") == 0)
        return err_set(err, EINVAL, "ranks are numbers here, as 0-3,7");
    rc = taskset_parse(&ranks, c->more, UINT32_MAX, err);
    if (!rc && local)
        rc = copy_images(&(struct copy){ local, c->dir, c->number, &ranks,
                                         c->options->rate }, err);
    if (!rc)
        rc = images_check(c->dir, c->number, &ranks, err);
    if (!rc && local)
        rc = keepdir_drop_local(local, c->number, err);
    taskset_fini(&ranks);
    return rc;
}

static int drop(const struct call *c, struct err *err)
{
    const char *local = c->options->local;
    struct err other;
    int rc = keepdir_drop(c->dir, c->number, err);

    if (local && keepdir_drop_local(local, c->number, rc ? &other : err))
        rc = -1;
    return rc;
}

/* ---------------------------------------------------------------------- seal */

/* All of standard input, for the caller to free(). */
static uint8_t *take_input(size_t *n, struct err *err)
{
    uint8_t *bytes = NULL;
    size_t cap = 0;
    ssize_t got = 1;

    for (*n = 0; got && *n < MOST; *n += got > 0 ? (size_t)got : 0) {
        if (array_reserve(&bytes, &cap, *n + PART)) {
            err_memory(err);
            break;
        }
        got = read(STDIN_FILENO, bytes + *n, PART);
        if (got < 0 && errno != EINTR) {
            err_sys(err, "cannot read what the checkpoint is, on standard "
                    "input");
            break;
        }
    }
    if (got == 0)
        return bytes;
    if (*n >= MOST)
        err_set(err, EFBIG, "what the checkpoint is has more than 1 GiB");
    free(bytes);
    return NULL;
}

/* Does it say that it is this one, with all its tasks by rank? */
static int is_complete(const struct call *c, const Hct__Checkpoint *m,
                       struct err *err)
{
    if (m->number != c->number)
        return err_set(err, EINVAL, "standard input is of checkpoint %" PRIu32
                       ", not of %" PRIu32, m->number, c->number);
    if (!m->n_tasks || m->n_tasks != m->ntasks)
        return checkpointfile_refuse(err, EINVAL, c->dir, c->number,
                                     "does not have all of its tasks");
    for (size_t i = 0; i < m->n_tasks; i++)
        if (m->tasks[i]->rank != i)
            return checkpointfile_refuse(err, EINVAL, c->dir, c->number,
                                         "does not have its tasks by rank");
    return 0;
}

static int seal_bytes(const struct call *c, const uint8_t *bytes, size_t n,
                      struct err *err)
{
    Hct__Checkpoint *m = hct__checkpoint__unpack(NULL, n, bytes);
    int rc;

    if (!m)
        return err_set(err, EINVAL, "standard input is no packed Checkpoint");
    rc = is_complete(c, m, err) || images_there(c->dir, c->number, m, err)
        ? -1 : 0;
    hct__checkpoint__free_unpacked(m, NULL);
    return rc ? -1 : checkpointfile_write(c->dir, c->number, bytes, n, err);
}

/* The new one is there, whatever becomes of older ones. */
static int seal(const struct call *c, struct err *err)
{
    struct err older;
    uint64_t keep = 0;
    size_t n;
    uint8_t *bytes;
    int rc;

    if (c->more && parse_u64(&keep, c->more, 0, UINT32_MAX, err))
        return err_prefix(err, "OLDER");
    bytes = take_input(&n, err);
    rc = bytes ? seal_bytes(c, bytes, n, err) : -1;
    free(bytes);
    if (!rc && keepdir_retire(c->dir, c->number, (uint32_t)keep, &older))
        fprintf(stderr, "hector-keep: an older one stays: %s\n", older.text);
    return rc;
}

/* --------------------------------------------------------------------- unpack */

static int unpack(const struct call *c, struct err *err)
{
    (void)c;
    return pack_undo(STDIN_FILENO, STDOUT_FILENO, err)
           ? err_prefix(err, "the packed image on standard input") : 0;
}

/* ------------------------------------------------------------------- commands */

enum { FIRST = 1, LOCAL = 2, RATE = 4 };        /* of struct options */
static const struct {
    const char *name;
    int words, most;            /* with the name */
    int (*run)(const struct call *c, struct err *err);
    unsigned may, must;         /* the options that it may have, and has */
} commands[] = {
    { "begin", 3, 3, begin, FIRST | LOCAL, 0 }, { "write", 4, 4, write_image, 0, 0 },
    { "check", 4, 4, check, 0, 0 },
    { "copy", 4, 4, check, LOCAL | RATE, LOCAL }, { "seal", 3, 4, seal, 0, 0 },
    { "drop", 3, 3, drop, LOCAL, 0 }, { "unpack", 1, 1, unpack, 0, 0 },
};

static unsigned said(const struct options *o)
{
    return (o->first ? FIRST : 0) | (o->local ? LOCAL : 0) |
           (o->rate ? RATE : 0);
}

static int run(const struct options *o, int n, char **words)
{
    size_t i = 0, many = sizeof(commands) / sizeof(commands[0]);
    struct call c = { .options = o };
    struct rlimit was;
    struct err err;
    uint64_t number = 0;

    while (i < many && (!n || strcmp(commands[i].name, words[0]) != 0))
        i++;
    if (i == many || n < commands[i].words || n > commands[i].most ||
        (said(o) & ~commands[i].may) || (commands[i].must & ~said(o))) {
        fputs(program.usage, stderr);
        return ARGS_USAGE;
    }
    if (n > 2 && parse_u64(&number, words[2], 1, UINT32_MAX, &err)) {
        fprintf(stderr, "hector-keep: number: %s\n", err.text);
        return ARGS_USAGE;
    }
    c.dir = n > 1 ? words[1] : NULL;
    c.number = (uint32_t)number;
    c.more = n > 3 ? words[3] : NULL;
    limits_lift_file_size(&was);
    if (commands[i].run(&c, &err) == 0)
        return EXIT_SUCCESS;
    fprintf(stderr, "hector-keep: %s\n", err.text);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct options o = { 0 };
    int word = 0, rc = args_program(&program, &o, argc, argv, &word);

    return rc >= 0 ? rc : run(&o, argc - word, argv + word);
}
