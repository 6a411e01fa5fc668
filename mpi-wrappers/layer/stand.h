/* stand.h - what the task shares with its slave of a stop. MERGE: part A's. */
#ifndef HECTOR_LAYER_STAND_H
#define HECTOR_LAYER_STAND_H

#include "mpi-wrappers/page.h"

extern struct page_stop *stop_page;

#endif
