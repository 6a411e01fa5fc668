/* phase.h - which phase the program is in, so that models can be read phase by
 * phase. HECTOR_PHASE says what begins one:
 *
 *   tag                each call tagged with HCT_RT_Tag
 *   tag:TEXT           each one tagged with this text
 *   pcontrol           each call of MPI_Pcontrol
 *   MPI_Name           each call of this function
 *   MPI_Name:N         each N-th one
 *   MPI_Name@FILE+OFFSET[:N]   those from this call site alone: the address
 *                      that the call returns to, in this executable or library
 *
 * The phase of a process is one number, which all of its threads follow, and
 * counts: one that comes again has another number. That it is the same one is
 * said by the identity in the page: of the text of its tag, or of the marker if
 * there is none; of the level. What a call begins has no identity. */
#ifndef HECTOR_PHASE_H
#define HECTOR_PHASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi-wrappers/page.h"

/* Once, with the page; what is NULL or empty means: one phase for ever. -1:
 * the description makes no sense, and is not followed. */
int phase_start(struct page_header *h, const char *what);

extern atomic_uint phase_number;

static inline uint32_t phase_current(void)
{
    return atomic_load_explicit(&phase_number, memory_order_relaxed);
}

/* Of the current phase: marker of its tag, level of its MPI_Pcontrol. */
int32_t phase_label(void);

/* A tagged call is entered; MPI_Pcontrol is. */
void phase_tagged(int32_t marker, const char *text, size_t text_bytes);
void phase_pcontrol(int32_t level);

/* Do calls of this site begin phases? One does. */
bool phase_is_marked(unsigned call, const void *from);
void phase_marked(void);

#endif
