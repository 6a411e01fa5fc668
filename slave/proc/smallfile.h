/* smallfile.h - files of a few lines, as those below /proc and /sys. */
#ifndef HECTOR_SMALLFILE_H
#define HECTOR_SMALLFILE_H

#include <stdbool.h>
#include <stddef.h>

/* The beginning of the file as a string; false if there is none. */
bool smallfile_read(const char *path, char *buf, size_t size);

#endif
