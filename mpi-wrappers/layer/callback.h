/* callback.h - functions of the program that Open MPI calls, in C or Fortran. */
#ifndef HECTOR_LAYER_CALLBACK_H
#define HECTOR_LAYER_CALLBACK_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi-wrappers/inside/object.h"

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

/* Of one of Open MPI's that was made so: which function of the program's it has,
 * by what Open MPI keeps of it; -1 and false: it is none. And once more, in
 * another Open MPI. */
int callback_operator_place(void *real);
int callback_operator_again(int place, int commute, MPI_Op *real);
bool callback_handler_place(void *real, enum object_kind *of, int *place);
int callback_handler_again(enum object_kind of, int place, MPI_Errhandler *real);

/* Of a generalized request: pending.buffer. */
int callback_generalized_again(void *state, MPI_Request *real);

/* What the program has registered, in another Open MPI. */
int callback_representations_again(void);

#endif
