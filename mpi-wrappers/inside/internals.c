/* internals.c - see internals.h. Names and types are those of Open MPI 4: they
 * are part of the interface between its libraries. Not with mpi.h, which knows
 * some of them by other types. */
#include "mpi-wrappers/inside/internals.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTERNAL __attribute__((visibility("default")))
enum {
    INTERNALS_NONE = -1,        /* no such variable */
    INTERNALS_OUT_OF_MEMORY = -2,
    INTERNALS_NO_MEMORY_CODE = 39,      /* MPI_ERR_NO_MEM */
};

/* Addresses that mean something: common blocks in Fortran. */
INTERNAL int mpi_fortran_bottom_, mpi_fortran_in_place_,
    mpi_fortran_unweighted_, mpi_fortran_weights_empty_,
    mpi_fortran_errcodes_ignore_;
INTERNAL char mpi_fortran_argv_null_, mpi_fortran_argvs_null_;
INTERNAL double mpi_fortran_status_ignore_, mpi_fortran_statuses_ignore_;
extern int *MPI_F_STATUS_IGNORE, *MPI_F_STATUSES_IGNORE;
INTERNAL int *MPI_F_STATUS_IGNORE = (void *)&mpi_fortran_status_ignore_;
INTERNAL int *MPI_F_STATUSES_IGNORE = (void *)&mpi_fortran_statuses_ignore_;

/* Nothing is checked before a call reaches us. */
INTERNAL bool ompi_mpi_param_check;
INTERNAL int32_t ompi_mpi_state, ompi_errcode_intern_lastused;
INTERNAL char ompi_errcodes_intern[120], ompi_registered_datareps[64];
INTERNAL char ompi_status_empty[24];

/* libhector.so asks for limits of Open MPI's transports: of the one inside, and
 * not of a library that the Fortran ones have brought along. */
static void *(*inside_has)(const char *name);

INTERNAL int mca_base_var_find(const char *project, const char *framework,
                               const char *component, const char *variable);
INTERNAL int mca_base_var_find(const char *project, const char *framework,
                               const char *component, const char *variable)
{
    int (*find)(const char *, const char *, const char *, const char *);

    if (!inside_has ||
        !(*(void **)&find = inside_has("mca_base_var_find")))
        return INTERNALS_NONE;
    return find(project, framework, component, variable);
}

INTERNAL int mca_base_var_get_value(int variable, const void *value,
                                    int *source, const char **file);
INTERNAL int mca_base_var_get_value(int variable, const void *value,
                                    int *source, const char **file)
{
    int (*get)(int, const void *, int *, const char **);

    if (!inside_has ||
        !(*(void **)&get = inside_has("mca_base_var_get_value")))
        return INTERNALS_NONE;
    return get(variable, value, source, file);
}

void internals_bind(void *(*symbol)(const char *name))
{
    const void *empty = symbol("ompi_status_empty");

    inside_has = symbol;
    if (empty)
        memcpy(ompi_status_empty, empty, sizeof(ompi_status_empty));
}

void internals_unbind(void)
{
    inside_has = NULL;
}

/* The way of errors that the Fortran libraries find: no memory, mostly. */
extern int PMPI_Comm_call_errhandler(void *comm, int code);
extern char ompi_mpi_comm_world[];
INTERNAL int ompi_errhandler_invoke(void *handler, void *object, int type,
                                    int code, const char *message);
INTERNAL int ompi_errhandler_invoke(void *handler, void *object, int type,
                                    int code, const char *message)
{
    (void)handler, (void)object, (void)type, (void)message;
    if (code < 0)
        code = INTERNALS_NO_MEMORY_CODE;
    PMPI_Comm_call_errhandler(ompi_mpi_comm_world, code);
    return code;
}

/* ----------------------------------------------------------------- strings */

char *internals_string(const char *text, size_t bytes)
{
    char *copy;

    while (bytes && *text == ' ')
        text++, bytes--;
    while (bytes && text[bytes - 1] == ' ')
        bytes--;
    copy = malloc(bytes + 1);
    if (copy) {
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
    }
    return copy;
}

INTERNAL int ompi_fortran_string_f2c(char *from, int bytes, char **to);
INTERNAL int ompi_fortran_string_f2c(char *from, int bytes, char **to)
{
    *to = internals_string(from, bytes > 0 ? (size_t)bytes : 0);
    return *to ? 0 : INTERNALS_OUT_OF_MEMORY;
}

INTERNAL int ompi_fortran_string_c2f(char *from, char *to, int bytes);
INTERNAL int ompi_fortran_string_c2f(char *from, char *to, int bytes)
{
    size_t n = bytes > 0 ? (size_t)bytes : 0, had = strlen(from);

    memcpy(to, from, had < n ? had : n);
    if (had < n)
        memset(to + had, ' ', n - had);
    return 0;
}

/* n strings of an array of Fortran's, each so many bytes after the one before; a
 * blank one ends it where n is negative. The vector is opal_argv_free()'s. */
static int strings(const char *array, int n, int bytes, int advance, char ***to)
{
    char **v = calloc(1, sizeof(*v)), **more;
    int got = 0;

    for (; v && got != n; got++, array += advance) {
        char *one = internals_string(array, (size_t)bytes);

        if (one && n < 0 && !*one) {
            free(one);
            break;
        }
        more = one ? realloc(v, ((size_t)got + 2) * sizeof(*v)) : NULL;
        if (!more) {
            while (got--)
                free(v[got]);
            free(one);
            free(v);
            v = NULL;
            break;
        }
        v = more;
        v[got] = one;
        v[got + 1] = NULL;
    }
    *to = v;
    return v ? 0 : INTERNALS_OUT_OF_MEMORY;
}

INTERNAL int ompi_fortran_argv_blank_f2c(char *array, int bytes, int advance,
                                         char ***to);
INTERNAL int ompi_fortran_argv_blank_f2c(char *array, int bytes, int advance,
                                         char ***to)
{
    return strings(array, -1, bytes, advance, to);
}

INTERNAL int ompi_fortran_argv_count_f2c(char *array, int n, int bytes,
                                         int advance, char ***to);
INTERNAL int ompi_fortran_argv_count_f2c(char *array, int n, int bytes,
                                         int advance, char ***to)
{
    return strings(array, n > 0 ? n : 0, bytes, advance, to);
}

/* argv(command, word), with the commands next to each other. */
INTERNAL int ompi_fortran_multiple_argvs_f2c(int n, char *array, int bytes,
                                             char ****to);
INTERNAL int ompi_fortran_multiple_argvs_f2c(int n, char *array, int bytes,
                                             char ****to)
{
    char ***v = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*v));

    for (int i = 0; v && i < n; i++)
        if (strings(array + (ptrdiff_t)i * bytes, -1, bytes, n * bytes, &v[i]))
            return INTERNALS_OUT_OF_MEMORY;
    *to = v;
    return v ? 0 : INTERNALS_OUT_OF_MEMORY;
}

/* Of functions of Fortran that are ours: never called. */
#define INTERNALS_UNUSED(name)                                             \
    INTERNAL int name(void);                                               \
    INTERNAL int name(void) { return -1; }
INTERNALS_UNUSED(ompi_attr_create_keyval_aint)
INTERNALS_UNUSED(ompi_attr_create_keyval_fint)
INTERNALS_UNUSED(ompi_attr_get_aint)
INTERNALS_UNUSED(ompi_attr_get_fint)
INTERNALS_UNUSED(ompi_attr_set_aint)
INTERNALS_UNUSED(ompi_attr_set_fint)
INTERNALS_UNUSED(ompi_datatype_match_size)
INTERNALS_UNUSED(ompi_errhandler_create)
INTERNALS_UNUSED(ompi_mpi_errors_are_fatal_comm_handler)

/* ---------------------------- of MPI's C++ library, which mpicxx links as well */

/* What it throws is not known behind our handles: errors end the job. */
INTERNAL void ompi_cxx_errhandler_set_callbacks(void);
INTERNAL void ompi_cxx_errhandler_set_callbacks(void)
{
}

static void no_bindings(const char *what)
{
    fprintf(stderr, "hector: MPI's C++ bindings cannot make %s in a program that "
                    "can be moved; MPI's functions for C can\n", what);
    abort();
}

INTERNAL int ompi_attr_create_keyval(void);
INTERNAL int ompi_attr_create_keyval(void)
{
    no_bindings("a key of attributes");
    return -1;
}

INTERNAL void ompi_op_set_cxx_callback(void);
INTERNAL void ompi_op_set_cxx_callback(void)
{
    no_bindings("an operator");
}
