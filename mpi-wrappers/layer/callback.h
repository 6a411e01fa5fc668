/* callback.h - functions of the program that Open MPI calls, in C or Fortran. */
#ifndef HECTOR_LAYER_CALLBACK_H
#define HECTOR_LAYER_CALLBACK_H

#include <mpi.h>
#include <stdbool.h>

typedef void callback_f(void);

struct callback {
    callback_f *function;
    bool fortran;               /* handles are numbers, all goes by reference */
};

/* As MPI_Op_create, MPI_Comm_create_errhandler and so on. */
int callback_operator(struct callback of, int commute, MPI_Op *op);
int callback_comm_handler(struct callback of, MPI_Errhandler *to);
int callback_win_handler(struct callback of, MPI_Errhandler *to);
int callback_file_handler(struct callback of, MPI_Errhandler *to);

#endif
