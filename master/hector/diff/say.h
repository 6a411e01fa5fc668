/* say.h - what two runs differ in, in words and as JSON. */
#ifndef HECTOR_DIFF_SAY_H
#define HECTOR_DIFF_SAY_H

#include <jansson.h>

#include "master/hector/diff/run.h"
#include "master/hector/diff/rundiff.h"
#include "proto/base/str.h"

struct say {                    /* all borrowed */
    const struct run *run;      /* two, or more */
    const struct rundiff *diff;
};

/* Append a sentence, without its cost. */
void say_item(const struct say *s, const struct rundiff_item *item,
              struct str *out);
/* The same of what was run: was and is as from setup_compare(). */
void say_setup(enum setup_kind kind, const char *was, const char *is,
               struct str *out);

/* An object with all that the sentence says, and the sentence. */
json_t *say_item_json(const struct say *s, const struct rundiff_item *item);

#endif
