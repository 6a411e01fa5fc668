/* rebuild_request.h - unfinished receives, persistent and generalized requests.
 * See rebuild_code.h. */
#ifndef HECTOR_SWAP_REBUILD_REQUEST_H
#define HECTOR_SWAP_REBUILD_REQUEST_H

int rebuild_request_read(void);
int rebuild_request_make(void);
void rebuild_request_end(void);

#endif
