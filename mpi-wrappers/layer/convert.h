/* convert.h - handles for Fortran: MPI_Comm_f2c, MPI_Comm_c2f and the like. */
#ifndef HECTOR_LAYER_CONVERT_H
#define HECTOR_LAYER_CONVERT_H

/* What MPI defines has the numbers that the Open MPI that has been loaded says,
 * which mpif.h was made for. */
void convert_bind(void);

#endif
