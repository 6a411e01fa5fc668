/* calendar.h - what is due in a job: entries as due.h has them, numbered from 1
 * as they were added, and quickly which of them a tagged call is about.
 *
 * A number is never given again: who takes an entry back leaves its number, and
 * what was known of it. So a calendar can be made again from its entries, in
 * order, each taken back at once that is over. */
#ifndef HECTOR_CALENDAR_H
#define HECTOR_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/idtable.h"
#include "proto/conf/due.h"

enum { CALENDAR_MAX = 64 };     /* entries of a job, in all its life */

struct calendar_word {          /* a label of some entries */
    const struct due_label *label;      /* borrowed, of one of them */
    uint64_t of, to;            /* bit i: it is that of number i + 1 */
};

struct calendar {               /* {0}: nothing is due */
    struct due *v;              /* owned; v[i] has number i + 1 */
    size_t n, cap;
    struct calendar_word *words;        /* owned; those with any rest first */
    size_t nwords, words_cap, nprefixes;
    struct idtable exact;       /* of the others, by their text */
    uint64_t lengths;           /* bit n % 64: one of these has n bytes */
    size_t longest;             /* bytes that the longest of them has */
};

void calendar_fini(struct calendar *c);         /* frees, leaves it empty */

/* One more, from its text. -1 with a sentence, and nothing has changed: it is
 * wrong (the column is named), is there already, or is one too many. */
int calendar_add(struct calendar *c, const char *text, struct err *err);

/* All of a file, one a line; what follows # at the beginning of a line or
 * behind a blank is for people. -1: the sentence names file and line, nothing
 * has changed. */
int calendar_file(struct calendar *c, const char *path, struct err *err);

/* One more, in place of all in force that are about the same calls and ranks
 * (due_alike()); one that is there already stays. -1: as for calendar_add(), or
 * it may be half done, without memory. */
int calendar_put(struct calendar *c, const char *text, struct err *err);

/* *number: of the one in force that is written like that in the end; 0: there
 * is none. -1: it makes no sense. */
int calendar_find(const struct calendar *c, const char *text, uint32_t *number,
                  struct err *err);

/* From now on number is over. -1: there is no such one, or it is over. */
int calendar_take_back(struct calendar *c, uint32_t number, struct err *err);

/* As it was: *c is empty, texts are those of its entries, over has the numbers
 * of those that are. -1: it may be half done. */
int calendar_restore(struct calendar *c, char *const *texts, size_t n,
                     const uint32_t *over, size_t nover, struct err *err);
bool calendar_any(const struct calendar *c);    /* in force */

/* Are all ranks that are named below nranks? -1: a sentence. */
int calendar_check(const struct calendar *c, uint32_t nranks, struct err *err);

/* Bit i of *of: a call with this label, by this rank, is one of number i + 1;
 * of *to: its label is the second one of that. None of those that are over. */
void calendar_match(const struct calendar *c, const char *label, size_t bytes,
                    uint32_t rank, uint64_t *of, uint64_t *to);

#endif
