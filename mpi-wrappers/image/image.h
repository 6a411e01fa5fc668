/* image.h - writes the process that it is called in as an image, from which
 * hector-restore makes that process again.
 *
 * What is in an image, by format.h: memory that is not in files anyway, all
 * threads with their registers, signal handlers and masks, pending signals
 * (each once), interval timers, limits, the working directory, the umask, and
 * plain files at their offsets, opened again by name; open files without a name
 * with what is in them, up to IMAGE_CONTENTS. Descriptors 0, 1 and 2 are not:
 * the restored process has those of hector-restore. Neither are: what is in
 * files that have a name, also where they are mapped as shared; clocks but for
 * the time of day, so times that were read from, or are waited for by,
 * CLOCK_MONOTONIC are those of another machine, if it is one; process and
 * thread numbers, but in locks that are held (../restore/restore_owners.h);
 * locks on files; locked memory, protection keys, guard pages of madvise(2) and
 * other advice on memory, but that what had huge pages gets them again;
 * processors that threads are bound to; settings of prctl(2) but for names; the
 * rest of a queue of signals of one number.
 *
 * Both functions may be called from a signal handler; they need 16 KiB of its
 * stack. */
#ifndef HECTOR_IMAGE_H
#define HECTOR_IMAGE_H

#include <stddef.h>
#include <stdint.h>

enum {
    IMAGE_CONTENTS = 16 << 20,  /* bytes of an open file that was deleted */
    IMAGE_STOP_MS = 10000       /* all threads have to stop within that */
};

/* Why no image can be made; 0: it can. */
enum image_reason {
    IMAGE_GOOD,
    IMAGE_MACHINE,              /* not this processor, or kernel */
    IMAGE_TRACED,               /* by a debugger */
    IMAGE_OWNER,                /* set-user-id, or more rights than its user */
    IMAGE_CHILDREN,             /* it has some */
    IMAGE_DESCRIPTOR,           /* a socket, a pipe, a device, ... */
    IMAGE_DELETED,              /* an open file without a name, too large */
    IMAGE_MAPPING,              /* a device, memory of other processes */
    IMAGE_TIMER,                /* of timer_create(2) */
    IMAGE_DIRECTORY,            /* the working directory has no name */
    IMAGE_THREAD,               /* one does not stop */
    IMAGE_MEMORY,               /* none for the tables */
    IMAGE_BUSY,                 /* another thread is at it */
    IMAGE_OUTPUT                /* the image cannot be written */
};

struct image_range { uint64_t start, end; };

/* What the caller takes care of by itself, all borrowed. Of ranges the whole
 * pages count. */
struct image_ask {
    /* The restored process has neither these descriptors nor anything in these
     * ranges of addresses. */
    const int *but_fds;
    size_t nfds;
    const struct image_range *but;
    size_t nranges;
    /* What is mapped as shared and lies wholly in one of these is private
     * memory of the restored process, with what was in it. Whoever else has it
     * may go on writing to it. Where nothing is in it, nothing comes into it. */
    const struct image_range *copy;
    size_t ncopies;
    /* Here the restored process finds what hector-restore --tell was given, as
     * a string, "" without; what does not fit is refused by hector-restore. It
     * is "" in the process that it was made of, too. NULL: it cannot be told. */
    char *told;
    size_t told_size;
    /* So many bytes wait in descriptor 0 while all threads stand, if that is a
     * pipe; or NULL. */
    uint64_t *unread;
    /* Where fd does not block: it has to take something within so long. 0: it is
     * waited for. */
    int patience_ms;
    /* So many bytes were written, of an image that is whole; or NULL. */
    uint64_t *written;
    /* Called when the image has been written, while the other threads still
     * stand still; NULL: they go on at once. Then a pipe gets pages of this
     * process in place of copies: it must not return before whoever reads the
     * pipe has taken all of them, or wants none any more. It needs at most
     * 64 KiB of stack, takes no lock and no memory. */
    void (*standing)(void *arg);
    void *arg;
};

/* Looks, and stops nobody: why would image_write() refuse? ask may be NULL. A
 * sentence for people goes to why, which may be NULL if size is 0. */
enum image_reason image_refused(const struct image_ask *ask, char *why,
                                size_t size);

/* Stops all other threads, writes the image to fd, which is not part of it and
 * stays open, and lets them go on.
 *
 * 0: written, and this is the process that it was made of. 1: this is a process
 * that was made of it; everything is as it was at the call, but for the numbers
 * of process and threads. Negative: no image, why says why not, and the process
 * goes on: -ENOTSUP, as image_refused() would have said, before anything was
 * stopped; -EBUSY, -ETIMEDOUT, -ENOMEM, or what write(2) said, or -ETIME, it took
 * nothing for as long as patience_ms, and fd has a part of an image that
 * hector-restore will refuse.
 *
 * A system call that another thread sleeps in goes on; only where it asks for a
 * time to sleep, that begins anew unless the call says what is left. The caller
 * of a handler gets EINTR as by any signal. */
int image_write(int fd, const struct image_ask *ask, char *why, size_t size);

#endif
