/* rebuild_group.h - groups, by the world ranks of their members. See
 * rebuild_code.h. */
#ifndef HECTOR_SWAP_REBUILD_GROUP_H
#define HECTOR_SWAP_REBUILD_GROUP_H

int rebuild_group_read(void);
int rebuild_group_make(void);
void rebuild_group_end(void);

/* One with these world ranks as members. */
int rebuild_group_of(const int *ranks, int n, void **real);

#endif
