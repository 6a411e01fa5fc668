/* loaded.h - is a file still what a process has loaded from it?
 *
 * By its build id. Pages that nobody has written to show what the file has now:
 * one that is overwritten in place looks the same in memory as it does on disk.
 * So what the task has found in its own memory, when it first called MPI, goes
 * before what is there now; and where there are no build ids, the file's time
 * tells that it was written to. */
#ifndef HECTOR_LOADED_H
#define HECTOR_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { LOADED_ID = 36, LOADED_HEX = 2 * LOADED_ID + 1 };

struct loaded_range { uint64_t from, to; };

/* Where all that is mapped of this file is, by the text of /proc/PID/maps,
 * which says " (deleted)" behind the names of files that are gone. False:
 * nowhere. */
bool loaded_where(const char *maps, const char *path, struct loaded_range *r);

/* The file that is mapped at this address, as that text has it: how many bytes
 * its name has, 0: none is. */
size_t loaded_file(const char *maps, uint64_t address, const char **path);

/* The build id of what begins there, as the memory of the process has it now;
 * how many bytes. 0: it has none, or cannot be read. */
uint32_t loaded_id(pid_t pid, uint64_t from, uint8_t id[LOADED_ID]);

/* The same in hexadecimal. */
void loaded_hex(const uint8_t *id, uint32_t bytes, char out[LOADED_HEX]);

/* Was the file written to after the process was started? False also where
 * nobody can tell. */
bool loaded_before(pid_t pid, const char *path);

/* The length of a path of /proc/PID/maps without " (deleted)". */
size_t loaded_path_length(const char *path);

#endif
