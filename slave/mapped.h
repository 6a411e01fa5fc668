/* mapped.h - what is mapped in a process, read again only when it may be
 * another thing than the last time: when the process has become larger or
 * smaller, or some seconds have passed. Reading it takes longer than all the
 * rest of a sample. */
#ifndef HECTOR_MAPPED_H
#define HECTOR_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapped_range { uint64_t from, to; };

struct mapped {                 /* {0}: nothing is known */
    char *files;                /* owned: lines of /proc/PID/maps, as far as
                                   they are about files; or NULL */
    bool fresh;                 /* files are others than before; whoever has
                                   taken note of it clears this */
    uint64_t stack_end;         /* of the first thread's frames; 0: not known */
    uint64_t pages, read_ns;    /* the size then, and when */
    struct mapped_range *ranges;        /* owned: all that is mapped */
    size_t nranges;
};

/* -1: the process is ending, or there is no memory. room is scratch, of size
 * bytes. */
int mapped_look(struct mapped *m, pid_t pid, uint64_t now_ns, char *room,
                size_t size);

/* The same, whatever its size. */
int mapped_read(struct mapped *m, pid_t pid, uint64_t now_ns, char *room,
                size_t size);

/* Was anything mapped there? After an exec nothing is where it was. */
bool mapped_has(const struct mapped *m, uint64_t address);

void mapped_fini(struct mapped *m);

#endif
