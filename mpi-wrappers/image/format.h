/* format.h - what is in an image, in this order:
 *
 *   struct image_head
 *   the tables      regions, mapped files, descriptors, threads, one after the
 *                   other as the head counts them, then all names, each with a
 *                   0 behind it, then the code of the vdso
 *   the memory      for each region: any number of struct image_run, each
 *                   followed by so many bytes, and one that is all 0
 *   the contents    for each descriptor that says so: so many bytes
 *   struct image_tail
 *
 * Numbers are those of the machine, which is x86-64. The head is right if its
 * own hash is, the tables if the one in the head is, all the rest if the one in
 * the tail is. Whoever changes anything of this makes IMAGE_VERSION another
 * number: an image of another version is refused. */
#ifndef HECTOR_IMAGE_FORMAT_H
#define HECTOR_IMAGE_FORMAT_H

#include <stdint.h>

#include "mpi-wrappers/cpu.h"

enum {
    IMAGE_VERSION = 6,
    IMAGE_PAGE = 4096,
    IMAGE_HUGE_PAGE = 2 << 20,
    IMAGE_HASH = 32,            /* BLAKE3 */
    IMAGE_SIGNALS = 64,
    IMAGE_LIMITS = 16,
    IMAGE_MM = 11,
    IMAGE_PROCESSORS = 1024,
    IMAGE_NONE = -1
};
#define IMAGE_MAGIC     "HctImage"
#define IMAGE_TAIL      "HctEnded"
/* Of the C library's own: who stops threads sends one. */
#define IMAGE_LIBRARY_SIGNALS (3ull << 31)
#define IMAGE_ACROSS    (1ull << 47)    /* no address of a process is above */

/* Where registers are in a signal's frame, which differs between processors: for
 * each bit of XCR0, from the third on, offset and bytes. */
enum { IMAGE_STATES = 19 };
struct image_layout {
    uint64_t states;            /* XCR0 */
    uint32_t at[IMAGE_STATES], bytes[IMAGE_STATES];
};

struct image_cpu {
    struct cpu_set may;         /* what the program may use */
    uint64_t saved;             /* XCR0 where it began: the C library has made
                                   up its mind by that */
    uint64_t permitted;         /* which registers it had to ask for */
    uint32_t bound;             /* 1: no function is bound when it is called */
    uint32_t zero;
    struct image_layout layout; /* of the frames that are in its stacks */
};

/* A signal's disposition, as rt_sigaction(2) of the kernel has it. */
struct image_action { uint64_t handler, flags, restorer, mask; };

/* As setitimer(2) has it. */
struct image_timer { uint64_t again_s, again_us, left_s, left_us; };

struct image_limit { uint64_t soft, hard; };

/* Which processors of a node may be used: bit N of all. None: that is not known. */
struct image_processors { uint64_t w[IMAGE_PROCESSORS / 64]; };

struct image_head {
    char magic[8];              /* IMAGE_MAGIC */
    uint32_t version;           /* IMAGE_VERSION */
    uint32_t bytes;             /* of this struct */
    char release[64];           /* of the kernel, and a 0 */
    struct image_cpu cpu;
    uint32_t user, group;
    uint32_t umask;
    uint32_t stdio;             /* bit N: descriptor N (0..2) was open */
    uint64_t nregions, nmapped, nfds, nthreads;
    uint64_t name_bytes, vdso_bytes;
    uint64_t tables_bytes;      /* all of them */
    uint64_t program;           /* name: the file that was started */
    uint64_t directory;         /* name: the working directory */
    uint64_t back;              /* address of a struct image_back */
    uint64_t told, told_bytes;  /* address of a buffer for --tell; 0: none */
    uint64_t vdso, vvar;        /* where they began */
    uint64_t vvar_bytes;        /* up to the vdso */
    uint64_t pending;           /* signals for any thread: bit N - 1 */
    uint64_t mm[IMAGE_MM];      /* as prctl_mm_map has them, start_code first */
    uint64_t auxv_bytes;
    uint8_t auxv[512];
    struct image_action action[IMAGE_SIGNALS];  /* of signal 1 first */
    struct image_timer timer[3];
    struct image_limit limit[IMAGE_LIMITS];
    struct image_processors given;      /* to its parent, as to all tasks there */
    uint8_t tables_hash[IMAGE_HASH];
    uint8_t hash[IMAGE_HASH];   /* of everything above */
};

enum image_kind {
    IMAGE_ANON,                 /* private memory: all pages but those of 0 */
    IMAGE_STACK,                /* the same, of the first thread: grows */
    IMAGE_ANON_SHARED,          /* the same, mapped as shared */
    IMAGE_FILE,                 /* a file, and those pages that differ */
    IMAGE_FILE_SHARED           /* a file: no pages */
};

/* How those pages that have something in them are found. */
enum image_pages {
    IMAGE_PAGES_OWN,            /* the kernel says which this process has */
    IMAGE_PAGES_SHARED,         /* ... which anybody has */
    IMAGE_PAGES_ALL             /* a file without a name: each is read */
};

/* One mapping, [start, end); they are in the order of addresses. */
struct image_region {
    uint64_t start, end;
    uint64_t offset;            /* in the file */
    uint32_t prot;              /* PROT_READ, ... */
    uint32_t kind;              /* enum image_kind */
    int32_t mapped;             /* index of the file, or IMAGE_NONE */
    uint32_t pages;             /* enum image_pages */
    uint32_t huge;              /* 1: it has huge pages */
    uint32_t zero;
};

/* A file that regions are mapped from. It has to be there, with the same build
 * id; without one, of the same size and age. */
enum { IMAGE_BUILD_ID = 32 };
struct image_mapped {
    uint64_t name;              /* offset in the names */
    uint64_t bytes;
    int64_t changed_s;          /* when it was modified */
    uint32_t changed_ns;
    uint32_t id_bytes;          /* 0: it has none */
    uint8_t id[IMAGE_BUILD_ID];
};

enum image_fd_kind {
    IMAGE_FD_FILE,              /* opened by its name */
    IMAGE_FD_CONTENTS,          /* has no name: a new one with these bytes */
    IMAGE_FD_SAME               /* a duplicate of another descriptor */
};

struct image_fd {
    int32_t fd;
    uint32_t kind;              /* enum image_fd_kind */
    int32_t same;               /* IMAGE_FD_SAME: as which one */
    uint32_t flags;             /* of open(2) */
    uint32_t type;              /* S_IFREG, S_IFDIR, S_IFCHR */
    uint32_t cloexec;
    int64_t offset;             /* -1: it has none */
    uint64_t bytes;             /* of the file */
    uint64_t name;
};

/* Where a thread goes on, with 1 in rax: what a called function preserves. All
 * other registers of a thread that was stopped are on its stack, in the frame
 * of the signal that stopped it. */
struct image_context {
    uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
    uint32_t mxcsr;
    uint16_t x87, zero;
};

struct image_thread {           /* the one that main() ran in comes first */
    struct image_context context;
    uint64_t fs, gs;
    uint64_t tid_address;       /* of set_tid_address(2) */
    uint64_t robust, robust_bytes;
    uint64_t rseq;              /* 0: none */
    uint32_t rseq_bytes, rseq_mark;
    uint64_t other_stack, other_bytes;  /* of sigaltstack(2) */
    uint64_t pending;           /* signals for this thread: bit N - 1 */
    int32_t other_flags;
    int32_t tid;                /* as it was */
    struct image_processors bound;      /* none where its class has its own */
    char name[16];
};

struct image_run { uint64_t start, bytes; };

struct image_tail {
    char magic[8];              /* IMAGE_TAIL */
    uint64_t bytes;             /* of the whole image */
    uint8_t hash[IMAGE_HASH];   /* of everything above */
};

/* What hector-restore says to the restored process, at head.back. */
struct image_back { uint64_t start, bytes; };   /* its own rest, to unmap */

#endif
