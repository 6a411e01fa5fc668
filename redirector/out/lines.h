/* lines.h - whole lines: decides what of many tasks' output is written when.
 *
 * Pure: time is an argument (monotonic ns), bytes leave through emit().
 *
 * A port is a place to write to; ports that end up in one terminal or file
 * share a domain, and in a domain one source (a rank's stream) at a time may
 * own an unfinished line:
 *
 *  - Whole lines pass at once while nobody owns.
 *  - An unfinished line that has been idle for LINES_IDLE_NS, or is longer
 *    than LINES_LONG, is written and its source becomes the owner until the
 *    newline comes. What the owner writes passes at once.
 *  - Meanwhile whole lines of others wait, LINES_WAIT_NS at most (less if
 *    they pass LINES_HELD): then a newline is inserted, the only byte ever
 *    added, and the rest of the owner's line is a line of its own.
 *  - Unfinished lines of others wait as long as it takes.
 *  - When a source ends without a newline and other text follows, a newline
 *    is inserted between; at the very end nothing is added.
 *
 * In a domain where only one task can write, and without labels, every byte
 * passes at once, uncopied and unseen. */
#ifndef HECTOR_LINES_H
#define HECTOR_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redirector/out/label.h"

#define LINES_IDLE_NS 100000000ull      /* 100 ms */
#define LINES_WAIT_NS 1000000000ull     /* 1 s */
enum { LINES_LONG = 1 << 20, LINES_HELD = 8 << 20 };

enum lines_port { LINES_STDOUT, LINES_STDERR, LINES_STDTIM, LINES_PORTS };

struct lines_conf {
    uint32_t ntasks;
    bool stdtim;                /* its port is in use */
    int domain[LINES_PORTS];    /* ports with the same number share */
    struct label *label;        /* borrowed; NULL: none. stdtim has none */
    /* Write these bytes; called from inside the functions below only. */
    void (*emit)(void *arg, enum lines_port port, const void *p, size_t n);
    void *arg;
};

struct lines;

/* NULL when memory runs out. When it runs out later, text is written at once
 * rather than lost, and lines may mix. */
struct lines *lines_create(const struct lines_conf *conf);
void lines_destroy(struct lines *l);

/* What a task wrote; at_ns is the wall time for its label. */
void lines_input(struct lines *l, enum lines_port port, uint32_t rank,
                 const void *p, size_t n, uint64_t at_ns, uint64_t now);

/* The stream has ended. */
void lines_end(struct lines *l, enum lines_port port, uint32_t rank,
               uint64_t now);

/* Whole lines of our own: never wait, never labelled. */
void lines_say(struct lines *l, enum lines_port port, const char *text,
               size_t n);

/* Do what is due; when the next thing will be (0: nothing ever). */
void lines_tick(struct lines *l, uint64_t now);
uint64_t lines_due(const struct lines *l);

/* The very end: everything that waits is written. */
void lines_finish(struct lines *l);

/* Bytes that wait for whatever reason. */
size_t lines_held(const struct lines *l);

#endif
