/* owner.h - the owner of this node, who has lent it to jobs while he is not there:
 * keys owner of hector.conf, looked at every few seconds, where it is set. The
 * master is told when he comes and goes, it decides. */
#ifndef HECTOR_OWNER_H
#define HECTOR_OWNER_H

#include <stdint.h>
#include <event2/event.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"

struct jobs;
struct owner;

struct owner_conf {             /* texts are borrowed by what is opened with it */
    char *by;                   /* user, console, load; "": nobody looks */
    char *utmp, *console;       /* "": what there is */
    char *otherwise;            /* suspend, nothing: jobs that cannot leave */
    uint64_t idle_ns, look_ns;
    double load;
};

/* Does it make sense, and is there what it takes? -1 with a sentence. */
int owner_check(const struct owner_conf *conf, struct err *err);

/* Look from now on. *o is NULL where nobody is to look; told() is called when
 * something has changed. */
int owner_open(struct owner **o, struct event_base *base,
               const struct owner_conf *conf, struct jobs *jobs,
               void (*told)(void *arg), void *arg, struct err *err);
void owner_close(struct owner *o);      /* NULL is fine */

/* What is so. Texts are borrowed until the loop goes on. */
void owner_say(const struct owner *o, Hct__Owner *m);

#endif
