/* jobmove_private.h - what jobmove.c shares with jobmove_image.c, the images of
 * tasks that leave and come, and jobmove_say.c, what the master is told; for
 * nobody else. */
#ifndef HECTOR_JOBMOVE_PRIVATE_H
#define HECTOR_JOBMOVE_PRIVATE_H

#include "slave/move/coming.h"
#include "slave/move/imageout.h"
#include "slave/move/imageroute.h"
#include "slave/move/jobmove.h"

/* What is under way of all images that come, and of one at least: several times
 * what a link takes while a busy host looks at something else. */
enum { IMAGE_WINDOW = 16 << 20, IMAGE_LEAST = 1 << 20 };

enum mover_part { STAYING, LEAVING, COMING, SAVING };

struct mover {
    struct mover *next;
    struct job *job;            /* borrowed */
    uint32_t rank;
    enum mover_part part;
    int lease;                  /* owned: where it is answered; -1: not asked */
    struct imageout *out;       /* owned; LEAVING: its image is being read */
    uint64_t credit;            /* LEAVING: what may be sent, until then */
    struct imageroute route;    /* owned; LEAVING */
    struct coming coming;       /* owned; COMING */
    bool comes, past;           /* COMING: some of its image has come; past the
                                   master */
    struct reduce_link *from;   /* borrowed: a link that is to be the image */
    char cut[200];              /* COMING: what has happened to the link; "" */
    bool begun;                 /* LEAVING, SAVING: it has a pipe for its image */
    bool cut_off;               /* LEAVING: nobody reads that any more */
    bool whole;                 /* as the task says, all of it was written */
    uint64_t image_bytes;       /* SAVING: of the file */
    uint64_t unread;            /* once whole: what it had in its pipe for input */
    bool may_go;                /* LEAVING: what was made of it is there */
    bool gone, told;            /* LEAVING: reaped with status 0; LEFT, CAME or
                                   FAILED was said */
    Hct__TaskMoved said;        /* last, as long as that is so; job is 0 if
                                   nothing was */
    char why[300];              /* said.why */
    Hct__OpenCall *open;        /* owned, as are the texts; said.open */
    Hct__OpenCall **all_open;   /* owned */
};

struct jobmove {
    uint32_t serial;
    uint64_t window;            /* of each image that comes */
    char *saving;               /* owned: where all write images; or NULL */
    struct plan *to;            /* owned; NULL: that is the plan now */
    struct mover *movers;       /* owned: who comes, leaves, or has asked */
    struct event *later;        /* owned: has who left left nothing? */
    bool registering, registered, told, going;
    bool alone;                 /* no master has ordered it: alone.h */
    char why[300];              /* it cannot be */
};

/* Of the move that is; NULL: nobody. */
struct mover *jobmove_find(const struct job *j, uint32_t rank);

/* Nothing of a move is left that no task has been let into, or that all have joined. */
void jobmove_forget(struct job *j);

/* TaskMoved; and once more what it said last. */
void jobmove_say_moved(struct mover *v, Hct__TaskMoved__Kind kind,
                       const char *why);
void jobmove_say_again(struct mover *v);
void jobmove_drop_open(struct mover *v);

/* How images of those that leave go, as the master has said. */
int jobmove_set_routes(struct job *j, const Hct__Swap *m, struct err *err);
/* It asks where its image goes: where that is waited for. */
int jobmove_begin_image(struct mover *v, struct err *err);
/* All of it was read, and is whole as the task says. */
void jobmove_end_image(struct mover *v);
/* It could not leave, and prints and reads on. */
void jobmove_go_on_here(const struct mover *v);
/* What was not sent is lost. */
void jobmove_drop_image(struct mover *v);
/* There is room for so many bytes more of one that comes; arg is its mover. */
void jobmove_grant(void *arg, uint64_t bytes);

#endif
