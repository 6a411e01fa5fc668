/* message.h - messages from one task to another. */
#ifndef HECTOR_LAYER_MESSAGE_H
#define HECTOR_LAYER_MESSAGE_H

/* After MPI_Init: what its transports can. */
void message_begin(void);

#endif
