/* sentence.h - a verdict as people read it. Pure. */
#ifndef HECTOR_SENTENCE_H
#define HECTOR_SENTENCE_H

#include "master/state/job.h"
#include "master/watch/found.h"
#include "proto/base/str.h"

/* Lines, each with its end: the verdict in one, then what it says of a rank in
 * each. back: it takes back what was found before. */
void sentence_report(struct str *to, const struct job *j,
                     const struct found *f, const struct hct_verdict *v,
                     bool back);

#endif
