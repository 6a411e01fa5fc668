/* terminal.h - the person's terminal while tasks have one of their own (--pty):
 * raw, so that every key reaches the task and its terminal does the rest, and
 * afterwards as it was, however hector-run ends.
 *
 * There is one of it per process, that of standard input. Where that is no
 * terminal nothing happens. */
#ifndef HECTOR_TERMINAL_H
#define HECTOR_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* Of the window; 24 and 80 where there is none. */
void terminal_size(uint32_t *rows, uint32_t *columns);

/* Make it raw. alone: all that is shown comes from one task's terminal. */
void terminal_take(bool alone);

/* Set it as it was before terminal_take(). */
void terminal_put(void);

/* The same around a stop of hector-run. */
void terminal_suspend(void);
void terminal_resume(void);

#endif
