/* schema.h - the tables and views of Hector's database, as SQL text.
 *
 * The views jobs, tasks, events, nodes, verdicts, actions, calls, sites and
 * callers are a contract with users: names and columns stay. The tables under
 * them are ours; a change of them gets a new SCHEMA_VERSION and a migration in
 * store.c. */
#ifndef HECTOR_SCHEMA_H
#define HECTOR_SCHEMA_H

enum { SCHEMA_VERSION = 9 };    /* PRAGMA user_version of the file */

extern const char schema_sql[]; /* makes an empty database ours */

/* schema_steps[v] makes one of version v into version v + 1; [0] is unused,
 * an empty database gets the present schema at once. */
extern const char *const schema_steps[SCHEMA_VERSION];

#endif
