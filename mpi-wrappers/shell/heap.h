/* heap.h - the memory of all that lives in the namespace of Open MPI. */
#ifndef HECTOR_SHELL_HEAP_H
#define HECTOR_SHELL_HEAP_H

/* Where it lies, for who gives it back; NULL if there is none yet. */
void heap_region(void **from, void **to);

#endif
