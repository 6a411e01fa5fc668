/* rebuild_comm.h - communicators with their topologies, names, infos and error
 * handlers. See rebuild_code.h. */
#ifndef HECTOR_SWAP_REBUILD_COMM_H
#define HECTOR_SWAP_REBUILD_COMM_H

int rebuild_comm_read(void);
int rebuild_comm_make(void);
void rebuild_comm_end(void);

/* While objects are read and made, errors are returned; then the program's own
 * handlers are there again. */
int rebuild_comm_quiet(void);
int rebuild_comm_back(void);

#endif
