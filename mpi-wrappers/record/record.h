/* record.h - what a thread stores about its MPI calls.
 *
 * record_enter() and record_leave() stand around every call of the real
 * function. Calls nest (MPI calls MPI, user functions called by MPI call it
 * again): only the outermost one of a thread counts. Without a page, because
 * there is no slave or MPI_Init was not called yet, they only count depth.
 *
 * A thread takes a slot of the page at its first call and gives it back when
 * it ends. When there are more threads than slots, the late ones share the
 * last slot under a lock. In a child made by fork nothing is recorded. */
#ifndef HECTOR_RECORD_H
#define HECTOR_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi-wrappers/record/attach.h"
#include "mpi-wrappers/table/about.h"

/* a says what the call is about and is read during the call; ok: it was
 * successful. Safe from any thread; errno is left alone. */
void record_enter(unsigned call, const struct about *a);
void record_leave(const struct about *a, bool ok);

/* Mark the next outermost call of this thread. */
void record_tag(int marker, const char *text, size_t text_bytes);

/* For the injector, which sits behind the entry points; see hook.h. */
bool record_inside(unsigned call);
void record_note(int marker, const char *text, size_t text_bytes);

/* The message of this call does not leave. */
void record_unsent(void);

/* From now on record into this page (checked by attach). Once a process. */
void record_start(const struct attach *a);

/* The life of MPI, for page_header.state: before and after MPI_Init (or
 * MPI_Init_thread) and MPI_Finalize, MPI_Session_init and MPI_Session_finalize.
 * The first registers with the slave; the last one ends it. A program that has
 * sessions alone has no MPI_COMM_WORLD to find its communicators by: calls are
 * recorded, and not what they are about. */
void record_init_begin(void);
void record_init_end(bool ok);
void record_session_begun(bool ok);
void record_finalize_begin(void);
void record_finalize_end(void);
void record_session_over(bool ok);

#endif
