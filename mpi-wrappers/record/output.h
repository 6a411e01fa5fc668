/* output.h - how a task's standard output is buffered.
 *
 * A task writes to a pipe, where the C library keeps some kilobytes back: what
 * it printed last would be lost when it aborts, and not be seen while it hangs.
 * Its slave names the pipe, and how to write to it, in HECTOR_STDOUT, as
 * MODE:DEVICE:INODE; MODE is "line" or "none". Every process of the task whose
 * standard output is that pipe then writes line by line, as on a terminal, or
 * all at once. Who has been redirected elsewhere is left alone. */
#ifndef HECTOR_OUTPUT_H
#define HECTOR_OUTPUT_H

#include <stdbool.h>

enum output_mode { OUTPUT_AS_IT_IS, OUTPUT_LINE, OUTPUT_NONE };

/* What HECTOR_STDOUT, which may be NULL, says of descriptor fd. */
enum output_mode output_mode(const char *text, int fd);

#endif
