/* settings.h - the section [run] of hector.conf: what a person has set for the
 * programs that are called by hand, hector-run and hector. */
#ifndef HECTOR_SETTINGS_H
#define HECTOR_SETTINGS_H

#include "proto/base/err.h"

struct settings {               /* texts are owned, "" where nothing is set */
    char *master;               /* address of a standing one */
    char *launch_agent;         /* starts slaves on other hosts */
    char *db;                   /* database, unless $HECTOR_DB names one */
    char *buffer;               /* of the tasks' stdout: line, block, none */
    char *on_hang;              /* as in onhang.h */
};

/* From hector.conf of the system and of the user, with defaults where they
 * say nothing. settings_fini() is due in any case. */
int settings_load(struct settings *s, struct err *err);
void settings_fini(struct settings *s);

#endif
