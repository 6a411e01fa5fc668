/* say.c - formats Hector's words and keeps track of the line of progress. */
#include "redirector/out/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/str.h"

enum { SAY_MAX = 1024 };        /* bytes of a line, before escapes */

static struct {
    enum say_level least;
    void (*write)(void *arg, const char *line, size_t n);
    void *arg;
    bool progress;              /* a line of progress is on the screen */
} words = { .least = SAY_NOTE };

static void say_directly(const char *p, size_t n)
{
    while (n > 0) {
        ssize_t wrote = write(STDERR_FILENO, p, n);

        if (wrote <= 0)
            return;
        p += wrote;
        n -= (size_t)wrote;
    }
}

void say_init(enum say_level least)
{
    words.least = least;
}

void say_through(void (*write_line)(void *arg, const char *line, size_t n),
                 void *arg)
{
    words.write = write_line;
    words.arg = arg;
}

/* Tabs and final newlines are no harm, other control characters are shown as
 * what they are. */
static void say_out(char *text, size_t n)
{
    char line[4 * SAY_MAX];

    while (n > 0 && strchr(" \n\r\t", text[n - 1]))
        n--;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\t')
            text[i] = ' ';
    n = str_visible(line, sizeof(line) - 1, text, n);
    line[n++] = '\n';
    if (words.write) {
        words.write(words.arg, line, n);
    } else {
        say_erase();
        say_directly(line, n);
    }
}

void say(enum say_level level, const char *fmt, ...)
{
    char line[SAY_MAX];
    va_list ap;

    if (level > words.least)
        return;
    size_t n = (size_t)snprintf(line, sizeof(line), "hector: ");

    va_start(ap, fmt);
    int more = vsnprintf(line + n, sizeof(line) - 1 - n, fmt, ap);
    va_end(ap);
    if (more > 0)
        n += (size_t)more;
    say_out(line, n < sizeof(line) - 1 ? n : sizeof(line) - 2);
}

void say_line(enum say_level level, const char *who, const char *line,
              size_t n)
{
    say(level, "%s: %.*s", who, (int)n, line);
}

void say_progress(const char *text)
{
    char line[200];

    if (!isatty(STDERR_FILENO) || tcgetpgrp(STDERR_FILENO) != getpgrp() ||
        words.least < SAY_NOTE)
        return;
    say_erase();
    int n = snprintf(line, sizeof(line), "hector: %.70s", text);

    say_directly(line, (size_t)n);
    words.progress = true;
}

void say_erase(void)
{
    static const char erase[] = "\r\033[K";

    if (!words.progress)
        return;
    words.progress = false;
    say_directly(erase, sizeof(erase) - 1);
}
