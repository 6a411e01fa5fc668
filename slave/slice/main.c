/* main.c - hector-slice(8): the lines that decide that a task gets to a place. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proto/base/args.h"
#include "proto/tree/slicerows.h"
#include "slave/slice/slice.h"

struct options {
    const char *build_id;
    uint64_t seconds, megabytes;
};

static const struct args_option options[] = {
    { NULL, "b build-id", ARGS_VALUE, "ID",
      "of what was loaded: another file is refused", args_text,
      offsetof(struct options, build_id), 0, 0 },
    { NULL, "s seconds", ARGS_VALUE, "N",
      "of processor time, at most", args_u64,
      offsetof(struct options, seconds), 1, 3600 },
    { NULL, "m megabytes", ARGS_VALUE, "N",
      "of memory, at most", args_u64,
      offsetof(struct options, megabytes), 64, 1 << 20 },
    ARGS_COMMON
};

static const struct args_program program = {
    "hector-slice",
    "usage: hector-slice [OPTION]... PROGRAM ADDRESS...\n"
    "Addresses of the program's file, innermost frame first; =ADDRESS: of the\n"
    "instruction itself, not where a call returns to; +ADDRESS: where one of\n"
    "the last calls of MPI has returned to; @ADDRESS: of another task, for which\n"
    "it may wait. hector-slave starts it: hector-slice(8).\n",
    options, sizeof(options) / sizeof(options[0])
};

struct place {
    struct slice_frame frames[SLICE_FRAMES_MAX];
    uint64_t lately[SLICE_LATELY_MAX], theirs[SLICE_LATELY_MAX];
    struct slice_place is;
};

static int parse_address(struct place *p, const char *word)
{
    const char *number = word + (*word && strchr("=+@", *word));
    uint64_t address;
    char *end;

    errno = 0;
    address = strtoull(number, &end, 16);
    if (errno || end == number || *end)
        return -1;
    if (*word == '+' && p->is.nlately < SLICE_LATELY_MAX)
        p->lately[p->is.nlately++] = address;
    else if (*word == '@' && p->is.ntheirs < SLICE_LATELY_MAX)
        p->theirs[p->is.ntheirs++] = address;
    else if (*word != '+' && *word != '@' && p->is.nframes < SLICE_FRAMES_MAX)
        p->frames[p->is.nframes++] = (struct slice_frame){ address, *word != '=' };
    return 0;
}

static int limit(int what, uint64_t n)
{
    const struct rlimit l = { n, n };

    return setrlimit(what, &l);
}

static void print(const struct slice *s)
{
    size_t n;
    const struct slice_row *v = slice_rows(s, &n);

    for (size_t i = 0; i < n; i++)
        printf("%u\t%s\t%s\t%u\t%s\n", v[i].cost, v[i].function, v[i].file,
               v[i].line, v[i].reason);
    printf("# %zu line%s; " SLICEROWS_ON_PATH "%u\n# %s\n", n,
           n == 1 ? "" : "s", slice_lines_of_path(s), slice_unseen(s));
}

int main(int argc, char **argv)
{
    struct options o = { .seconds = 20, .megabytes = 2048 };
    struct place at = { .is.frames = at.frames, .is.lately = at.lately,
                        .is.theirs = at.theirs };
    struct slice *s;
    struct err err;
    int word, status = args_program(&program, &o, argc, argv, &word);

    if (status >= 0)
        return status;
    for (int i = word + 1; i < argc; i++)
        if (parse_address(&at, argv[i])) {
            fprintf(stderr, "hector-slice: %s is no address\n", argv[i]);
            return ARGS_USAGE;
        }
    if (!at.is.nframes) {
        fprintf(stderr, "hector-slice: it wants a PROGRAM and addresses\n");
        return ARGS_USAGE;
    }
    limit(RLIMIT_CPU, o.seconds);
    limit(RLIMIT_AS, o.megabytes << 20);
    limit(RLIMIT_CORE, 0);
    s = slice_make(argv[word], o.build_id, &at.is, &err);
    if (!s) {
        fprintf(stderr, "hector-slice: %s\n", err.text);
        return 1;
    }
    print(s);
    slice_free(s);
    return fflush(stdout) ? 1 : 0;
}
