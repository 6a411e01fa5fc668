/* command.h - a command of hector(1): its words, its options, its help.
 *
 * Each owns its options: rows of a table (args.h) that store into a struct of
 * its own, which it finds in tool.own. */
#ifndef HECTOR_COMMAND_H
#define HECTOR_COMMAND_H

#include "master/hector/core/tool.h"
#include "proto/base/args.h"

enum { COMMAND_OWN_BYTES = 1024 };       /* most that options of one take */

struct command {
    const char *name, *words;   /* words "": it takes none */
    const char *help;
    const struct args_option *options;  /* besides those that all have */
    size_t noptions;
    const void *defaults;       /* of its options; NULL: all of them 0 */
    size_t own_bytes;
    int (*run)(const struct tool *t);   /* see tool.h */
};

/* The options of a command, their defaults, and where they are stored. */
#define COMMAND_OPTIONS(rows, defaults) \
    rows, sizeof(rows) / sizeof(rows[0]), &(defaults), sizeof(defaults)
#define COMMAND_NO_OPTIONS NULL, 0, NULL, 0

#endif
