/* mapped.h - what is mapped in a process, read again only when it may be
 * another thing than the last time: when the process has mapped more or less,
 * its own data and stacks aside, or half a minute has passed. Reading it takes
 * ten times as long as all the rest of a sample. */
#ifndef HECTOR_MAPPED_H
#define HECTOR_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapped_range { uint64_t from, to; };

struct mapped {                 /* mapped_init(): nothing is known */
    char *files;                /* owned: lines of /proc/PID/maps, as far as
                                   they are about files; or NULL */
    bool fresh;                 /* files are others than before; whoever has
                                   taken note of it clears this */
    uint64_t stack_end;         /* of the first thread's frames; 0: not known */
    uint64_t pages, read_ns;    /* the size then, without data; and when */
    int statm;                  /* owned: where the size is read; or -1 */
    struct mapped_range *ranges;        /* owned: all that is mapped */
    size_t nranges;
};

void mapped_init(struct mapped *m);

/* -1: the process is ending, or there is no memory. room is scratch, of size
 * bytes. */
int mapped_look(struct mapped *m, pid_t pid, uint64_t now_ns, char *room,
                size_t size);

/* The same, whatever its size. */
int mapped_read(struct mapped *m, pid_t pid, uint64_t now_ns, char *room,
                size_t size);

/* Was anything mapped there? After an exec nothing is where it was. */
bool mapped_has(const struct mapped *m, uint64_t address);

/* Is it still the same process, and the same program in it? Each has another
 * place for its stack. Without random places that says nothing. */
bool mapped_is_of(const struct mapped *m, pid_t pid);

void mapped_fini(struct mapped *m);

#endif
