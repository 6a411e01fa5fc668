/* image_lock.h - what kind of a mutex it is, as bits of a word in it: they are part of
 * the programs that have mutexes, so the C library does not change them. */
#ifndef HECTOR_IMAGE_LOCK_H
#define HECTOR_IMAGE_LOCK_H

enum {
    LOCK_TYPE = 3, LOCK_RECURSIVE = 1, LOCK_ERROR_CHECKING = 2,
    LOCK_ROBUST = 16,
    LOCK_INHERITS = 32, LOCK_PROTECTS = 64,     /* priorities */
    LOCK_SHARED = 128, LOCK_NOT_ELIDED = 512,
    LOCK_KINDS = LOCK_TYPE | LOCK_ROBUST | LOCK_INHERITS | LOCK_PROTECTS |
                 LOCK_SHARED | LOCK_NOT_ELIDED
};

#endif
