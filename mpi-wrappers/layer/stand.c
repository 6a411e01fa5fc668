/* stand.c - MERGE: part A's. */
#include "mpi-wrappers/layer/stand.h"

static struct page_stop own;
struct page_stop *stop_page = &own;
