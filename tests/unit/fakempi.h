/* fakempi.h - as much of an MPI library as the recording wrappers ask: four
 * tasks in a world, of which this is one; communicators are lists of world
 * ranks. Include it once, after pages.h. Handles are pointers. */
#ifndef HECTOR_TESTS_FAKEMPI_H
#define HECTOR_TESTS_FAKEMPI_H

#include <mpi.h>

#include "mpi-wrappers/table/real.h"

enum { FAKE_WORLD, FAKE_SELF, FAKE_NULL, FAKE_MAX = 64 };
struct fake_comm {
    int n, ranks[8];            /* members, by world rank */
    int nremote, remote[8];     /* intercommunicators */
};
static struct fake_comm fake_comms[FAKE_MAX] = {
    [FAKE_WORLD] = { .n = 4, .ranks = { 0, 1, 2, 3 } },
    [FAKE_SELF] = { .n = 1, .ranks = { 0 } },
};
static int fake_me, fake_type_bytes = 4;
static atomic_int fake_asked;
static char fake_requests[FAKE_MAX], fake_types[128];

#define FAKE_COMM(i)    ((MPI_Comm)(void *)&fake_comms[i])
#define FAKE_REQUEST(i) ((MPI_Request)(void *)&fake_requests[i])
#define FAKE_TYPE(i)    ((MPI_Datatype)(void *)&fake_types[i])
enum { FAKE_NO_REQUEST, FAKE_EMPTY_REQUEST };

static struct fake_comm *fake_of(MPI_Comm c)
{
    return (struct fake_comm *)(void *)c;
}

static MPI_Comm fake_comm_f2c(MPI_Fint f)
{
    return FAKE_COMM(f);
}

static MPI_Datatype fake_type_f2c(MPI_Fint f)
{
    return FAKE_TYPE(f);
}

static MPI_Request fake_request_f2c(MPI_Fint f)
{
    return FAKE_REQUEST(f);
}

static MPI_Fint fake_request_c2f(MPI_Request r)
{
    return (MPI_Fint)((char *)(void *)r - fake_requests);
}

static int fake_test_inter(MPI_Comm c, int *flag)
{
    *flag = fake_of(c)->nremote > 0;
    return MPI_SUCCESS;
}

/* A group is the address of a list: its length, then the ranks. */
static int fake_comm_group(MPI_Comm c, MPI_Group *g)
{
    fake_asked++;
    *g = (MPI_Group)(void *)&fake_of(c)->n;
    return MPI_SUCCESS;
}

static int fake_remote_group(MPI_Comm c, MPI_Group *g)
{
    *g = (MPI_Group)(void *)&fake_of(c)->nremote;
    return MPI_SUCCESS;
}

static int fake_group_size(MPI_Group g, int *n)
{
    *n = *(int *)(void *)g;
    return MPI_SUCCESS;
}

static int fake_group_rank(MPI_Group g, int *rank)
{
    const int *list = (const int *)(void *)g;

    *rank = MPI_UNDEFINED;
    for (int i = 0; i < list[0]; i++)
        if (list[1 + i] == fake_me)
            *rank = i;
    return MPI_SUCCESS;
}

static int fake_translate(MPI_Group g, int n, const int *ranks, MPI_Group to,
                          int *out)
{
    const int *list = (const int *)(void *)g;

    (void)to;
    for (int i = 0; i < n; i++)
        out[i] = list[1 + ranks[i]] >= 0 ? list[1 + ranks[i]] : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int fake_group_free(MPI_Group *g)
{
    *g = NULL;
    return MPI_SUCCESS;
}

static int fake_type_size(MPI_Datatype type, MPI_Count *bytes)
{
    fake_asked++;
    (void)type;
    *bytes = fake_type_bytes;
    return MPI_SUCCESS;
}

static int fake_isend_nobody(const void *buf, int count, MPI_Datatype type,
                             int dest, int tag, MPI_Comm comm, MPI_Request *r)
{
    (void)buf, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
    *r = FAKE_REQUEST(FAKE_EMPTY_REQUEST);
    return MPI_SUCCESS;
}

static int fake_nothing(void)
{
    return MPI_SUCCESS;
}

/* Every function of MPI succeeds; those that are asked answer. */
static inline void fake_mpi(void)
{
    static const struct { unsigned call; real_f *f; } asked[] = {
        { CALL_Comm_f2c, (real_f *)fake_comm_f2c },
        { CALL_Type_f2c, (real_f *)fake_type_f2c },
        { CALL_Request_f2c, (real_f *)fake_request_f2c },
        { CALL_Request_c2f, (real_f *)fake_request_c2f },
        { CALL_Comm_test_inter, (real_f *)fake_test_inter },
        { CALL_Comm_group, (real_f *)fake_comm_group },
        { CALL_Win_get_group, (real_f *)fake_comm_group },
        { CALL_Comm_remote_group, (real_f *)fake_remote_group },
        { CALL_Group_size, (real_f *)fake_group_size },
        { CALL_Group_rank, (real_f *)fake_group_rank },
        { CALL_Group_translate_ranks, (real_f *)fake_translate },
        { CALL_Group_free, (real_f *)fake_group_free },
        { CALL_Type_size_x, (real_f *)fake_type_size },
        { CALL_Isend, (real_f *)fake_isend_nobody },
    };

    for (unsigned i = 1; i < CALL_END; i++) {
        real_table[REAL_C][i] = (real_f *)fake_nothing;
        real_table[REAL_P][i] = (real_f *)fake_nothing;
    }
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
        real_table[REAL_P][asked[i].call] = asked[i].f;
}

#endif
