/* swapped.c - all that a program may have of MPI, made, and used each time that
 * another MPI library has come. With 4 tasks. The library is asked for by a
 * function of a libmpi.so.40 that was made for tests; without it the program
 * waits until the file that it is given has so many bytes.
 *
 * usage: swapped TIMES [FILE] */
#include <dirent.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, size, wrong, swaps;

#define CHECK(what)                                                        \
    do {                                                                   \
        if (!(what)) {                                                     \
            wrong++;                                                       \
            fprintf(stderr, "swapped.c:%d: rank %d, swap %d: %s is wrong\n", \
                    __LINE__, rank, swaps, #what);                         \
        }                                                                  \
    } while (0)

/* --------------------------------------------------------------- types */

enum { TYPES = 20, PACKED = 4096 };
static MPI_Datatype types[TYPES], uncommitted, f90[2];
static int ntypes;
static char packed[TYPES][PACKED];
static int packed_bytes[TYPES];
static MPI_Aint lower[TYPES], extent[TYPES];

static MPI_Datatype *more(void)
{
    return &types[ntypes++];
}

static void types_pack(int i, char *to, int *bytes)
{
    char from[PACKED];

    for (int k = 0; k < PACKED; k++)
        from[k] = (char)(k * 7 + k / 256);
    *bytes = 0;
    MPI_Pack(from + 1024, 2, types[i], to, PACKED, bytes, MPI_COMM_WORLD);
}

static void types_make(void)
{
    int lengths[3] = { 1, 2, 3 }, at[3] = { 0, 4, 9 }, one = 1;
    int sizes[2] = { 6, 5 }, some[2] = { 2, 3 }, from[2] = { 1, 1 };
    int procs[2] = { 2, 2 }, args[2] = { MPI_DISTRIBUTE_DFLT_DARG, 2 };
    int how[2] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC };
    MPI_Aint away[3] = { 0, 24, 64 };
    MPI_Datatype parts[3] = { MPI_DOUBLE, MPI_INT, MPI_CHAR }, inner;

    MPI_Type_contiguous(3, MPI_INT, more());
    MPI_Type_vector(3, 2, 4, MPI_INT, more());
    MPI_Type_create_hvector(3, 2, 40, MPI_SHORT, more());
    MPI_Type_indexed(3, lengths, at, MPI_FLOAT, more());
    MPI_Type_create_hindexed(3, lengths, away, MPI_DOUBLE, more());
    MPI_Type_create_indexed_block(3, 2, at, MPI_INT, more());
    MPI_Type_create_hindexed_block(3, 2, away, MPI_INT, more());
    MPI_Type_create_struct(3, lengths, away, parts, more());
    MPI_Type_create_subarray(2, sizes, some, from, MPI_ORDER_C, MPI_INT,
                             more());
    MPI_Type_create_subarray(2, sizes, some, from, MPI_ORDER_FORTRAN, MPI_INT,
                             more());
    MPI_Type_create_darray(4, rank, 2, sizes, how, args, procs, MPI_ORDER_C,
                           MPI_INT, more());
    MPI_Type_dup(types[1], more());
    MPI_Type_create_resized(types[1], -8, 256, more());
    MPI_Type_create_struct(0, &one, away, parts, more());
    /* of one that has been freed, two times */
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &inner);
    MPI_Type_set_name(inner, "inner");
    MPI_Type_contiguous(2, inner, more());
    parts[1] = inner;
    MPI_Type_create_struct(2, lengths, away, parts, more());
    MPI_Type_free(&inner);
    for (int i = 0; i < ntypes; i++) {
        MPI_Type_commit(&types[i]);
        MPI_Type_get_extent(types[i], &lower[i], &extent[i]);
        types_pack(i, packed[i], &packed_bytes[i]);
    }
    MPI_Type_set_name(types[0], "three");
    MPI_Type_vector(5, 1, 3, MPI_INT, &uncommitted);
    MPI_Type_create_f90_real(6, 30, &f90[0]);
    MPI_Type_create_f90_integer(8, &f90[1]);
}

static void types_use(void)
{
    char now[PACKED], name[MPI_MAX_OBJECT_NAME];
    int bytes, ni, na, nt, combiner, n, integers[8];
    MPI_Aint l, e, addresses[8];
    static MPI_Datatype part = MPI_DATATYPE_NULL;
    MPI_Datatype got[3], again;

    for (int i = 0; i < ntypes; i++) {
        MPI_Type_get_extent(types[i], &l, &e);
        CHECK(l == lower[i] && e == extent[i]);
        types_pack(i, now, &bytes);
        CHECK(bytes == packed_bytes[i] &&
              memcmp(now, packed[i], (size_t)bytes) == 0);
    }
    MPI_Type_get_name(types[0], name, &n);
    CHECK(strcmp(name, "three") == 0);
    MPI_Type_get_envelope(types[ntypes - 1], &ni, &na, &nt, &combiner);
    CHECK(combiner == MPI_COMBINER_STRUCT && nt == 2);
    MPI_Type_get_contents(types[ntypes - 1], ni, na, nt, integers, addresses,
                          got);
    CHECK(got[0] == MPI_DOUBLE && got[1] != MPI_INT);
    MPI_Type_get_name(got[1], name, &n);
    CHECK(strcmp(name, "Dup inner") == 0);
    if (part != MPI_DATATYPE_NULL) {
        MPI_Type_get_name(part, name, &n);
        CHECK(strcmp(name, "Dup inner") == 0);
        MPI_Type_free(&part);
    }
    part = got[1];              /* goes over the swap */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(now, 0, uncommitted, MPI_PROC_NULL, 0, MPI_COMM_SELF) !=
          MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Type_create_f90_real(6, 30, &again);
    CHECK(again == f90[0]);
    MPI_Type_create_f90_integer(8, &again);
    CHECK(again == f90[1]);
    MPI_Type_size(f90[0], &n);
    CHECK(n == 4);
}

/* ------------------------------------------------------- communicators */

static MPI_Comm twin, half, cart, plane, graph, weighted, unweighted, inter;
static MPI_Comm few;
static int handled, *bound;
static MPI_Comm handled_comm;

static void on_error(MPI_Comm *c, int *code, ...)
{
    (void)code;
    handled++;
    handled_comm = *c;
}

static void comms_make(void)
{
    int dims[2] = { 2, size / 2 }, round[2] = { 1, 0 };
    int index[64], edges[128], next = (rank + 1) % size;
    int from = (rank + size - 1) % size;
    int keep[2] = { 0, 1 }, w = 3 + rank, flag, first[2] = { 0, size - 1 };
    int *volatile none = MPI_UNWEIGHTED;
    MPI_Errhandler h;
    MPI_Info hints;
    MPI_Group world, ends;

    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_set_name(twin, "twin");
    MPI_Comm_create_errhandler(on_error, &h);
    MPI_Comm_set_errhandler(twin, h);
    MPI_Errhandler_free(&h);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, round, 0, &cart);
    MPI_Cart_sub(cart, keep, &plane);
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + 1) % size;
        edges[2 * i + 1] = (i + size - 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, &w, 1, &next, &w,
                                   MPI_INFO_NULL, 0, &weighted);
    MPI_Dist_graph_create_adjacent(half, 0, NULL, none, 0, NULL, none,
                                   MPI_INFO_NULL, 0, &unweighted);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, size - 1 - rank % 2,
                         5, &inter);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, first, &ends);
    MPI_Comm_create(MPI_COMM_WORLD, ends, &few);
    MPI_Group_free(&ends);
    MPI_Group_free(&world);
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
    MPI_Comm_set_info(half, hints);
    MPI_Info_free(&hints);
    MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
}

static void comms_use(void)
{
    static int tag_bound;
    int n, r, x, y, flag, coords[2], dims[2], round[2], in, out, w1, w2;
    int from, to, *ub;
    int all[64];
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Errhandler h, again;

    if (!tag_bound)
        tag_bound = *bound;
    CHECK(*bound == tag_bound);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &ub, &flag);
    CHECK(flag && ub == bound);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &n);
    CHECK(strcmp(name, "everybody") == 0);
    MPI_Comm_get_name(twin, name, &n);
    CHECK(strcmp(name, "twin") == 0);
    x = rank;
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, twin);
    CHECK(y == size * (size - 1) / 2);
    handled = 0;
    MPI_Send(&x, 1, MPI_INT, size + 7, 0, twin);
    CHECK(handled == 1 && handled_comm == twin);
    MPI_Comm_get_errhandler(twin, &h);
    MPI_Comm_get_errhandler(twin, &again);
    CHECK(h == again);
    MPI_Errhandler_free(&again);
    if (swaps % 2)              /* else this one goes over the next swap */
        MPI_Errhandler_free(&h);
    MPI_Comm_rank(half, &r);
    MPI_Comm_size(half, &n);
    CHECK(n == size / 2 && r == n - 1 - rank / 2);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, half);
    CHECK(all[r] == rank && all[0] == size - 2 + rank % 2);
    MPI_Cart_get(cart, 2, dims, round, coords);
    CHECK(dims[0] == 2 && dims[1] == size / 2 && round[0] && !round[1]);
    MPI_Cart_rank(cart, coords, &r);
    CHECK(r == rank);
    MPI_Cart_shift(cart, 0, 1, &from, &to);
    MPI_Sendrecv(&rank, 1, MPI_INT, to, 1, &x, 1, MPI_INT, from, 1, cart,
                 MPI_STATUS_IGNORE);
    CHECK(x == from);
    MPI_Cartdim_get(plane, &n);
    CHECK(n == 1);
    MPI_Allreduce(&rank, &y, 1, MPI_INT, MPI_MIN, plane);
    CHECK(y == coords[0] * (size / 2));
    MPI_Graph_neighbors_count(graph, rank, &n);
    CHECK(n == 2);
    MPI_Graph_neighbors(graph, rank, 2, all);
    CHECK(all[0] == (rank + 1) % size);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, graph);
    CHECK(all[0] == (rank + 1) % size && all[1] == (rank + size - 1) % size);
    MPI_Dist_graph_neighbors_count(weighted, &in, &out, &flag);
    CHECK(in == 1 && out == 1 && flag);
    MPI_Dist_graph_neighbors(weighted, 1, &from, &w1, 1, &to, &w2);
    CHECK(from == (rank + size - 1) % size && to == (rank + 1) % size &&
          w1 == 3 + rank && w2 == w1);
    MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &x, 1, MPI_INT, weighted);
    CHECK(x == from);
    MPI_Dist_graph_neighbors_count(unweighted, &in, &out, &flag);
    CHECK(in == 0 && out == 0 && !flag);
    MPI_Comm_test_inter(inter, &flag);
    MPI_Comm_remote_size(inter, &n);
    MPI_Comm_rank(inter, &r);
    CHECK(flag && n == size / 2);
    MPI_Sendrecv(&rank, 1, MPI_INT, r, 2, &x, 1, MPI_INT, r, 2, inter,
                 MPI_STATUS_IGNORE);
    CHECK(x == (rank ^ 1));
    MPI_Allreduce(&rank, &y, 1, MPI_INT, MPI_MIN, inter);
    CHECK(y == !(rank % 2));
    CHECK((few != MPI_COMM_NULL) == (rank == 0 || rank == size - 1));
    if (few != MPI_COMM_NULL) {
        MPI_Allreduce(&rank, &y, 1, MPI_INT, MPI_SUM, few);
        CHECK(y == size - 1);
    }
    /* one that is new each time */
    MPI_Comm_free(&plane);
    n = 0;
    MPI_Cart_sub(cart, (int[]){ 0, 1 }, &plane);
}

/* ----------------------------------------------- what MPI calls, and knows */

static MPI_Op add, times;
static MPI_Group odd, empty;
static MPI_Info info;
static int class, code, key, fcomm, ftype;
static char room[4096 + MPI_BSEND_OVERHEAD], value[] = "value";
static double began;

static void add_three(void *in, void *inout, int *n, MPI_Datatype *type)
{
    CHECK(*type == types[0]);
    for (int i = 0; i < 3 * *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void last(void *in, void *inout, int *n, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += 2 * ((int *)in)[i];
}

static void others_make(void)
{
    int range[1][3] = { { 1, size - 1, 2 } };
    MPI_Group world;

    MPI_Op_create(add_three, 1, &add);
    MPI_Op_create(last, 0, &times);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &odd);
    MPI_Group_difference(odd, world, &empty);
    MPI_Group_free(&world);
    MPI_Info_create(&info);
    MPI_Info_set(info, "one", "1");
    MPI_Info_set(info, "two", "2");
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "ours");
    MPI_Buffer_attach(room, sizeof(room));
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(half, key, value);
    fcomm = MPI_Comm_c2f(half);
    ftype = MPI_Type_c2f(types[2]);
    began = MPI_Wtime();
}

static void others_use(void)
{
    int in[3] = { rank, 1, 2 }, out[3], n, got, flag, members[32], own[32];
    char text[MPI_MAX_ERROR_STRING], found[8], *v;
    double now = MPI_Wtime();
    MPI_Group world;
    void *at;

    CHECK(now >= began && now < began + 100);
    began = now;
    MPI_Allreduce(in, out, 1, types[0], add, MPI_COMM_WORLD);
    CHECK(out[0] == size * (size - 1) / 2 && out[1] == size &&
          out[2] == 2 * size);
    MPI_Op_commutative(times, &flag);
    CHECK(!flag);
    MPI_Reduce_local(in, out, 1, MPI_INT, times);
    CHECK(out[0] == size * (size - 1) / 2 + 2 * rank);
    MPI_Group_size(odd, &n);
    CHECK(n == size / 2);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < n; i++)
        own[i] = i;
    MPI_Group_translate_ranks(odd, n, own, world, members);
    CHECK(members[0] == 1 && members[n - 1] == size - 1);
    MPI_Group_free(&world);
    MPI_Group_size(empty, &n);
    CHECK(n == 0);
    MPI_Info_get_nkeys(info, &n);
    MPI_Info_get(info, "two", 7, found, &flag);
    CHECK(n == 2 && flag && strcmp(found, "2") == 0);
    MPI_Error_class(code, &n);
    MPI_Error_string(code, text, &got);
    CHECK(n == class && strcmp(text, "ours") == 0);
    MPI_Comm_get_attr(half, key, &v, &flag);
    CHECK(flag && v == value);
    CHECK(MPI_Comm_f2c(fcomm) == half && MPI_Comm_c2f(half) == fcomm);
    CHECK(MPI_Type_f2c(ftype) == types[2]);
    MPI_Bsend(&rank, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 9, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    CHECK(got == (rank + size - 1) % size);
    MPI_Buffer_detach(&at, &n);
    CHECK(at == room && n == (int)sizeof(room));
    MPI_Buffer_attach(room, sizeof(room));
}

/* ------------------------------------------------------------ requests */

enum { WAITING = 3, LARGE = 100000 };
static MPI_Request waiting[WAITING], lasting[2], started, general, early;
static MPI_Message probed;
static char large_out[LARGE], large_in[LARGE];
static int posted, received[WAITING], started_got, lasting_in, lasting_out;
static int queried;

static int query(void *extra, MPI_Status *s)
{
    queried++;
    MPI_Status_set_elements(s, MPI_INT, *(int *)extra);
    MPI_Status_set_cancelled(s, 0);
    s->MPI_SOURCE = s->MPI_TAG = 5;
    return MPI_SUCCESS;
}

static int freed(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancelled(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void requests_post(void)
{
    static int three = 3;
    MPI_Datatype two;
    int before = (rank + size - 1) % size, after = (rank + 1) % size;

    posted = swaps;
    MPI_Type_contiguous(1, MPI_INT, &two);
    MPI_Type_commit(&two);
    MPI_Irecv(&received[0], 1, MPI_INT, MPI_ANY_SOURCE, 20, MPI_COMM_WORLD,
              &waiting[0]);
    MPI_Irecv(&received[1], 1, two, before, 20, MPI_COMM_WORLD, &waiting[1]);
    MPI_Irecv(&received[2], 1, MPI_INT, before, MPI_ANY_TAG, graph, &waiting[2]);
    MPI_Type_free(&two);
    MPI_Start(&started);
    MPI_Grequest_start(query, freed, cancelled, &three, &general);
    if (swaps % 2)
        MPI_Grequest_complete(general);
    /* what is under way then, has come, or has been found */
    memset(large_out, rank + swaps, LARGE);
    MPI_Isend(large_out, LARGE, MPI_CHAR, after, 30, twin, &early);
    MPI_Send(&rank, 1, MPI_INT, after, 31, MPI_COMM_WORLD);
    MPI_Send(&swaps, 1, MPI_INT, after, 31, MPI_COMM_WORLD);
    MPI_Send(&swaps, 1, MPI_INT, after, 32, cart);
    MPI_Mprobe(before, 32, cart, &probed, MPI_STATUS_IGNORE);
}

static void requests_make(void)
{
    int before = (rank + size - 1) % size, after = (rank + 1) % size;

    MPI_Recv_init(&lasting_in, 1, MPI_INT, before, 21, MPI_COMM_WORLD, &lasting[0]);
    MPI_Send_init(&lasting_out, 1, MPI_INT, after, 21, MPI_COMM_WORLD, &lasting[1]);
    MPI_Recv_init(&started_got, 1, MPI_INT, before, 22, MPI_COMM_WORLD, &started);
    requests_post();
}

static void requests_use(void)
{
    int after = (rank + 1) % size, before = (rank + size - 1) % size, x[5], n;
    MPI_Status s[WAITING], one;

    for (int i = 0; i < 5; i++)
        x[i] = 1000 * rank + 10 * swaps + i;
    MPI_Send(&x[0], 1, MPI_INT, after, 20, MPI_COMM_WORLD);
    MPI_Send(&x[1], 1, MPI_INT, after, 20, MPI_COMM_WORLD);
    MPI_Send(&x[2], 1, MPI_INT, after, 77, graph);
    MPI_Send(&x[3], 1, MPI_INT, after, 22, MPI_COMM_WORLD);
    MPI_Waitall(WAITING, waiting, s);
    for (int i = 0; i < WAITING; i++)
        CHECK(received[i] == 1000 * before + 10 * swaps + i &&
              s[i].MPI_SOURCE == before && waiting[i] == MPI_REQUEST_NULL);
    CHECK(s[2].MPI_TAG == 77);
    MPI_Wait(&started, &one);
    CHECK(started_got == 1000 * before + 10 * swaps + 3 &&
          started != MPI_REQUEST_NULL);
    lasting_out = x[4];
    MPI_Startall(2, lasting);
    MPI_Waitall(2, lasting, MPI_STATUSES_IGNORE);
    CHECK(lasting_in == 1000 * before + 10 * swaps + 4);
    MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &one);
    CHECK(n == before && one.MPI_SOURCE == before);
    MPI_Recv(&n, 1, MPI_INT, before, 31, MPI_COMM_WORLD, &one);
    CHECK(n == posted);
    MPI_Mrecv(&n, 1, MPI_INT, &probed, &one);
    CHECK(n == posted && probed == MPI_MESSAGE_NULL && one.MPI_TAG == 32);
    MPI_Recv(large_in, LARGE, MPI_CHAR, before, 30, twin, &one);
    CHECK(large_in[0] == (char)(before + posted) &&
          large_in[LARGE - 1] == large_in[0]);
    MPI_Wait(&early, MPI_STATUS_IGNORE);
    if (posted % 2 == 0)
        MPI_Grequest_complete(general);
    queried = 0;
    MPI_Wait(&general, &one);
    MPI_Get_count(&one, MPI_INT, &n);
    CHECK(queried >= 1 && n == 3 && general == MPI_REQUEST_NULL);
    requests_post();
}

/* What is left for nobody. */
static void requests_end(void)
{
    int before = (rank + size - 1) % size, n;

    MPI_Recv(&n, 1, MPI_INT, before, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&n, 1, MPI_INT, before, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mrecv(&n, 1, MPI_INT, &probed, MPI_STATUS_IGNORE);
    MPI_Recv(large_in, LARGE, MPI_CHAR, before, 30, twin, MPI_STATUS_IGNORE);
    MPI_Wait(&early, MPI_STATUS_IGNORE);
    MPI_Cancel(&started);
    MPI_Wait(&started, MPI_STATUS_IGNORE);
    MPI_Request_free(&started);
    if (posted % 2 == 0)
        MPI_Grequest_complete(general);
    MPI_Wait(&general, MPI_STATUS_IGNORE);
}

/* ----------------------------------------------------------------- swap */

static int entries(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;

    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* "descriptors maps threads kilobytes" */
static void tell(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[4096];
    long pages = 0, in = 0;
    int maps = 0;

    while (fgets(line, sizeof(line), f))
        maps++;
    fclose(f);
    f = fopen("/proc/self/statm", "r");
    if (fscanf(f, "%ld %ld", &pages, &in) != 2)
        in = 0;
    fclose(f);
    printf("rank %d swap %d: %d descriptors %d maps %d threads %ld kb\n", rank, swaps,
           entries("/proc/self/fd"), maps, entries("/proc/self/task") - 2,
           in * sysconf(_SC_PAGESIZE) / 1024);
    fflush(stdout);
}

static void swap(const char *file)
{
    int (*now)(unsigned) = (int (*)(unsigned))dlsym(RTLD_DEFAULT, "test_swap");
    char *(*why)(void) = (char *(*)(void))dlsym(RTLD_DEFAULT, "test_why");
    struct stat st;

    if (now) {
        if (now((unsigned)swaps + 1) != 0) {
            fprintf(stderr, "rank %d: no swap %d: %s\n", rank, swaps + 1, why());
            exit(3);
        }
    } else {
        while (stat(file, &st) != 0 || st.st_size <= swaps)
            usleep(1000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    swaps++;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size % 2 || size < 4 || size > 32) {
        fprintf(stderr, "usage: swapped TIMES [FILE], with 4 to 32 tasks, an even "
                "number\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    types_make();
    comms_make();
    others_make();
    requests_make();
    for (int i = 0; i <= n; i++) {
        types_use();
        comms_use();
        others_use();
        requests_use();
        tell();
        if (i < n)
            swap(argc > 2 ? argv[2] : "");
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("swapped: %d swaps, %s\n", swaps, all ? "WRONG" : "all right");
    requests_end();
    for (int i = 0; i < WAITING; i++)
        MPI_Cancel(&waiting[i]);
    MPI_Waitall(WAITING, waiting, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return wrong != 0;
}
