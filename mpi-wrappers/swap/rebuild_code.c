/* rebuild_code.c - see rebuild_code.h. Numbers are given out one after another,
 * and so they come again in their order. */
#include "mpi-wrappers/swap/rebuild_code.h"

#include <stdbool.h>
#include <stdlib.h>

#include "mpi-wrappers/layer/call.h"

struct code {
    int number, class;
    bool is_class;              /* of which Open MPI says MPI_ERR_UNKNOWN */
    char text[MPI_MAX_ERROR_STRING];
};

static struct {
    struct code *v;             /* owned */
    int n;
} codes;

static int code_last(int *last)
{
    int *value = NULL, flag = 0;
    int rc = PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);

    if (rc == MPI_SUCCESS && !flag)
        rc = MPI_ERR_INTERN;
    if (rc == MPI_SUCCESS)
        *last = *value;
    return rc;
}

int rebuild_code_read(void)
{
    int last = 0, n = 0, rc = code_last(&last);

    if (rc != MPI_SUCCESS || last <= MPI_ERR_LASTCODE)
        return rc;
    codes.v = calloc((size_t)(last - MPI_ERR_LASTCODE), sizeof(*codes.v));
    if (!codes.v)
        return MPI_ERR_NO_MEM;
    codes.n = last - MPI_ERR_LASTCODE;
    for (int i = 0; i < codes.n && rc == MPI_SUCCESS; i++) {
        struct code *c = &codes.v[i];

        c->number = MPI_ERR_LASTCODE + 1 + i;
        rc = PMPI_Error_class(c->number, &c->class);
        if (rc == MPI_SUCCESS)
            rc = PMPI_Error_string(c->number, c->text, &n);
        c->is_class = c->class == c->number || c->class == MPI_ERR_UNKNOWN;
    }
    return rc;
}

int rebuild_code_make(void)
{
    int last = 0, number = 0, rc = code_last(&last);

    for (int i = 0; i < codes.n && rc == MPI_SUCCESS; i++) {
        struct code *c = &codes.v[i];

        if (c->number <= last)
            continue;           /* Open MPI's own */
        rc = c->is_class ? PMPI_Add_error_class(&number)
                         : PMPI_Add_error_code(c->class, &number);
        if (rc == MPI_SUCCESS && number != c->number)
            rc = MPI_ERR_INTERN;
        if (rc == MPI_SUCCESS && *c->text)
            rc = PMPI_Add_error_string(number, c->text);
    }
    free(codes.v);
    codes.v = NULL;
    codes.n = 0;
    return rc;
}
