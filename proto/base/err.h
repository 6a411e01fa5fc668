/* err.h - how a function tells its caller what went wrong.
 *
 * A function that can fail returns 0 or -1 (or a pointer or NULL) and fills
 * a struct err that the caller owns. Low levels fill and return; the function
 * that decides what happens next logs, once. A failed call leaves its other
 * arguments as they were, unless its header says otherwise. */
#ifndef HECTOR_ERR_H
#define HECTOR_ERR_H

struct err {
    int code;           /* an errno value, never 0 after a failure */
    char text[248];     /* one sentence for a person, without a newline */
};

/* Fill *e (may be NULL), set errno to code, return -1. */
int err_set(struct err *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with ": " and the text of errno appended; code is errno. */
int err_sys(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* There is no memory: ENOMEM and the sentence for it, return -1. */
int err_memory(struct err *e);

/* Put "text: " in front of what *e already says, return -1. */
int err_prefix(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
