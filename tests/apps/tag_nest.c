/* tag_nest.c - MPI that calls the program that calls MPI: attribute and
 * reduction callbacks, generalized requests, and an error handler that jumps
 * out of a call. Only outermost calls count, each tag marks one of them.
 *
 * The last line of rank 0 says how many tags were set for calls that
 * returned, and how many for calls that did not. */
#include <hct_rt.h>
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static int returned, left, callbacks;
static jmp_buf out;

static void check(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "tag_nest: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 6);
}

static void tag(const char *text)
{
    HCT_RT_Tag(returned++, text);
}

static int copy_attribute(MPI_Comm comm, int keyval, void *extra, void *in,
                          void *to, int *flag)
{
    int size;

    (void)keyval, (void)extra;
    MPI_Comm_size(comm, &size);         /* an inner call */
    callbacks++;
    *(void **)to = in;
    *flag = size > 0;
    return MPI_SUCCESS;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int bytes;

    MPI_Type_size(*type, &bytes);       /* an inner call */
    check(bytes == (int)sizeof(int), "operation of a strange type");
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 5;
    status->MPI_TAG = 6;
    callbacks++;
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    longjmp(out, 1);
}

static void attributes(void)
{
    int key, flag, value = 7, *got = NULL;
    MPI_Comm dup;

    MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
    tag("dup with a callback");
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_get_attr(dup, key, &got, &flag);
    check(flag && got == &value && callbacks == 1, "attribute not copied");
    MPI_Comm_free(&dup);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
}

static void reduction(int rank, int tasks)
{
    int sum = 0;
    MPI_Op op;

    MPI_Op_create(add, 1, &op);
    tag("user's operation");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    check(sum == tasks * (tasks - 1) / 2, "wrong sum");
    MPI_Op_free(&op);
}

static void generalized(void)
{
    MPI_Request request;
    MPI_Status status;
    int n;

    MPI_Grequest_start(query, release, cancel, NULL, &request);
    MPI_Grequest_complete(request);
    tag("generalized request");
    MPI_Wait(&request, &status);
    MPI_Get_elements(&status, MPI_INT, &n);
    check(n == 3 && status.MPI_TAG == 6, "generalized request");
}

static void jumping(void)
{
    MPI_Errhandler handler;
    MPI_Comm dup;
    int number = 0;

    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(dup, handler);
    HCT_RT_Tag(1000 + left++, "never returns");
    if (setjmp(out) == 0) {
        MPI_Send(&number, 1, MPI_INT, 4711, 0, dup);    /* no such rank */
        check(0, "an impossible send succeeded");
    }
    MPI_Comm_free(&dup);
    MPI_Errhandler_free(&handler);
}

int main(int argc, char **argv)
{
    int rank, tasks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    attributes();
    reduction(rank, tasks);
    generalized();
    jumping();
    tag("after the jump");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("tag_nest: %d tagged calls returned, %d did not\n", returned,
               left);
    MPI_Finalize();
    return 0;
}
