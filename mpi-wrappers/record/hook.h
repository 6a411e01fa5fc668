/* hook.h - what libhector.so offers to the libraries behind it: the fault injector,
 * the one that brings tasks to stand, and the one of tasks of class realtime.
 *
 * They look these up by name, so each library works without the others. The
 * injector does nothing outside of a call. */
#ifndef HECTOR_HOOK_H
#define HECTOR_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is this thread inside of this call, as an outermost one? False in what the
 * recording library asks MPI for its own sake. */
bool hct_hook_inside(unsigned call);

/* Stamp the outermost call that this thread is inside of, now, like one that
 * was tagged. It is in the page, safe from this process's end, on return. */
void hct_hook_note(int marker, const char *text, size_t text_bytes);

/* The message that the outermost call of this thread sends is dropped. */
void hct_hook_dropped(void);

/* The task stands from now on; it goes on. Its clock may be another one by then. */
void hct_hook_stand(void);
void hct_hook_go_on(void);

/* Is waiting in MPI to cost little, as its slave wants it? The calls that this
 * thread has made come to *step. */
bool hct_hook_rests(uint64_t *step);

#endif
