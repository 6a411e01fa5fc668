/* unwritten.h - what a process has printed and not written yet: what lies in
 * the buffer of its C library's stdout.
 *
 * The process is not stopped, and nothing in it is called: stdout is found by
 * its symbol, in the program (where it is linked statically, or has a copy) or
 * in the C library, and the buffer by the structure that glibc has had since
 * 1999 (struct _IO_FILE of <stdio.h>). What is not plausible, cannot be read or is
 * of another C library is as if nothing were there. */
#ifndef HECTOR_UNWRITTEN_H
#define HECTOR_UNWRITTEN_H

#include <sys/types.h>

enum {
    UNWRITTEN_LINES = 2, UNWRITTEN_BYTES = 200,         /* are shown, the last */
    UNWRITTEN_ROOM = 4 * UNWRITTEN_BYTES + 40,
};

/* The end of it as a person can read it: "so far", "step 1"; "" if there is
 * nothing. maps are the lines of /proc/PID/maps that are about files. Reads
 * files: for processes of their own. */
void unwritten_read(pid_t pid, const char *maps, char out[UNWRITTEN_ROOM]);

#endif
