/* log.h - one line a message, for the person who runs the program.
 *
 *   hector-slave: launch: task started job=7 rank=12 pid=4711
 *
 * Lines go to stderr until log_to_syslog() is called. Below the chosen level
 * nothing is formatted. errno is preserved. Not for the output of a tool. */
#ifndef HECTOR_LOG_H
#define HECTOR_LOG_H

enum log_level { LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* The name in front of each line (borrowed) and the level; also routes
 * libevent's own messages here. Call once, first. */
void log_init(const char *program, enum log_level level);
void log_to_syslog(void);

/* warn: a person may have to act. info: a state changed. debug: the rest. */
void log_warn(const char *subsystem, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void log_info(const char *subsystem, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void log_debug(const char *subsystem, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
