/* rebuild_code.h - error classes, codes and strings that the program has added.
 * Here and in the other files of this kind: read what the old Open MPI says, make
 * it again in the new one, forget it; MPI's error codes. */
#ifndef HECTOR_SWAP_REBUILD_CODE_H
#define HECTOR_SWAP_REBUILD_CODE_H

int rebuild_code_read(void);
int rebuild_code_make(void);

#endif
