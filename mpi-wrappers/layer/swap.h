/* swap.h - MERGE: a stand-in. */
#ifndef HECTOR_LAYER_SWAP_H
#define HECTOR_LAYER_SWAP_H

#include <stdbool.h>
#include <stddef.h>

int swap_now(void);
bool swap_refused(char *why, size_t size);

#endif
