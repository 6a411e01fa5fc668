/* rebuild_buffer.h - what MPI has been given: the buffer for sends, and
 * representations of data. See rebuild_code.h. */
#ifndef HECTOR_SWAP_REBUILD_BUFFER_H
#define HECTOR_SWAP_REBUILD_BUFFER_H

int rebuild_buffer_read(void);
int rebuild_buffer_make(void);

#endif
