/* rebuild_info.h - infos, keys and values: those of the program, and those that
 * belong to a communicator. See rebuild_code.h. */
#ifndef HECTOR_SWAP_REBUILD_INFO_H
#define HECTOR_SWAP_REBUILD_INFO_H

int rebuild_info_read(void);
int rebuild_info_make(void);
void rebuild_info_end(void);

/* One of Open MPI's; a new one with the same in it. NULL: it is empty. */
struct rebuild_info;
int rebuild_info_get(void *real, struct rebuild_info **info);
int rebuild_info_put(const struct rebuild_info *info, void **real);
void rebuild_info_free(struct rebuild_info *info);

#endif
