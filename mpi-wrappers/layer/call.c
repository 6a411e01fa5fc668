/* call.c - the functions of MPI that translate handles and do nothing else. */
#include "mpi-wrappers/layer/call.h"

void *call_array(void *few, const void *from, int n)
{
    const void *const *handles = from;
    void **to = few;

    if (n <= 0)
        return (void *)from;
    if (n > CALL_FEW && !(to = malloc((size_t)n * sizeof(*to))))
        return NULL;
    for (int i = 0; i < n; i++)
        to[i] = object_real_if(handles[i]);
    return to;
}

int call_members(MPI_Comm comm, enum call_with with)
{
    int inter = 0, n = 0, topology = MPI_UNDEFINED, in = 0, out = 0, weighted;

    PMPI_Comm_test_inter(comm, &inter);
    if (with == CALL_ALL) {
        if (inter)
            PMPI_Comm_remote_size(comm, &n);
        else
            PMPI_Comm_size(comm, &n);
        return n;
    }
    PMPI_Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        PMPI_Cartdim_get(comm, &n);
        return 2 * n;
    }
    if (topology == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &in);
        PMPI_Graph_neighbors_count(comm, in, &n);
        return n;
    }
    if (topology == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    return with == CALL_TO ? out : in;
}

bool call_is_root(MPI_Comm comm, int root)
{
    int rank = -1;

    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

/* A collective that goes on reads its types until it ends. */
struct object_kept *call_keep(const void *from, int n)
{
    struct object_kept *k = NULL;

    if (n > 0)
        k = malloc(sizeof(*k) + (size_t)n * sizeof(k->v[0]));
    for (int i = 0; k && i < n; i++)
        k->v[i] = object_real_if(((const void *const *)from)[i]);
    return k;
}

void call_kept(struct object_kept *k, int rc, const MPI_Request *request)
{
    struct object *o = (struct object *)*request;

    if (!k)
        return;
    if (rc != MPI_SUCCESS || o->predefined) {
        free(k);
        return;
    }
    k->next = o->kept;
    o->kept = k;
}

#include "layer_c.inc"
