/* log.c - writes log lines to stderr or syslog; see log.h.
 *
 * A line is one write(), so that lines of processes that share a stderr do
 * not mix. Control characters in it are shown as \xNN. */
#include "proto/base/log.h"

#include <errno.h>
#include <event2/event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "proto/base/str.h"

static struct {
    const char *program;        /* borrowed */
    enum log_level level;
    bool to_syslog;
} out = { .program = "hector", .level = LOG_LEVEL_INFO };

static void log_write(enum log_level level, const char *subsystem,
                      const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

static void log_write(enum log_level level, const char *subsystem,
                      const char *fmt, va_list ap)
{
    static const int priority[] = { LOG_WARNING, LOG_INFO, LOG_DEBUG };
    int was = errno;
    char text[1024], line[2048];
    int n = snprintf(line, sizeof(line) - 1, "%s: %s: ", out.program,
                     subsystem);

    if (n < 0 || n > (int)sizeof(line) / 2)
        n = sizeof(line) / 2;
    size_t len = (size_t)n;

    n = vsnprintf(text, sizeof(text), fmt, ap);
    if (n < 0)
        n = 0;
    if (n > (int)sizeof(text) - 1)
        n = sizeof(text) - 1;
    len += str_visible(line + len, sizeof(line) - 1 - len, text, (size_t)n);
    if (out.to_syslog) {
        syslog(priority[level], "%s", line + strlen(out.program) + 2);
    } else {
        line[len] = '\n';
        /* A log that cannot be written has nowhere to complain. */
        ssize_t ignored = write(STDERR_FILENO, line, len + 1);

        (void)ignored;
    }
    errno = was;
}

static void log_libevent(int severity, const char *text)
{
    if (severity >= EVENT_LOG_WARN)
        log_warn("libevent", "%s", text);
    else
        log_debug("libevent", "%s", text);
}

void log_init(const char *program, enum log_level level)
{
    out.program = program;
    out.level = level;
    event_set_log_callback(log_libevent);
}

void log_to_syslog(void)
{
    openlog(out.program, LOG_PID, LOG_DAEMON);
    out.to_syslog = true;
}

#define LOG_FUNCTION(name, LEVEL)                               \
    void name(const char *subsystem, const char *fmt, ...)      \
    {                                                           \
        va_list ap;                                             \
                                                                \
        if (out.level < LEVEL)                                  \
            return;                                             \
        va_start(ap, fmt);                                      \
        log_write(LEVEL, subsystem, fmt, ap);                   \
        va_end(ap);                                             \
    }
LOG_FUNCTION(log_warn, LOG_LEVEL_WARN)
LOG_FUNCTION(log_info, LOG_LEVEL_INFO)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)
