/* image_fds.h - the open files of the process, and how each is opened again. */
#ifndef HECTOR_IMAGE_FDS_H
#define HECTOR_IMAGE_FDS_H

#include "mpi-wrappers/image/image_tables.h"

enum image_reason image_fds_read(struct image_tables *t);

#endif
