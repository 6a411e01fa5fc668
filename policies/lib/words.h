/* words.h - what a policy finds, put into its host's storage and in words. */
#ifndef HCT_WORDS_H
#define HCT_WORDS_H

#include <stdbool.h>

#include "policies/hct_policy.h"

/* Begins a verdict; NULL: no room, and it is counted. Ranks and lines that
 * follow belong to it. */
struct hct_verdict *words_verdict(struct hct_out *out, enum hct_kind kind);

void words_blame(struct hct_out *out, uint32_t rank);

__attribute__((format(printf, 3, 4)))
void words_line(struct hct_out *out, int32_t rank, const char *fmt, ...);

/* The same of no verdict: a remark of hct_out. They follow each other. */
__attribute__((format(printf, 2, 3)))
void words_remark(struct hct_out *out, const char *fmt, ...);

/* Of the last line: the places of struct hct_line. */
void words_places(struct hct_out *out, uint32_t site, uint32_t made);

void words_propose(struct hct_out *out, enum hct_action action);

/* Of a verdict: from 0 to what is not certain yet; and for longest_ms. */
double words_score(double score);
uint32_t words_ms(uint64_t ns);

/* Of a notice, at its end. */
#define WORDS_NOTHING_SAYS "; nothing seen so far says whether that is wrong"

/* "rank 3", "ranks 0-2,7": into buf of that size, cut with "...". */
enum { WORDS_RANKS = 96 };
const char *words_ranks(char buf[WORDS_RANKS], const uint32_t *sorted,
                        uint32_t n);

/* "12.3 s", "80 ms", "5 min" */
enum { WORDS_TIME = 24 };
const char *words_time(char buf[WORDS_TIME], uint64_t ns);
/* The same of one that may be short: "4.5 us", "1.23 ms". */
const char *words_short(char buf[WORDS_TIME], double ns);

/* How it has ended, if not well: "was killed by signal 9"; NULL: it has not. */
const char *words_fate(const struct hct_snapshot *in, uint32_t rank);
/* "; rank 3 was killed by signal 9", and how many more; "" if none has ended so. */
enum { WORDS_FATES = 96 };
const char *words_fates(char buf[WORDS_FATES], const struct hct_snapshot *in);

/* Does the function ask for a message or for requests? There are many that only look at
 * what the task knows itself, as MPI_Wtime. */
bool words_asks(const struct hct_call *c);

/* "MPI_COMM_WORLD", "a communicator of 4" as rank knows it. */
enum { WORDS_COMM = 48 };
const char *words_comm(char buf[WORDS_COMM], const struct hct_snapshot *in,
                       uint32_t rank, uint64_t id);

#endif
