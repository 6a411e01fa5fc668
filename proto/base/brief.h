/* brief.h - names of C++ functions as a person wants to read them: templates
 * spell out every argument, to hundreds of bytes. */
#ifndef HECTOR_BRIEF_H
#define HECTOR_BRIEF_H

#include "proto/base/str.h"

enum { BRIEF_WIDTH = 80 };

/* Append name, which may have a place in a source behind it. If it is longer
 * than BRIEF_WIDTH, what is between < and > is "..."; if it still is, what is
 * between parentheses, too; and of more than twice as much the beginning is
 * left out. */
void brief_add(struct str *to, const char *name);

/* Append the name of a function alone, without what it takes; of more than width
 * bytes what is between < and > is "...". */
void brief_function(struct str *to, const char *name, size_t width);

#endif
