/* restore.h - what hector-restore knows while it becomes another process.
 *
 * It begins where the kernel has put it, and looks at the image's head and
 * tables. When it is sure that it can do all that they ask for, it copies itself
 * into a hole that neither the image nor this process has anything in, goes on
 * there, and makes the process around it. Up to restore_begin() a failure leaves
 * nothing behind but a sentence: what was done until then was done to this
 * process alone.
 *
 * Nothing here may be a pointer in static memory, or static memory that is
 * written to: the copy has none of that. */
#ifndef HECTOR_RESTORE_H
#define HECTOR_RESTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#include "mpi-wrappers/image/format.h"
#include "mpi-wrappers/restore/restore_hash.h"

/* Older headers lack them; the kernel says whether it does. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { RESTORE_REFUSED = 125, RESTORE_SCRATCH = 128 << 10, RESTORE_PIECES = 8,
       RESTORE_ROOMS = 16, RESTORE_OWNERS = 1 << 17 };

/* A mapping of the kernel's own: where it is from the first one on. */
struct restore_piece { uint64_t at, bytes; };

/* Memory that it has already, with so many bytes of pages from its beginning on. */
struct restore_room { uint64_t start, bytes, made; };

/* Locks that say who has them: restore_owners.h. */
struct restore_owners {
    uint64_t *at;               /* where the numbers are, RESTORE_OWNERS at most */
    size_t n;
    uint64_t floor, end;        /* nothing is read before and behind */
    uint64_t from, to;          /* read, and not looked at yet */
    uint32_t lowest, span;      /* of the numbers that threads had */
    uint32_t most;              /* so many threads */
    bool wide;                  /* this processor looks at much at a time */
};

struct restore {
    const char *name;           /* of the image, as it was given */
    const char *tell;           /* to the process, where it asks for it */
    const char *rooms;          /* as restore_room.h has them */
    int fd;                     /* of the image */
    int report;                 /* says why not, and closes if so; -1: none */
    bool look;                  /* is it whole? Nothing else is done */
    bool cut;                   /* files that it wrote to, to their size then */
    bool plain;                 /* it is a file, of so many bytes */
    int unpacker;               /* a child that makes it of a packed one; 0: none */
    bool trampolines;           /* whatever the vdso is, take it for another */
    bool huge_asked;            /* here huge pages are for who asks for them */
    bool narrow;                /* as if vectors had no more than AVX here */
    uint64_t file_bytes;
    uint64_t bytes;             /* read so far, which the hash is of */
    struct restore_hash hash;
    char *hasher;               /* the end of its stack */

    struct image_head head;
    char *tables;               /* owned; what follows lies in there */
    struct image_region *regions;
    struct image_mapped *mapped;
    struct image_fd *fds;
    struct image_thread *threads;
    const char *names;
    uint8_t *vdso;              /* code of the one in the image */

    struct restore_room room[RESTORE_ROOMS];    /* memory that it has already */
    size_t nrooms;
    struct restore_owners owners;
    struct image_back hole;     /* where this program is now */
    char *scratch;              /* RESTORE_SCRATCH bytes to work with */
    struct restore_piece piece[RESTORE_PIECES]; /* of this kernel's vdso, and */
    size_t npieces;             /* of what it reads, which comes before it */
    uint64_t live;              /* where they begin */
    uint64_t live_vvar_bytes, live_bytes;
};

/* Says it as a sentence, whose subject is the image, from strings up to a NULL:
 * to whom shall hear of it, or on standard error. Ends with status 125. */
void restore_refuse(const struct restore *r, const char *first, ...)
    __attribute__((sentinel, noreturn));

/* "error 2", or what that means, where it is a common one. */
const char *restore_error(long rc, char *buf, size_t size);

/* The next bytes of the image. */
void restore_read(struct restore *r, void *to, uint64_t bytes);
/* The same, for the hash alone. */
void restore_skip(struct restore *r, uint64_t bytes);

#endif
