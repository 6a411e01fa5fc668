/* about.h - what one MPI call is about: communicator, partner, tag, how much,
 * which requests. Filled by the generated entry points (about.awk), read by
 * the recorder. Everything is as the program gave it. */
#ifndef HECTOR_ABOUT_H
#define HECTOR_ABOUT_H

#include <stdint.h>

/* What is true of every call of a function; about.awk chooses. */
enum about_traits {
    ABOUT_COMM = 1,             /* object is a communicator, window, file */
    ABOUT_WIN = 2,
    ABOUT_FILE = 3,
    ABOUT_KIND = 3,             /* mask of these: enum page_kind */
    ABOUT_FORTRAN = 1 << 2,     /* all handles are Fortran's integers */
    ABOUT_PEER = 1 << 3,        /* peer, source, tag are there */
    ABOUT_SOURCE = 1 << 4,
    ABOUT_TAG = 1 << 5,
    ABOUT_COLLECTIVE = 1 << 6,  /* all members of the object call it */
    ABOUT_FREES = 1 << 7,       /* the object goes */
    ABOUT_FREES_TYPE = 1 << 8,  /* type goes */
    ABOUT_FREES_REQUEST = 1 << 9,       /* requests[0] goes */
    ABOUT_MAKES_REQUEST = 1 << 10,      /* into requests[0] */
    ABOUT_PERSISTENT = 1 << 11, /* ... one to be started */
    ABOUT_STARTS = 1 << 12,     /* starts requests */
    ABOUT_WAITS = 1 << 13,      /* waits for requests, or tests them */
    ABOUT_ENDS = 1 << 14,       /* ... and ends those that are finished */
    ABOUT_MAKES_SHIFT = 15,     /* a new object into made: enum page_kind */
    ABOUT_MAKES = 3 << ABOUT_MAKES_SHIFT,
    ABOUT_SAME_GROUP = 1 << 17, /* ... with the ranks of the object */
    ABOUT_BY_GROUP = 1 << 18,   /* ... not all of the object's members call */
    ABOUT_OUTSIDE = 1 << 19,    /* ... together with another world */
    ABOUT_LEVEL = 1 << 20,      /* tag is MPI_Pcontrol's level */
    ABOUT_AGAIN = 1 << 21,      /* what is made may be known already */
    ABOUT_SENDS = 1 << 22,      /* a message leaves with this call */
    ABOUT_TAKES = 1 << 23,      /* one has been taken when it is over */
    ABOUT_CANCELS = 1 << 24,    /* requests[0] may end without a message */
    ABOUT_MATCHES = 1 << 25,    /* takes a message out of those that may be
                                   received, into made */
    ABOUT_MATCHED = 1 << 26,    /* receives this one: object */
    ABOUT_COMMITS = 1 << 27,    /* type may be used from now on */
    ABOUT_LARGE = 1 << 28,      /* counts are MPI_Count, not int */
};

/* Of a collective call in which each member gives each other one an amount of its
 * own: what this task gives and takes. With a root (ABOUT_PEER) an array means
 * something there alone, and a single count at the others, of what goes to the
 * root or comes from there. */
struct about_parcels {
    struct about_side {
        const void *counts;     /* one for each member; NULL: a single one */
        int64_t count;          /* or ABOUT_OWN: as the other side has for this
                                   task itself */
        uintptr_t type;         /* handle; 0: there are types, */
        const void *types;      /* ... of which each member has one */
    } gives, takes;
};
enum { ABOUT_OWN = -1 };

struct about {
    const void *from;           /* where the call returns to */
    uintptr_t object;           /* handle, of a message with ABOUT_MATCHED;
                                   0: none */
    uintptr_t type;             /* handle of a datatype; 0: none. With
                                   ABOUT_BY_GROUP that of the group, or of the
                                   communicator that its leaders speak over */
    const void *made;           /* where the new object's handle will stand, or
                                   with ABOUT_MATCHES that of the message */
    const void *requests;       /* an array of handles */
    const void *counts;         /* one for each member: instead of count */
    const struct about_parcels *parcels;        /* NULL: another call */
    /* Of a wait or test, or MPI_Improbe, when it is over: */
    const int *flag;            /* is anything finished? NULL: it is */
    const int *index;           /* which one, or ones; NULL: all of them */
    const int *nindex;          /* how many; NULL: one */
    const int *status;          /* of the one message or request, or of each that has
                                   ended; may be what means that there is none */
    int64_t count;              /* of elements, of requests */
    int32_t nrequests;
    int32_t peer, source, tag;  /* of MPI_Intercomm_create: the leader of the
                                   own group, and of the other one */
    int32_t source_tag;         /* of a Sendrecv: of what it takes */
    uint32_t traits;
};

/* Member by member: what is mostly zeros the compiler would clear by rep stos
 * first, which takes longer than the rest of a wrapper. */
_Static_assert(sizeof(struct about) == 11 * sizeof(void *) + sizeof(int64_t) +
                                           6 * sizeof(int32_t),
               "a new member of struct about has its line in about_fill()");
static inline __attribute__((always_inline))
void about_fill(struct about *to, const struct about v)
{
    to->from = v.from;
    to->object = v.object;
    to->type = v.type;
    to->made = v.made;
    to->requests = v.requests;
    to->counts = v.counts;
    to->parcels = v.parcels;
    to->flag = v.flag;
    to->index = v.index;
    to->nindex = v.nindex;
    to->status = v.status;
    to->count = v.count;
    to->nrequests = v.nrequests;
    to->peer = v.peer;
    to->source = v.source;
    to->tag = v.tag;
    to->source_tag = v.source_tag;
    to->traits = v.traits;
}

/* The one of member i among counts, of a call with these traits. */
static inline int64_t about_count(uint32_t traits, const void *counts, uint32_t i)
{
    return traits & ABOUT_LARGE ? ((const int64_t *)counts)[i]
                                : ((const int *)counts)[i];
}

/* Handles of MPI are pointers or integers. A key is one word that is never 0
 * for a handle; integers, of C or of Fortran, make odd ones. */
static inline uintptr_t about_key(int handle)
{
    return (uintptr_t)(uint32_t)handle << 1 | 1;
}

#endif
