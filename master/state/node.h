/* node.h - the nodes this master knows: one for each slave that has ever
 * joined, found by name. A node that left keeps its place, so pointers to it
 * and its number stay good for the life of the master. */
#ifndef HECTOR_NODE_H
#define HECTOR_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi-wrappers/cpu.h"
#include "proto/base/err.h"

struct conn;

/* Away: its slave has tasks and no link to us, but may still come back. */
enum node_state { NODE_UP, NODE_LEFT, NODE_AWAY, NODE_LOST };

struct node_away {
    uint64_t until_ns;          /* monotonic: so long we wait for it */
    char *why;                  /* owned; it is */
};

struct node_leaving {           /* of master/act/drain.h: why NULL: nobody leaves */
    char *why;                  /* owned */
    char *to;                   /* owned: names of nodes, with commas; "": any */
};

enum node_owner_is { NODE_OWNER_UNKNOWN, NODE_OWNER_HERE, NODE_OWNER_GONE };

struct node_owner {             /* of master/act/owner.h: whose machine it is */
    enum node_owner_is is;
    char *why;                  /* owned: by what that is seen; or NULL */
    uint64_t since_ns;          /* wall clock */
    bool suspends;              /* jobs that cannot leave, while he is here */
    bool drains;                /* the node is draining for him alone */
    bool news;                  /* the journal is to write it */
};

struct node_pace {              /* 1 is usual; 0: not known */
    double loop;                /* by a loop of its slave */
    double part;                /* of a processor that each of them is */
    double seen;                /* of master/optimize/speeds.h: by what the same
                                   calls of tasks take here and elsewhere */
};

struct node {
    uint32_t id;                /* place in the table */
    char *name;                 /* owned */
    char *hostname, *machine;   /* owned; for people */
    uint32_t cpus;              /* at least 1 */
    struct cpu_set cpu;         /* what they have; none: not told */
    uint64_t memory_bytes, memory_available_bytes;
    uint32_t processors;        /* of which cpus are usable; 0: not told */
    struct node_pace pace;      /* of one of these */
    uint64_t disk_available_bytes;      /* 0: not told */
    double load, cpu_busy;
    double busy_mean;           /* cpu_busy of the last seconds */
    enum node_state state;
    uint64_t instance;          /* of its slave */
    struct conn *link;          /* borrowed; NULL unless NODE_UP */
    uint64_t seen_ns;           /* wall clock */
    uint64_t events_ns;         /* monotonic: records of tagged calls came */
    struct node_away away;      /* of master/flow: NODE_AWAY */
    char *reduce_at;            /* owned: where it listens for slaves below it;
                                   NULL: not known */
    uint64_t *output_waits;     /* owned: jobs, as in NodeLoad */
    size_t noutput_waits;
    bool clock_known;
    int64_t clock_offset_ns;    /* its wall clock minus ours */
    uint64_t clock_error_ns;
    uint32_t ntasks;            /* of jobs that have not ended */
    uint32_t ncoming;           /* tasks that are being moved here */
    uint32_t njobs;

    bool draining;              /* it takes no new tasks */
    struct node_leaving leaving;        /* its tasks, to other nodes */
    bool drain_news;            /* the journal is to write both */
    struct node_owner owner;
    int64_t stored;             /* its id in the database; 0: none yet */
    bool dirty;                 /* the journal is to write it */
};

struct nodes {                  /* {0} is the empty table */
    struct node **v;            /* owned */
    size_t n, cap;
};

void nodes_fini(struct nodes *t);
struct node *nodes_find(const struct nodes *t, const char *name);
/* The node of that name, made (NODE_LEFT) if there is none yet; NULL when
 * memory runs out. */
struct node *nodes_make(struct nodes *t, const char *name);

/* Its tasks leave from now on, to these nodes ("a,b"); why NULL: no more. -1: no
 * memory, nothing has changed. */
int node_set_leaving(struct node *n, const char *why, const char *to);

/* May new tasks go there? -1 with a sentence. */
int node_takes(const struct node *n, struct err *err);
/* What a task gets of a processor of it, if there is nobody else. */
double node_speed(const struct node *n);
/* ... of a whole one, whatever quota there is: of time that it had. */
double node_speed_whole(const struct node *n);
/* cpu_busy is of the last second: let it count. */
void node_mix_busy(struct node *n);

/* Replace an owned text; keeps the old one when memory runs out. */
void node_set_text(char **field, const char *text);
const char *node_state_name(enum node_state s); /* word of the nodes view */
/* The same of its owner: here, gone, "". */
const char *node_owner_name(enum node_owner_is is);

#endif
