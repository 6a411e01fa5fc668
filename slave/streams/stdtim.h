/* stdtim.h - the line format of the stdtim stream, byte for byte:
 *
 *   Task 0 Enter:Sending assignment...<TAB>0<TAB>913757003.257503
 *   Task 0 Exit :Sending assignment...<TAB>0<TAB>913757003.258122
 *
 * A line stays a line: newline, tab and backslash inside the text are
 * written \n, \t and \\. */
#ifndef HECTOR_STDTIM_H
#define HECTOR_STDTIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/str.h"

void stdtim_add(struct str *to, uint32_t rank, bool exit, const char *text,
                size_t text_bytes, int32_t marker, uint64_t wall_ns);

#endif
