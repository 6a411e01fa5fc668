/* options.h - the command line of hector-run, understood.
 *
 * Pure: looks at its arguments and nothing else (but --inject may need a
 * random seed). Text in the result is
 * borrowed from argv unless a field says "owned". */
#ifndef HECTOR_OPTIONS_H
#define HECTOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/conf/calendar.h"
#include "proto/conf/priority.h"
#include "redirector/out/label.h"

enum { OPTIONS_TASKS_MAX = 1 << 24 };

struct options_list { char **v; size_t n, cap; };       /* owned, and its texts */

struct options_app {
    char **argv;                /* into the command line, not terminated */
    size_t argc;
    uint32_t ntasks;            /* 0: not said */
    const char *wdir;           /* NULL: not said */
    struct options_list env;    /* "VAR=VALUE", or "VAR": as it is here */
};

enum options_action { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_VERSION };

struct options {
    enum options_action action;
    struct options_app *apps;   /* owned */
    size_t napps, apps_cap;
    uint32_t per_node;          /* 0: not said */
    bool by_node, oversubscribe;
    struct options_list env;    /* for all programs; before the apps' own */
    struct options_list hosts;  /* each as one -H gave it */
    const char *hostfile, *agent, *master;          /* NULL: not said */
    const char *stdin_ranks;    /* "all", "none" or a number */
    enum label_style label;
    bool timestamp, merge_stderr, pty;
    bool migratable;
    const char *checkpoint_dir, *restart;       /* NULL: not said */
    const char *checkpoint_local;       /* the same */
    uint64_t checkpoint_every_ns;       /* 0: not said */
    uint64_t checkpoint_rate;   /* bytes a second; with checkpoint_local */
    uint32_t max_restarts;      /* with checkpoint_dir */
    const char *buffer;         /* of the tasks' stdout; NULL: not said */
    const char *output_dir;
    const char *stdtim;         /* NULL: off; "-", "fd:N" or a file */
    uint64_t timeout_ns;        /* 0: none */
    uint64_t before_limit_ns;   /* the same */
    const char *before_limit;   /* what is done then */
    const char *name, *db;
    struct options_list policies;
    const char *on_hang;
    struct calendar due;        /* owned; of --deadline */
    struct options_list calendars;      /* files of --calendar */
    const char *on_deadline;    /* NULL: not said */
    struct options_part { bool said; uint32_t percent; } max_suspend;
    struct priority priority;
    const char *notify;         /* a command; NULL: not said */
    char *mail;                 /* owned: that command of "mail" */
    char *faults;               /* owned; the rules of --inject; NULL: none */
    const char *phase;          /* of --phase; NULL: not given */
    bool adopt;                 /* one app: the launcher and all its words */
    const char *adopt_env;      /* NULL: no; "": of our parent; or a pid */
    uint64_t seen;              /* 1 << row in usage_rows of each given */
    bool verbose, quiet;
};

/* Understand argv[1..]. On failure *o is empty and err is a sentence with a
 * hint; the status for it is 2. */
int options_parse(struct options *o, int argc, char **argv, struct err *err);
void options_fini(struct options *o);

/* Others start the tasks: --adopt, or --adopt-env. */
bool options_adopts(const struct options *o);
/* What of the options cannot be had for them. */
int options_check_adopt(const struct options *o, struct err *err);

/* Its tasks are written to files, or made of some. */
bool options_saves(const struct options *o);
/* What of the options cannot be had then, and what is to be had too. */
int options_check_saved(struct options *o, struct err *err);

/* Was the option given that has this name? There has to be one. */
bool options_seen(const struct options *o, const char *name);

#endif
