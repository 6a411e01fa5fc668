/* drain.h - what a task that stands does so that nothing is under way: finishes
 * what is unfinished, and receives what arrives. */
#ifndef HECTOR_STOP_DRAIN_H
#define HECTOR_STOP_DRAIN_H

#include <stdint.h>

/* Receives what has arrived, and finishes nothing: others may be waiting for that
 * where they cannot stand. */
void drain_arrived(void);

/* Once through all; how many sends and collectives are unfinished still. */
uint32_t drain_once(void);

#endif
