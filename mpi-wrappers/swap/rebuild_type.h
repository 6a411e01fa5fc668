/* rebuild_type.h - data types, also those that the program has freed and that
 * others are made of or unfinished receives need. See rebuild_code.h. */
#ifndef HECTOR_SWAP_REBUILD_TYPE_H
#define HECTOR_SWAP_REBUILD_TYPE_H

int rebuild_type_read(void);
int rebuild_type_make(void);
void rebuild_type_end(void);

/* One of the old Open MPI's, as something that is asked for the new one's after
 * rebuild_type_make(). NULL: it cannot be read. */
struct rebuild_type;
struct rebuild_type *rebuild_type_get(void *real);
void *rebuild_type_now(const struct rebuild_type *t);

#endif
