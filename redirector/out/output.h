/* output.h - where the tasks' output goes: standard output and error,
 * stdtim, or a directory; whole lines, labels, back-pressure together.
 *
 * Hector's own words (say.h) go through here too while it is open, so that
 * they never stand in the middle of a task's line. */
#ifndef HECTOR_OUTPUT_H
#define HECTOR_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/base/err.h"
#include "redirector/out/label.h"

struct output;

struct output_conf {
    uint32_t ntasks;
    enum label_style label;
    bool timestamp, merge_stderr;
    const char *dir;            /* --output-dir; NULL: none */
    const char *stdtim;         /* --stdtim; NULL: off */
    /* Nothing more can be taken for the moment; now it can again. */
    void (*on_full)(void *arg);
    void (*on_room)(void *arg);
    /* The reader of standard output has gone (EPIPE), or something could not
     * be written; that output is dropped from now on. Once a place. */
    void (*on_error)(void *arg, const struct err *err);
    void *arg;
};

struct output *output_open(struct event_base *base,
                           const struct output_conf *conf, struct err *err);

/* stream: Hct__Stream, rank below ntasks. */
void output_take(struct output *o, uint32_t rank, int stream, const void *p,
                 size_t n, uint64_t at_ns);
void output_end(struct output *o, uint32_t rank, int stream);

/* No more will come: done is called, from the event loop, when everything
 * has been written. */
void output_finish(struct output *o, void (*done)(void *arg));
void output_close(struct output *o);    /* NULL is fine */

#endif
