/* rebuild_op.h - operators of the program. See rebuild_code.h. */
#ifndef HECTOR_SWAP_REBUILD_OP_H
#define HECTOR_SWAP_REBUILD_OP_H

int rebuild_op_read(void);
int rebuild_op_make(void);
void rebuild_op_end(void);

#endif
