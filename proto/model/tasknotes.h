/* tasknotes.h - what is to be said about some tasks of a result that travels
 * up a reduction tree: sentences, each with the set of tasks it is about. */
#ifndef HECTOR_TASKNOTES_H
#define HECTOR_TASKNOTES_H

#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/taskset.h"

/* More different sentences than a person reads, or a lying slave may add. */
enum { TASKNOTES_MAX = 256, TASKNOTES_TEXT_MAX = 400 };

/* Of tasks on a node whose part is not in a result. Returns text. */
enum { TASKNOTES_ABSENT_MAX = 600 };
char *tasknotes_absent(char text[TASKNOTES_ABSENT_MAX], const char *node,
                       const char *why);

struct tasknote { struct taskset at; char *text; };     /* owned */
struct tasknotes { struct tasknote v[TASKNOTES_MAX]; size_t n; };

void tasknotes_fini(struct tasknotes *t);       /* {0} is empty */

/* Those of a part over width positions, which begins at ours at, from anybody:
 * what makes no sense is left out. */
void tasknotes_add(struct tasknotes *t, Hct__TreeNote *const *notes, size_t n,
                   uint32_t at, uint32_t width);

/* As messages: rank_of of each position, NULL: they stay what they are. The
 * texts are borrowed, ranks are the caller's to free, also after -1. */
int tasknotes_fill(const struct tasknotes *t, const uint32_t *rank_of,
                   Hct__TreeNote notes[TASKNOTES_MAX],
                   Hct__TreeNote *list[TASKNOTES_MAX]);

#endif
