/* markup.h - text of programs and people as part of HTML, XML or SVG. */
#ifndef HECTOR_MARKUP_H
#define HECTOR_MARKUP_H

#include "proto/base/str.h"

/* With all that would mean something there written otherwise, and control
 * characters as people see them. */
void markup_add(struct str *to, const char *text);

#endif
