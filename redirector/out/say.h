/* say.h - Hector's own words to the person: "hector: sentence" on stderr.
 *
 * Where the standard error of tasks goes the same way the words have to pass
 * through its queue: say_through() redirects them. Control characters become
 * blanks. On a terminal one line of progress can be shown; whoever writes to
 * that terminal erases it first by say_erase(). */
#ifndef HECTOR_SAY_H
#define HECTOR_SAY_H

#include <stddef.h>

enum say_level { SAY_ERROR, SAY_NOTE, SAY_VERBOSE };

/* Say what is at least as grave as least: SAY_ERROR for --quiet. */
void say_init(enum say_level least);
void say_through(void (*write)(void *arg, const char *line, size_t n),
                 void *arg);    /* NULL: straight to descriptor 2 */

void say(enum say_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A line that somebody else said: "hector: WHO: LINE". */
void say_line(enum say_level level, const char *who, const char *line,
              size_t n);

/* Show (or replace) the line of progress, if stderr is a terminal that is
 * ours at the moment. */
void say_progress(const char *text);
void say_erase(void);

#endif
