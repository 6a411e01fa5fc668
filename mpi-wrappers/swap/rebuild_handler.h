/* rebuild_handler.h - error handlers of the program, also those that it has freed
 * and that are still in use. See rebuild_code.h. */
#ifndef HECTOR_SWAP_REBUILD_HANDLER_H
#define HECTOR_SWAP_REBUILD_HANDLER_H

int rebuild_handler_read(void);
int rebuild_handler_make(void);
void rebuild_handler_end(void);

/* One of the old Open MPI's, as something that is asked for the new one's after
 * rebuild_handler_make(). NULL: it is not known. */
struct rebuild_handler;
struct rebuild_handler *rebuild_handler_get(void *real);
void *rebuild_handler_now(const struct rebuild_handler *h);

#endif
