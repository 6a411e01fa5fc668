/* args.h - command lines by a table: an option is one row of it.
 *
 * A row says what an option is called, what it takes, what --help says of it,
 * and where its value goes: take() stores it into the program's own struct of
 * options, `at` bytes behind its beginning. The table is the parser's, the
 * help's, and that of suggestions for what was typed wrong.
 *
 * Texts that are stored are borrowed from argv. */
#ifndef HECTOR_ARGS_H
#define HECTOR_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/base/err.h"

enum args_takes { ARGS_NONE, ARGS_VALUE, ARGS_MAY /* only by "=" */,
                  ARGS_TWO /* not in args_scan() */ };

struct args_option;

/* An option as somebody typed it. */
struct args_given {
    const struct args_option *row;
    const char *option;         /* "-n", "--count" */
    const char *value, *second; /* NULL: none */
};

/* Store what was given into *to; 0, or -1 and a sentence that names it. */
typedef int (*args_take_f)(void *to, const struct args_given *g,
                           struct err *err);

struct args_option {
    const char *group;          /* heading; NULL: as the one before */
    const char *names;          /* "n -np c ntasks": the first two are shown.
                                   Names of several letters have two dashes;
                                   those with one before them have one */
    enum args_takes takes;
    const char *arg;            /* how the value is shown */
    const char *help;           /* NULL: not shown */
    args_take_f take;
    size_t at;
    uint64_t min, max;          /* of numbers */
};

/* What take() is for most: a bool becomes true; an int grows by one; a const
 * char *, uint64_t, uint32_t, or an uint64_t of ns is set. Numbers are decimal,
 * from min to max; a duration is one of parse_duration(). */
int args_flag(void *to, const struct args_given *g, struct err *err);
int args_count(void *to, const struct args_given *g, struct err *err);
int args_text(void *to, const struct args_given *g, struct err *err);
int args_u64(void *to, const struct args_given *g, struct err *err);
int args_u32(void *to, const struct args_given *g, struct err *err);
int args_duration(void *to, const struct args_given *g, struct err *err);

/* Known and of no effect. */
int args_nothing(void *to, const struct args_given *g, struct err *err);

/* Where in *to the row of g stores. */
void *args_at(void *to, const struct args_given *g);

/* The row with this name, given without its dashes; NULL if there is none. */
const struct args_option *args_find(const struct args_option *rows, size_t n,
                                    const char *name);

/* The name that looks most like this one, to be suggested; NULL if nothing
 * comes near. Overwritten by the next call. */
const char *args_nearest(const struct args_option *rows, size_t n,
                         const char *name);

/* err: there is no such option, and which may have been meant. */
int args_unknown(const struct args_option *rows, size_t n, const char *option,
                 struct err *err);

/* The rows for --help: groups, for a terminal of 80 columns. */
void args_print(const struct args_option *rows, size_t n, FILE *out);

/* Read argv as getopt_long(3) does: options and words in any order, names
 * shortened as long as they are clear. found() is told of each in turn, until
 * it fails; what it is given ends with the call. Returns the place of the first
 * word in argv, which is reordered; or -1 and a sentence. */
int args_scan(const struct args_option *rows, size_t n, int argc, char **argv,
              int (*found)(void *arg, const struct args_given *g,
                           struct err *err),
              void *arg, struct err *err);

/* A program whose options are one table. */
struct args_program {
    const char *name;           /* "hector-slave" */
    const char *usage;          /* what is printed above the rows, lines */
    const struct args_option *rows;
    size_t n;
};

/* The rows that every program has: print the version, or the help. */
#define ARGS_COMMON \
    { NULL, "V version", ARGS_NONE, NULL, "print the version", \
      args_version, 0, 0, 0 }, \
    { NULL, "h help", ARGS_NONE, NULL, "print this", args_help, 0, 0, 0 }
int args_version(void *to, const struct args_given *g, struct err *err);
int args_help(void *to, const struct args_given *g, struct err *err);

enum { ARGS_USAGE = 2 };        /* the exit status for a wrong command line */

/* Read all into *to. Returns -1 to go on, with the place of the first word;
 * else the exit status, having printed what was asked for, or a sentence. */
int args_program(const struct args_program *p, void *to, int argc,
                 char **argv, int *word);

#endif
