/* onhang.h - what is to be done when a job hangs, as people write it:
 *
 *   report | migrate | suspend | rollback | kill[:age=60s,sure=99.9,patience=5m]
 *
 * What is done goes by the strength of the evidence. A proof, as of a
 * deadlock, is acted on at once; a verdict, which comes from a model, when it
 * is as sure and the hang as old as is wished; a notice, which only says that
 * something has taken long, never, unless somebody says for how long. */
#ifndef HECTOR_ONHANG_H
#define HECTOR_ONHANG_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/err.h"

/* In order of what is lost. */
enum onhang_action {
    ONHANG_REPORT, ONHANG_MIGRATE, ONHANG_SUSPEND, ONHANG_ROLLBACK, ONHANG_KILL
};

/* Without an age: so long, and so many times as long as the longest stay that
 * the model knows of this place. */
#define ONHANG_AGE_NS 60000000000ull
enum { ONHANG_BEYOND = 10 };

struct onhang {
    enum onhang_action action;
    bool has_age;
    uint64_t age_ns;            /* of a verdict, at least; has_age */
    double sure;                /* of a verdict, at least: per cent */
    uint64_t patience_ns;       /* of a notice, at least; 0: never */
};

/* "" is report. -1: a sentence says what is wrong, and *h is untouched. */
int onhang_parse(struct onhang *h, const char *text, struct err *err);

/* "report", "migrate", ... */
const char *onhang_name(enum onhang_action action);

/* How old a verdict must be; longest_ns: see above, 0: none is known. */
uint64_t onhang_age(const struct onhang *h, uint64_t longest_ns);

#endif
