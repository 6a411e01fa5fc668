/* owner.c - see owner.h. */
#include "master/act/owner.h"

#include <stdio.h>
#include <string.h>

#include "master/act/guest.h"
#include "master/store/journal.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/str.h"

static void comes(const struct owners *o, struct node *n)
{
    char why[300];
    struct err err;

    snprintf(why, sizeof(why), "the owner of %s is back: %s", n->name,
             n->owner.why ? n->owner.why : "");
    if (drain_for_owner(o->drains, n, why, &err))
        log_warn("owner", "%s is not drained for its owner: %s", n->name, err.text);
}

static void goes(const struct owners *o, struct node *n)
{
    char why[300];
    struct err err;

    snprintf(why, sizeof(why), "the owner of %s is gone", n->name);
    if (drain_without_owner(o->drains, n, why, &err))
        log_warn("owner", "%s is not given back to jobs: %s", n->name, err.text);
    for (struct job *j = NULL; (j = jobs_next(o->jobs, j)); )
        guest_again(o->acts, j, n);
}

void owner_told(const struct owners *o, struct node *n, const Hct__Owner *m)
{
    enum node_owner_is is;
    char why[200];

    if (!m)
        return;
    n->owner.suspends = m->suspends;
    switch (m->state) {
    case HCT__OWNER__STATE__NOBODY:
        is = NODE_OWNER_UNKNOWN;
        break;
    case HCT__OWNER__STATE__HERE:
        is = NODE_OWNER_HERE;
        break;
    case HCT__OWNER__STATE__GONE:
        is = NODE_OWNER_GONE;
        break;
    default:                    /* what was known holds */
        return;
    }
    if (is == n->owner.is)
        return;
    str_visible(why, sizeof(why), m->why, strlen(m->why));
    n->owner.is = is;
    n->owner.since_ns = clock_wall_ns();
    n->owner.news = true;
    node_set_text(&n->owner.why, why);
    journal_node(o->acts->journal, n);
    log_info("owner", "%s: %s%s%s", n->name, is == NODE_OWNER_HERE
             ? "its owner is there" : is == NODE_OWNER_GONE ? "its owner is gone"
             : "nobody looks for its owner", *why ? ": " : "", why);
    if (is == NODE_OWNER_HERE)
        comes(o, n);
    else
        goes(o, n);
}
