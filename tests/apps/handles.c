/* handles.c - all kinds of MPI's handles, made, handed to all that takes them,
 * looked at, and ended: are they the program's own from beginning to end? With
 * 4 tasks; the argument is a file that it may write.
 *
 * usage: handles FILE */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, wrong;

#define CHECK(what)                                                        \
    do {                                                                   \
        if (!(what)) {                                                     \
            wrong++;                                                       \
            fprintf(stderr, "handles.c:%d: rank %d: %s is wrong\n",        \
                    __LINE__, rank, #what);                                \
        }                                                                  \
    } while (0)

/* --------------------------------------------------------- attributes */

static int deleted, copied, order;

static int copy(MPI_Comm c, int key, void *extra, void *in, void *out,
                int *flag)
{
    (void)key;
    copied++;
    CHECK(c != MPI_COMM_NULL && strcmp(extra, "extra") == 0);
    *(char **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm c, int key, void *value, void *extra)
{
    (void)c, (void)key, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

/* On MPI_COMM_SELF, newest first, while MPI can still be called. */
static int at_end(MPI_Comm c, int key, void *value, void *extra)
{
    int self = -1;

    (void)key, (void)extra;
    MPI_Comm_size(c, &self);
    CHECK(c == MPI_COMM_SELF && self == 1);
    CHECK(order == *(int *)value);
    order--;
    if (order == 0) {
        if (rank == 0)
            printf("handles: %s\n", wrong ? "WRONG" : "all right");
        fflush(stdout);
    }
    return wrong ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int type_copy(MPI_Datatype t, int key, void *extra, void *in, void *out,
                     int *flag)
{
    (void)t, (void)key, (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int type_delete(MPI_Datatype t, int key, void *value, void *extra)
{
    (void)t, (void)key, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    static int numbers[] = { 1, 2 };
    static char extra[] = "extra", abc[] = "abc", n[] = "n", d[] = "d";
    static char t[] = "t";
    MPI_Comm dup;
    MPI_Datatype type, again;
    char *value = NULL;
    int key, type_key, flag, *bound, null_key, dup_key;

    MPI_Comm_create_keyval(copy, delete, &key, extra);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN,
                           &null_key, NULL);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup_key,
                           NULL);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    CHECK(!flag);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, abc);
    MPI_Comm_set_attr(MPI_COMM_WORLD, null_key, n);
    MPI_Comm_set_attr(MPI_COMM_WORLD, dup_key, d);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK(copied == 1);
    MPI_Comm_get_attr(dup, key, &value, &flag);
    CHECK(flag && strcmp(value, "bc") == 0);
    MPI_Comm_get_attr(dup, null_key, &value, &flag);
    CHECK(!flag);
    MPI_Comm_get_attr(dup, dup_key, &value, &flag);
    CHECK(flag && strcmp(value, "d") == 0);
    MPI_Comm_free_keyval(&key);         /* lives on while values do */
    CHECK(key == MPI_KEYVAL_INVALID && deleted == 0);
    MPI_Comm_free(&dup);
    CHECK(deleted == 1 && dup == MPI_COMM_NULL);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    CHECK(flag && *bound >= 32767);

    MPI_Type_create_keyval(type_copy, type_delete, &type_key, NULL);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_set_attr(type, type_key, t);
    MPI_Type_dup(type, &again);
    MPI_Type_get_attr(again, type_key, &value, &flag);
    CHECK(flag && strcmp(value, "t") == 0);
    MPI_Type_delete_attr(again, type_key);
    CHECK(deleted == 2);
    MPI_Type_free(&type);
    MPI_Type_free(&again);
    CHECK(deleted == 3 && type == MPI_DATATYPE_NULL);

    for (int i = 0; i < 2; i++) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, &numbers[i]);
        order++;
    }
}

/* ------------------------------------- functions that MPI calls, and errors */

static MPI_Datatype pair;

static void add_pairs(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int *a = in, *b = inout;

    CHECK(*type == pair);
    for (int i = 0; i < 2 * *n; i++)
        b[i] += a[i];
}

static void multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] *= ((int *)in)[i];
}

static void operators(void)
{
    int in[2] = { rank, 1 }, out[2] = { 0, 0 }, two = 2, product = 1, commutes;
    MPI_Op add, times;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(add_pairs, 1, &add);
    MPI_Op_create(multiply, 0, &times);
    MPI_Allreduce(in, out, 1, pair, add, MPI_COMM_WORLD);
    CHECK(out[0] == size * (size - 1) / 2 && out[1] == size);
    MPI_Allreduce(&two, &product, 1, MPI_INT, times, MPI_COMM_WORLD);
    CHECK(product == 1 << size);
    MPI_Reduce_local(in, out, 1, pair, add);
    CHECK(out[1] == size + 1);
    MPI_Op_commutative(times, &commutes);
    CHECK(!commutes);
    MPI_Op_commutative(MPI_SUM, &commutes);
    CHECK(commutes);
    MPI_Op_free(&add);
    MPI_Op_free(&times);
    CHECK(add == MPI_OP_NULL);
    MPI_Type_free(&pair);
}

static int handled, handled_code;
static MPI_Comm handled_comm;
static MPI_Win handled_win;
static MPI_File handled_file;

static void on_comm(MPI_Comm *c, int *code, ...)
{
    handled++;
    handled_comm = *c;
    handled_code = *code;
}

static void on_win(MPI_Win *w, int *code, ...)
{
    handled++;
    handled_win = *w;
    handled_code = *code;
}

static void on_file(MPI_File *f, int *code, ...)
{
    handled++;
    handled_file = *f;
    handled_code = *code;
}

static void errors(const char *path)
{
    MPI_Errhandler h, was, now;
    MPI_Comm dup;
    MPI_Win win;
    MPI_File file;
    char text[MPI_MAX_ERROR_STRING];
    int x = 0, class, code, n;

    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &was);
    CHECK(was == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_create_errhandler(on_comm, &h);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_errhandler(dup, h);
    MPI_Comm_get_errhandler(dup, &now);
    CHECK(now == h);
    MPI_Errhandler_free(&now);
    MPI_Send(&x, 1, MPI_INT, size + 7, 0, dup);
    CHECK(handled == 1 && handled_comm == dup);
    MPI_Error_class(handled_code, &class);
    CHECK(class == MPI_ERR_RANK);
    MPI_Comm_call_errhandler(dup, MPI_ERR_TAG);
    CHECK(handled == 2 && handled_code == MPI_ERR_TAG);
    MPI_Comm_free(&dup);
    MPI_Errhandler_free(&h);
    CHECK(h == MPI_ERRHANDLER_NULL);

    MPI_Win_create_errhandler(on_win, &h);
    MPI_Win_create(&x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, h);
    MPI_Win_call_errhandler(win, MPI_ERR_BASE);
    CHECK(handled == 3 && handled_win == win);
    MPI_Win_free(&win);
    MPI_Errhandler_free(&h);
    CHECK(win == MPI_WIN_NULL);

    MPI_File_create_errhandler(on_file, &h);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, h);
    MPI_File_call_errhandler(file, MPI_ERR_AMODE);
    CHECK(handled == 4 && handled_file == file);
    MPI_File_close(&file);
    MPI_Errhandler_free(&h);
    CHECK(file == MPI_FILE_NULL);

    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "ours");
    MPI_Error_string(code, text, &n);
    CHECK(strcmp(text, "ours") == 0);
}

static int queried, freed_extra;

static int query(void *extra, MPI_Status *s)
{
    queried++;
    MPI_Status_set_elements(s, MPI_INT, *(int *)extra);
    MPI_Status_set_cancelled(s, 0);
    s->MPI_SOURCE = 5;
    s->MPI_TAG = 6;
    return MPI_SUCCESS;
}

static int freed(void *extra)
{
    (void)extra;
    freed_extra++;
    return MPI_SUCCESS;
}

static int cancelled(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void generalized(void)
{
    int three = 3, flag, n;
    MPI_Request r;
    MPI_Status s;

    MPI_Grequest_start(query, freed, cancelled, &three, &r);
    MPI_Test(&r, &flag, &s);
    CHECK(!flag && r != MPI_REQUEST_NULL);
    MPI_Grequest_complete(r);
    MPI_Wait(&r, &s);
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK(queried == 1 && freed_extra == 1 && n == 3 && s.MPI_SOURCE == 5);
    CHECK(r == MPI_REQUEST_NULL);
}

/* --------------------------------------------------------------- types */

static void types(void)
{
    MPI_Datatype inner, outer, dup, got[2], parts[2] = { MPI_DOUBLE, MPI_INT };
    int lengths[2] = { 1, 2 }, integers[8], ni, na, nt, combiner, n;
    int sizes[2] = { 4, 4 }, some[2] = { 2, 2 }, from[2] = { 1, 1 }, bytes;
    MPI_Aint at[2] = { 0, 8 }, addresses[8], lb, extent;
    char name[MPI_MAX_OBJECT_NAME];

    MPI_Type_vector(2, 1, 3, MPI_INT, &inner);
    parts[1] = inner;
    MPI_Type_create_struct(2, lengths, at, parts, &outer);
    MPI_Type_free(&inner);
    MPI_Type_commit(&outer);
    MPI_Type_get_envelope(outer, &ni, &na, &nt, &combiner);
    CHECK(combiner == MPI_COMBINER_STRUCT && nt == 2);
    MPI_Type_get_contents(outer, 8, 8, 2, integers, addresses, got);
    CHECK(integers[0] == 2 && got[0] == MPI_DOUBLE && got[1] != MPI_INT);
    MPI_Type_get_envelope(got[1], &ni, &na, &nt, &combiner);
    CHECK(combiner == MPI_COMBINER_VECTOR);
    MPI_Type_size(got[1], &bytes);
    CHECK(bytes == 2 * (int)sizeof(int));
    MPI_Type_free(&got[1]);
    MPI_Type_set_name(outer, "outer");
    MPI_Type_dup(outer, &dup);
    MPI_Type_get_name(outer, name, &n);
    CHECK(strcmp(name, "outer") == 0);
    MPI_Type_get_name(MPI_INT, name, &n);
    CHECK(strcmp(name, "MPI_INT") == 0);
    MPI_Type_free(&outer);
    MPI_Type_get_extent(dup, &lb, &extent);
    CHECK(lb == 0 && extent > 8);
    MPI_Type_free(&dup);
    MPI_Type_create_subarray(2, sizes, some, from, MPI_ORDER_C, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, 128, &outer);
    MPI_Type_get_extent(outer, &lb, &extent);
    CHECK(extent == 128);
    MPI_Type_free(&outer);
    MPI_Type_free(&inner);
    MPI_Type_create_f90_integer(8, &got[0]);
    MPI_Type_create_f90_integer(8, &got[1]);
    CHECK(got[0] == got[1]);
    MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &got[0]);
    MPI_Type_size(got[0], &bytes);
    CHECK(bytes == 4);
}

/* --------------------------------------------------- collectives with types */

static void garbage(void)
{
    MPI_Datatype none = (MPI_Datatype)(intptr_t)0x1234567;
    int all[64], mine = rank, counts[64], at[64];

    for (int i = 0; i < size; i++)
        counts[i] = 1, at[i] = i;
    MPI_Gather(&mine, 1, MPI_INT, rank ? NULL : all, 1, rank ? none : MPI_INT, 0,
               MPI_COMM_WORLD);
    CHECK(rank || all[size - 1] == size - 1);
    MPI_Gatherv(&mine, 1, MPI_INT, rank ? NULL : all, rank ? NULL : counts,
                rank ? NULL : at, rank ? none : MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(rank ? NULL : all, 1, rank ? none : MPI_INT, &mine, 1, MPI_INT, 0,
                MPI_COMM_WORLD);
    CHECK(mine == rank);
    all[rank] = rank;
    MPI_Allgather(MPI_IN_PLACE, 77, none, all, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(all[size - 1] == size - 1);
    MPI_Alltoall(MPI_IN_PLACE, 77, none, all, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(all[0] == rank || size > 64);
}

static void each_with_its_type(void)
{
    enum { MANY = 64 };
    MPI_Datatype out[MANY], in[MANY], two;
    int a[2 * MANY], b[2 * MANY], n[MANY], at[MANY];
    int dims[1] = { size }, ring[1] = { 1 };
    MPI_Aint away[MANY];
    MPI_Comm cart;
    MPI_Request r;

    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    for (int i = 0; i < size; i++) {
        out[i] = in[i] = two;
        n[i] = 1;
        at[i] = 8 * i;
        away[i] = 8 * i;
        a[2 * i] = 100 * rank + i;
        a[2 * i + 1] = -a[2 * i];
    }
    MPI_Alltoallw(a, n, at, out, b, n, at, in, MPI_COMM_WORLD);
    CHECK(b[2 * (size - 1)] == 100 * (size - 1) + rank);
    memset(b, 0, sizeof(b));
    MPI_Ialltoallw(a, n, at, out, b, n, at, in, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(b[2 * (size - 1) + 1] == -(100 * (size - 1) + rank));
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, b, n, at, in, MPI_COMM_WORLD);
    CHECK(b[0] == 100 * rank);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, ring, 0, &cart);
    MPI_Neighbor_alltoallw(a, n, away, out, b, n, away, in, cart);
    CHECK(b[0] == 100 * ((rank + size - 1) % size) + 1);
    MPI_Ineighbor_alltoallw(a, n, away, out, b, n, away, in, cart, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(b[2] == 100 * ((rank + 1) % size));
    MPI_Comm_free(&cart);
    MPI_Type_free(&two);
}

/* ------------------------------------------------------------- requests */

static void requests(void)
{
    enum { MANY = 100 };
    MPI_Request r[2 * MANY], one;
    MPI_Status s[2 * MANY];
    int in[MANY], out[MANY], at[2 * MANY], n, flag, i;
    int peer = rank ^ 1, left = 2 * MANY;

    for (i = 0; i < MANY; i++) {
        out[i] = 1000 * rank + i;
        MPI_Irecv(&in[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &r[i]);
        MPI_Isend(&out[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &r[MANY + i]);
    }
    MPI_Waitall(2 * MANY, r, s);
    CHECK(r[0] == MPI_REQUEST_NULL && r[2 * MANY - 1] == MPI_REQUEST_NULL);
    CHECK(s[3].MPI_SOURCE == peer && s[3].MPI_TAG == 3 && in[3] == 1000 * peer + 3);
    MPI_Waitall(2 * MANY, r, MPI_STATUSES_IGNORE);
    MPI_Waitany(2 * MANY, r, &i, s);
    CHECK(i == MPI_UNDEFINED);

    for (i = 0; i < MANY; i++) {
        MPI_Recv_init(&in[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &r[i]);
        MPI_Send_init(&out[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &r[MANY + i]);
    }
    for (int round = 0; round < 3; round++) {
        MPI_Startall(2 * MANY, r);
        MPI_Waitall(2 * MANY, r, MPI_STATUSES_IGNORE);
        CHECK(r[0] != MPI_REQUEST_NULL);
    }
    one = r[0];
    MPI_Start(&r[MANY]);
    MPI_Start(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    CHECK(r[0] == one);
    MPI_Wait(&r[MANY], MPI_STATUS_IGNORE);
    for (i = 0; i < 2 * MANY; i++)
        MPI_Request_free(&r[i]);
    CHECK(r[0] == MPI_REQUEST_NULL);

    for (i = 0; i < MANY; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &r[i]);
        MPI_Isend(&out[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &r[MANY + i]);
    }
    MPI_Waitany(2 * MANY, r, &i, s);
    CHECK(r[i] == MPI_REQUEST_NULL);
    for (left--; left; ) {
        MPI_Testsome(2 * MANY, r, &n, at, s);
        for (i = 0; i < n; i++)
            CHECK(r[at[i]] == MPI_REQUEST_NULL);
        left -= n;
        if (!left)
            break;
        MPI_Waitsome(2 * MANY, r, &n, at, s);
        left -= n;
    }
    MPI_Testall(2 * MANY, r, &flag, s);
    CHECK(flag);
    MPI_Testany(2 * MANY, r, &i, &flag, s);
    CHECK(flag && i == MPI_UNDEFINED);
    MPI_Irecv(in, 1, MPI_INT, peer, 9999, MPI_COMM_WORLD, &one);
    MPI_Request_get_status(one, &flag, s);
    CHECK(!flag);
    MPI_Cancel(&one);
    MPI_Wait(&one, s);
    MPI_Test_cancelled(s, &flag);
    CHECK(flag && one == MPI_REQUEST_NULL);
}

static void matched(void)
{
    int out = rank, in = -1, flag = 0, peer = rank ^ 1;
    MPI_Message m;
    MPI_Request r, s;
    MPI_Status st;

    MPI_Isend(&out, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &s);
    MPI_Mprobe(peer, 1, MPI_COMM_WORLD, &m, &st);
    CHECK(m != MPI_MESSAGE_NULL && st.MPI_SOURCE == peer);
    MPI_Mrecv(&in, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
    CHECK(in == peer && m == MPI_MESSAGE_NULL);
    MPI_Wait(&s, MPI_STATUS_IGNORE);
    MPI_Isend(&out, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &s);
    while (!flag)
        MPI_Improbe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, &m, &st);
    in = -1;
    MPI_Imrecv(&in, 1, MPI_INT, &m, &r);
    CHECK(m == MPI_MESSAGE_NULL);
    MPI_Wait(&r, &st);
    CHECK(in == peer);
    MPI_Wait(&s, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &m, &st);
    CHECK(m == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(&in, 1, MPI_INT, &m, &st);
    CHECK(m == MPI_MESSAGE_NULL && st.MPI_SOURCE == MPI_PROC_NULL);
}

/* -------------------------------------------------------- communicators */

static void communicators(void)
{
    MPI_Comm half, inter, merged, none, idup, graph;
    MPI_Group world, mine, other, both, back;
    MPI_Request r;
    char name[MPI_MAX_OBJECT_NAME];
    int n, result, is, in, out, weighted, one = 1, from, w = 3;
    int next = (rank + 1) % size;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_name(half, "half");
    MPI_Comm_get_name(half, name, &n);
    CHECK(strcmp(name, "half") == 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : 0, 0, &none);
    CHECK(rank ? none == MPI_COMM_NULL : none != MPI_COMM_NULL);
    if (none != MPI_COMM_NULL)
        MPI_Comm_free(&none);
    MPI_Comm_compare(MPI_COMM_WORLD, half, &result);
    CHECK(result == MPI_UNEQUAL);
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
    CHECK(result == MPI_IDENT);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !(rank % 2), 5, &inter);
    MPI_Comm_test_inter(inter, &is);
    CHECK(is);
    MPI_Comm_remote_size(inter, &n);
    CHECK(n == size / 2);
    MPI_Comm_remote_group(inter, &other);
    MPI_Comm_group(half, &mine);
    MPI_Group_intersection(mine, other, &both);
    CHECK(both == MPI_GROUP_EMPTY);
    MPI_Group_union(mine, other, &both);
    MPI_Group_size(both, &n);
    CHECK(n == size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(world, both, &result);
    CHECK(result == MPI_SIMILAR || size == 2);
    n = 0;
    MPI_Group_translate_ranks(mine, 1, &n, world, &from);
    CHECK(from == rank % 2);
    MPI_Group_free(&both);
    MPI_Group_free(&other);
    CHECK(other == MPI_GROUP_NULL);
    MPI_Comm_create_group(MPI_COMM_WORLD, mine, rank % 2, &none);
    MPI_Comm_compare(half, none, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_group(none, &back);
    MPI_Group_compare(back, mine, &result);
    CHECK(result == MPI_IDENT);
    MPI_Group_free(&back);
    MPI_Group_free(&mine);
    MPI_Group_free(&world);
    MPI_Comm_free(&none);
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    MPI_Comm_size(merged, &n);
    CHECK(n == size);
    MPI_Comm_idup(merged, &idup, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Barrier(idup);
    MPI_Comm_disconnect(&idup);
    CHECK(idup == MPI_COMM_NULL);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &next, &w, 1, &next,
                                   &w, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK(in == 1 && out == 1 && weighted);
    MPI_Dist_graph_neighbors(graph, 1, &from, &w, 1, &one, &w);
    CHECK(from == next && one == next && w == 3);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Comm_get_parent(&none);
    CHECK(none == MPI_COMM_NULL);
    for (int i = 0; i < 200; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &none);
        MPI_Comm_free(&none);
    }
}

/* ------------------------------------------------ infos, windows, files */

static void infos(void)
{
    MPI_Info a, b;
    char value[32];
    int n, flag;

    MPI_Info_create(&a);
    MPI_Info_set(a, "key", "value");
    MPI_Info_dup(a, &b);
    MPI_Info_delete(a, "key");
    MPI_Info_get_nkeys(a, &n);
    CHECK(n == 0);
    MPI_Info_get(b, "key", 31, value, &flag);
    CHECK(flag && strcmp(value, "value") == 0);
    MPI_Info_free(&a);
    MPI_Info_free(&b);
    CHECK(a == MPI_INFO_NULL);
    MPI_Comm_get_info(MPI_COMM_WORLD, &a);
    CHECK(a != MPI_INFO_NULL);
    MPI_Info_free(&a);
}

static void windows(void)
{
    int *memory, one = 1, got = -1, flag, *model;
    void *base;
    MPI_Win win;
    MPI_Group g;
    MPI_Request r;
    char name[MPI_MAX_OBJECT_NAME];
    int n;

    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    memory[0] = memory[1] = 0;
    MPI_Win_set_name(win, "win");
    MPI_Win_get_name(win, name, &n);
    CHECK(strcmp(name, "win") == 0);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    CHECK(flag && base == memory);
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
    CHECK(flag && (*model == MPI_WIN_UNIFIED || *model == MPI_WIN_SEPARATE));
    MPI_Win_get_group(win, &g);
    MPI_Group_size(g, &n);
    CHECK(n == size);
    MPI_Group_free(&g);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&one, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, MPI_SUM,
                   win);
    MPI_Win_fence(0, win);
    CHECK(memory[0] == 1);
    MPI_Win_lock_all(0, win);
    MPI_Rget(&got, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(got == 1 && r == MPI_REQUEST_NULL);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    CHECK(win == MPI_WIN_NULL);
}

static void files(const char *path)
{
    MPI_Datatype every, etype, filetype;
    MPI_File f;
    MPI_Group g;
    MPI_Info i;
    MPI_Offset at;
    MPI_Status s;
    char rep[MPI_MAX_DATAREP_STRING];
    int out[4], in[4], n;

    for (int k = 0; k < 4; k++)
        out[k] = 10 * rank + k;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &f);
    MPI_Type_vector(4, 1, size, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_File_set_view(f, (MPI_Offset)sizeof(int) * rank, MPI_INT, every, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(f, out, 4, MPI_INT, &s);
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK(n == 4);
    MPI_File_get_view(f, &at, &etype, &filetype, rep);
    CHECK(etype == MPI_INT && strcmp(rep, "native") == 0 && filetype != MPI_INT);
    MPI_Type_free(&filetype);
    MPI_File_read_at_all(f, 0, in, 4, MPI_INT, &s);
    CHECK(memcmp(in, out, sizeof(in)) == 0);
    MPI_File_get_group(f, &g);
    MPI_Group_size(g, &n);
    CHECK(n == size);
    MPI_Group_free(&g);
    MPI_File_get_info(f, &i);
    CHECK(i != MPI_INFO_NULL);
    MPI_Info_free(&i);
    MPI_File_close(&f);
    MPI_Type_free(&every);
}

/* ---------------------------------------------------------- Fortran's numbers */

static void numbers(void)
{
    MPI_Comm dup;
    MPI_Request r;
    MPI_Datatype t;
    MPI_Fint f;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    f = MPI_Comm_c2f(dup);
    CHECK(f > 2 && MPI_Comm_f2c(f) == dup && MPI_Comm_c2f(dup) == f);
    MPI_Comm_free(&dup);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE);
    CHECK(MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
    CHECK(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    CHECK(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL)) == MPI_INFO_NULL);
    CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)) ==
          MPI_ERRORS_RETURN);
    MPI_Recv_init(&f, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r);
    CHECK(MPI_Request_f2c(MPI_Request_c2f(r)) == r);
    MPI_Request_free(&r);
    for (int i = 0; i < 5000; i++) {
        MPI_Type_contiguous(i + 1, MPI_CHAR, &t);
        if (i % 100 == 0)
            CHECK(MPI_Type_f2c(MPI_Type_c2f(t)) == t);
        MPI_Type_free(&t);
    }
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "handles.out";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size % 2 || size < 4 || size > 64) {
        fprintf(stderr, "usage: handles FILE, with 4 to 64 tasks, an even "
                "number\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    operators();
    errors(path);
    generalized();
    types();
    garbage();
    each_with_its_type();
    requests();
    matched();
    communicators();
    infos();
    windows();
    files(path);
    numbers();
    attributes();
    MPI_Finalize();
    return wrong != 0;
}
