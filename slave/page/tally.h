/* tally.h - what is known of a task from its page: tagged calls, counters,
 * the last tag. Survives the page: a shell script may run one MPI program
 * after the other under one rank. */
#ifndef HECTOR_TALLY_H
#define HECTOR_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/base/str.h"
#include "slave/page/profile.h"
#include "slave/page/records.h"
#include "slave/page/rings.h"
#include "slave/page/window.h"
#include "slave/proc/delay.h"
#include "slave/proc/sample.h"

enum { TALLY_TAG_MAX = 200 };

struct tally {
    uint64_t job;
    uint32_t rank;
    char *page;                 /* owned; NULL: none now */
    pid_t pid;                  /* who has it */
    struct rings rings;         /* of the page */
    uint64_t next_seq, damaged;
    bool past_torn;             /* a page before was left in a fence */
    uint64_t page_number;       /* in the vault; 0: not there */
    struct records records;
    struct sample_page past;    /* of pages that are gone */
    struct sample_split split;
    struct profile profile;     /* read by account.c */
    struct windows *windows;    /* owned: of the page; NULL: none yet */
    struct delay_phases delays; /* of the page, too */
    char last_tag[TALLY_TAG_MAX];
    int32_t last_mark;          /* its marker */
};

/* Where what is read goes; all borrowed. */
struct tally_sink {
    struct records_out records;
    struct rings_batch *batch;  /* scratch */
    struct str *lines;          /* stdtim lines; NULL: not wanted */
    const struct records_window *window;
    const struct ticks *ticks;
    struct sites *sites;        /* of the job */
    unsigned *told;             /* about this job (losses.h); NULL: nobody
                                   wants to hear */
    bool hold;                  /* read nothing now, but show that we live */
};

void tally_init(struct tally *w, uint64_t job, uint32_t rank,
                struct records_window *window);
void tally_fini(struct tally *w);

/* Give out a page; returns its memfd. The one before is read to its end,
 * lines are added to the sink's. */
int tally_attach(struct tally *w, pid_t pid, uint32_t ntasks,
                 const struct tally_sink *sink, struct err *err);

struct tally_open { uint32_t slot; struct rings_open call; };

/* It is one that was elsewhere, and has put all of its page of there into this
 * one: what was read there is not read again, numbers go on, and calls that were
 * open are. */
void tally_goes_on(struct tally *w, uint64_t records, uint64_t tagged,
                   const struct tally_open *open, size_t nopen);

/* What is in its page is of no use to anybody. */
void tally_forget_page(struct tally *w);

/* Read the rings, within a budget and while the window has room. Returns the
 * number of stamps found. Lines are added to sink->lines. */
long tally_read(struct tally *w, const struct tally_sink *sink);

/* Somebody reads here, as its programs are told that give up waiting for room after
 * 2 s. tally_read() says so itself; who cannot read yet does it with this. */
void tally_beat(struct tally *w);

/* Is anything left in the rings? */
bool tally_pending(const struct tally *w);

/* Has a program of this task come no further than into MPI_Init or MPI_Finalize,
 * where all tasks meet? */
bool tally_in_fence(const struct tally *w);

/* Counters of all pages up to now. */
void tally_counters(const struct tally *w, const struct ticks *ticks,
                    struct sample_page *out);

#endif
