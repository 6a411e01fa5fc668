/* main.c - hector-slice(8): the lines that decide that a task gets to a place. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proto/base/args.h"
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
    "instruction itself, not where a call returns to. hector-slave starts it:\n"
    "hector-slice(8).\n",
    options, sizeof(options) / sizeof(options[0])
};

static int parse_frame(struct slice_frame *f, const char *word)
{
    const char *number = word + (*word == '=');
    char *end;

    errno = 0;
    f->call = *word != '=';
    f->address = strtoull(number, &end, 16);
    return errno || end == number || *end ? -1 : 0;
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
    printf("# %zu line%s; the functions on the path have %u\n# %s\n", n,
           n == 1 ? "" : "s", slice_lines_of_path(s), slice_unseen(s));
}

int main(int argc, char **argv)
{
    struct options o = { .seconds = 20, .megabytes = 2048 };
    struct slice_frame v[SLICE_FRAMES_MAX];
    struct slice *s;
    struct err err;
    size_t n = 0;
    int word, status = args_program(&program, &o, argc, argv, &word);

    if (status >= 0)
        return status;
    for (int i = word + 1; i < argc && n < SLICE_FRAMES_MAX; i++)
        if (parse_frame(&v[n++], argv[i])) {
            fprintf(stderr, "hector-slice: %s is no address\n", argv[i]);
            return ARGS_USAGE;
        }
    if (!n) {
        fprintf(stderr, "hector-slice: it wants a PROGRAM and addresses\n");
        return ARGS_USAGE;
    }
    limit(RLIMIT_CPU, o.seconds);
    limit(RLIMIT_AS, o.megabytes << 20);
    limit(RLIMIT_CORE, 0);
    s = slice_make(argv[word], o.build_id, v, n, &err);
    if (!s) {
        fprintf(stderr, "hector-slice: %s\n", err.text);
        return 1;
    }
    print(s);
    slice_free(s);
    return fflush(stdout) ? 1 : 0;
}
