/* schema.h - the tables and views of Hector's database, as SQL text.
 *
 * The views jobs, tasks, events, nodes, verdicts, actions, calls, sites and
 * callers are a contract with users: names and columns stay. The tables under
 * them are ours. A change of rows.h brings a new version, and what makes older
 * files like it follows from there. */
#ifndef HECTOR_SCHEMA_H
#define HECTOR_SCHEMA_H

#include "proto/base/str.h"

int schema_version(void);       /* PRAGMA user_version of the file */

/* What makes a file of that version a present one; 0: an empty one. */
void schema_update(struct str *sql, int version);

#endif
