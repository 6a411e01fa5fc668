/* image_text.h - sentences without stdio, and numbers in what /proc says. */
#ifndef HECTOR_IMAGE_TEXT_H
#define HECTOR_IMAGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A string that grows in the caller's buffer; what does not fit is left out. A
 * buffer of no bytes is fine. */
struct image_text { char *at, *end; };

void image_text_begin(struct image_text *t, char *buf, size_t size);
void image_text_add(struct image_text *t, const char *s);
void image_text_number(struct image_text *t, uint64_t n);

/* Strings one after the other, up to a NULL, into an empty text. */
void image_text_all(char *buf, size_t size, const char *first, ...)
    __attribute__((sentinel));

/* The number at *p, without leading blanks, which *p then is behind. */
uint64_t image_text_decimal(const char **p);
uint64_t image_text_hex(const char **p);

/* The field behind NAME: in what /proc/PID/status says; 0 without one. */
uint64_t image_text_field(const char *status, const char *name, bool hex);

bool image_text_begins(const char *s, const char *with);
bool image_text_ends(const char *s, const char *with);

#endif
