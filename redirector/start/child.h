/* child.h - a program that hector-run started for itself: the private
 * master, a slave, a launch agent.
 *
 * It leads a session of its own, so that what the terminal sends reaches
 * hector-run only. What it prints on stderr is said line by line as
 * "hector: WHO: LINE"; its stdout is passed over (said with -v, as some login
 * shells talk a lot). It inherits no descriptor but those it is given. */
#ifndef HECTOR_CHILD_H
#define HECTOR_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <event2/event.h>

#include "proto/base/err.h"

enum { CHILD_FDS_MAX = 4, CHILD_LINE_MAX = 900 };

struct child;

struct child_conf {
    const char *who;            /* copied */
    char *const *argv;          /* argv[0] is looked up in PATH */
    int fds[CHILD_FDS_MAX];     /* become 3, 4, ... with LISTEN_FDS set */
    int nfds;
    int held;                   /* stays open behind these, for what it keeps; 0:
                                   none */
    const char *const *unset;   /* variables that it does not get, NULL at the
                                   end; or NULL */
    const char *input;          /* its stdin, then end of file; NULL: none;
                                   must fit into a pipe at once */
    bool loud;                  /* its stdout is for the person, too */
    bool hushed;                /* its stderr is said with -v only */
    /* Takes the lines of its stdout, which are said to nobody then; or NULL. */
    void (*on_line)(void *arg, const char *line, size_t n);
    bool guard;                 /* clears up when what it has started is
                                   killed, and goes then */
    const char *const *noise;   /* lines of its stderr with one of these in them
                                   are said with -v only; NULL at the end, or
                                   NULL: none. Outlives the child */
    /* It has ended (a wait status) and all it said has been said; c is
     * freed after the call. */
    void (*on_exit)(void *arg, struct child *c, int status);
    void *arg;
};

/* Allow this process as many descriptors as it may have. Children, and so
 * the tasks, get the limit the user had. */
void child_raise_limit(void);

/* NULL also if the program cannot be executed; err says why. */
struct child *child_start(struct event_base *base,
                          const struct child_conf *conf, struct err *err);

/* After SIGCHLD: see which children have ended and call their on_exit. */
void child_reap_all(void);
unsigned child_count(void);

/* To the child's whole process group; to it alone. */
void child_kill(const struct child *c, int sig);
void child_tell(const struct child *c, int sig);

/* End what is still there with all that descends from it, and return when it is
 * gone, or after 2 s: TERM, soon KILL, guards last. What is left even then is
 * named; its on_exit is not called any more. */
void child_end_all(void);

/* From now on what children say is shown with -v only: it does not matter any
 * more. */
void child_hush_all(void);
const char *child_who(const struct child *c);

/* The last line of its stdout that was passed over, or of its noise, if that was of
 * an error: "" if there was none. */
const char *child_passed_over(const struct child *c);
/* The last one of all, that nobody else takes. */
const char *child_last(const struct child *c);

/* "ended with status 3", "was killed by signal 9 (Killed)". */
const char *child_fate(int status, char *buf, size_t size);

#endif
