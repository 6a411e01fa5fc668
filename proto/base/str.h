/* str.h - a string that grows.
 *
 * Adding never reports: when memory runs out (or a text would pass 1 GiB) the
 * string is marked failed, later additions do nothing, and str_take() and
 * str_failed() say so. So text is built without a check on each line. */
#ifndef HECTOR_STR_H
#define HECTOR_STR_H

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>

struct str {
    char *s;            /* owned; NULL as long as nothing was added */
    size_t n, cap;      /* bytes in use without the final NUL, and room */
    bool failed;
};

/* {0} is the empty string. */
void str_fini(struct str *b);           /* frees, leaves it empty */
void str_reset(struct str *b);          /* empty, keeps the memory */

void str_add(struct str *b, const char *text);
void str_add_bytes(struct str *b, const void *p, size_t n);
void str_addf(struct str *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void str_vaddf(struct str *b, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* Words as a shell would have to be given them: quoted if need be. */
void str_add_quoted(struct str *b, const char *word);

/* Text for a terminal: control characters, also those of two bytes in UTF-8,
 * become \xNN, so that a name cannot play with the screen. At most size - 1
 * bytes and a NUL are written, nothing is escaped by half; returns how many. */
size_t str_visible(char *out, size_t size, const char *text, size_t n);

bool str_failed(const struct str *b);
const char *str_text(const struct str *b);      /* "" when empty, never NULL */

/* The text becomes the caller's, to free(); b is empty afterwards. NULL if
 * the string has failed. */
char *str_take(struct str *b);

/* How many bytes of s, of which n are left, are one character of UTF-8; 0 if
 * they are none. What ends with a zero may be given any n: nothing behind that is
 * looked at. */
size_t str_character(const unsigned char *s, size_t n);

/* Text in UTF-8, whatever it was: each byte that is none becomes U+FFFD. */
void str_add_utf8(struct str *b, const char *text, size_t n);

#endif
