/* mover_private.h - a move, for the files that are the mover: mover.c has its
 * machine and what each state effects, mover_ask.c what is looked at before it
 * begins, mover_send.c what slaves are told, mover_look.c what follows from looks
 * at pages, mover_again.c a move that another master has begun. */
#ifndef HECTOR_MOVER_PRIVATE_H
#define HECTOR_MOVER_PRIVATE_H

#include "master/move/bill.h"
#include "master/move/mover.h"
#include "master/move/moverank.h"
#include "master/move/stop.h"
#include "proto/base/clock.h"

/* As in page.h: its words follow those of a stop. */
enum { WORD_RUN = STOP_WANT_RUN, WORD_SWAP = STOP_WANT_DRAIN + 1 };
enum { COMMS_MORE = 64 };       /* than there are at first */
#define LOOK_NS    (CLOCK_NS_PER_MS)            /* between two, at most */
#define SLOW_NS    (10 * CLOCK_NS_PER_MS)       /* the same, once apart */
#define HEARD_NS   (5 * CLOCK_NS_PER_S)         /* beyond the limit of the stop */
#define SAY_NS     (CLOCK_NS_PER_S / 5)         /* how much of the images */
#define ROOM_NS    (20 * CLOCK_NS_PER_S)        /* then it is not waited for */
#define PREPARE_NS (60 * CLOCK_NS_PER_S)
#define APART_NS   (600 * CLOCK_NS_PER_S)       /* images may be large */
#define JOIN_NS    (120 * CLOCK_NS_PER_S)

struct mover_target {
    struct node *node;          /* borrowed */
    struct taskset ranks;       /* owned: who goes there */
    bool waits, asked;          /* until it has prepared, which it was asked */
};

struct mover_node {
    uint64_t look;
    bool swapped;
    bool told, apart;           /* to a master that took it up: that its tasks
                                   stand; and that they have come apart */
};

struct mover_arrivals {         /* of those that have left, for where they come */
    Hct__SwapGo__Arrival *v, **all;
    Hct__TaskMoved **said;      /* what they borrow from */
    size_t n;
};

struct mover {
    struct movers *all;         /* borrowed, like the next two */
    struct job *job;
    struct conn *asker;
    enum move_state state;
    bool acted;                 /* what this state is to effect was done */
    struct taskset ranks;       /* owned: who moves */
    char *saving;               /* owned: directory of images; NULL: none are */
    void (*saved)(struct job *j, const struct mover_saved *s, const char *text);
    uint32_t nsaid;             /* tasks that have said whether theirs is there */
    uint64_t quiet_wall_ns;
    struct mover_target *to;    /* owned: each node once */
    size_t nto;
    bool expected;              /* they count as coming there */
    bool rooming;               /* the nodes are prepared, and make memory */
    uint32_t nrooms;            /* tasks that there may yet be some for */
    struct moverank *rank;      /* owned: of all */
    uint32_t *node_of;          /* owned: where they are to be */
    struct mover_node *node;    /* owned: of all, by index in the job's */
    size_t nnodes;
    struct stop *stop;          /* owned */
    struct stop_task *look;     /* owned: of stop_look.h */
    struct event *timer;        /* owned: it takes too long */
    uint64_t number, looks;     /* of the last orders, and looks; those of one
                                   move are not those of another */
    uint64_t asked_ns;          /* ... for which nodes were asked; monotonic */
    uint32_t generation, serial;
    bool let;                   /* who leaves may do so: nobody can return */
    bool returns;               /* all are to be where they were */
    bool taken_up;              /* by a master that was started again, which
                                   waits for all slaves to say how far it is */
    bool uncertain;             /* whether the job goes on, if it is given up */
    bool mixed;                 /* they have not heard of the same Swap, or one
                                   cannot be made of its image */
    uint64_t quiesce_ns;
    uint64_t ready_by_ns;       /* monotonic: until then it waits for tasks in
                                   MPI_Init, or made of images; 0: there are
                                   none */
    uint64_t quiet_ns;          /* when all stood; monotonic. 0: before this
                                   master was there */
    struct bill bill;           /* owned: what it costs */
    uint64_t said_ns;           /* to the asker; monotonic */
    bool tells;                 /* as in mover_order */
    char why[400];              /* it was given up, or is lost */
    bool passing;               /* and that may be otherwise in a while */
};

/* The machine, mover.c. */
unsigned long long mover_id(const struct mover *v);
/* A node counts those that are on their way to it, too: until they are there, or
 * will not come. */
void mover_expect(struct mover *v, bool coming);
void mover_free(struct mover *v);
bool mover_step(struct mover *v, enum move_event ev);
/* It takes too long. */
void mover_on_timer(evutil_socket_t fd, short what, void *arg);
/* All go on, where they are: or, if that cannot be, the job is lost. */
void mover_give_up(struct mover *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* What is made of their images is there, of all that move. */
bool mover_all_came(const struct mover *v);
/* All have come apart, and nobody has left yet: back to where they were. */
void mover_return_all(struct mover *v, const char *why);

/* Orders to slaves, mover_send.c. */
bool mover_takes_part(const struct job_node *jn);
bool mover_is_there(const struct job_node *jn);
void mover_send_order(struct mover *v, unsigned word, uint64_t number,
                      uint64_t wait_ns, const struct stop_orders *o);
void mover_send_end(const struct mover *v);
/* Which memory have those that move? To how many of them that was said. */
uint32_t mover_send_room_asks(const struct mover *v);
bool mover_moves(const struct mover *v, uint32_t r);
int mover_take_aim(struct mover *v, struct err *err);
struct mover_target *mover_target_of(struct mover *v, const struct node *n);
struct mover_target *mover_target_of_rank(struct mover *v, uint32_t rank);
bool mover_swaps(struct mover *v, const struct job_node *jn);
int mover_send_swap(struct mover *v, const struct job_node *only,
                    struct err *err);
int mover_begin_swap(struct mover *v, struct err *err);
/* Until mover_drop_arrivals(), also if there is no memory: -1. */
int mover_find_arrivals(const struct mover *v, struct mover_arrivals *a,
                        struct err *err);
void mover_drop_arrivals(struct mover_arrivals *a);
void mover_send_go(const struct mover *v);
struct job_node *mover_other_end(const struct mover *v, uint32_t rank,
                                 bool to_target);
void mover_send_let(const struct mover *v);

/* Looks, mover_look.c. */
bool mover_all_swapped(struct mover *v);

/* Beginning, mover_ask.c. */
int mover_add_target(struct mover *v, struct node *n, uint32_t rank,
                     struct err *err);
struct mover *mover_make(struct movers *all, struct job *j,
                         const struct mover_order *o, struct err *err);

/* Moves that another master has begun, mover_again.c. */
extern const char mover_orphaned[];
void mover_go_on(struct mover *v);
/* What a move has cost that nobody has taken up: it has ended like that; or
 * that is not to be noted. */
void mover_close_bill(struct job *j, const char *why);
void mover_forget_bill(struct job *j);

#endif
