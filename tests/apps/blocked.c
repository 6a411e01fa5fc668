/* blocked.c - is in each call of MPI that may wait, for as long as is wanted:
 * task 0 comes late, and the others wait for it there.
 *
 * usage: blocked [DIR [PHASE...]]
 *
 * Each phase begins with a line of task 0, "phase NAME", and is over once there
 * is a file of that name in DIR. Without PHASE all come, in order; without DIR
 * their names are said. At the end each task says how much came otherwise than
 * it was sent. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 1 << 17, TAG = 11, LATE = 5000, MOST = 64 }; /* LONG: not eager */

static int rank, size, *in, *out, wrong, round_;
static const char *directory, *name;
static MPI_Comm world, neighbours, graph, halves, across;

static bool told(void)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

/* Does nothing for as long as the phase goes on. */
static void until_told(void)
{
    while (!told())
        usleep(1000);
}

static void fill(int to)
{
    for (int i = 0; i < LONG; i++)
        out[i] = i * 3 + rank * 1009 + to * 31 + round_;
}

static void check(int from, int n)
{
    for (int i = 0; i < n; i++)
        if (in[i] != i * 3 + from * 1009 + rank * 31 + round_) {
            wrong++;
            break;
        }
    memset(in, 0xff, LONG * sizeof(*in));
}

static void equal(int got, int wanted)
{
    wrong += got != wanted;
}

/* -------------------------------------------- one message, which is late */

static void all_receive(void)           /* task 0, of what the others send */
{
    for (int i = 1; i < size; i++) {
        MPI_Recv(in, LONG, MPI_INT, i, TAG, world, MPI_STATUS_IGNORE);
        check(i, LONG);
    }
}

static void all_send(int n)             /* task 0, what the others receive */
{
    for (int i = 1; i < size; i++) {
        fill(i);
        MPI_Send(out, n, MPI_INT, i, TAG, world);
    }
}

static void send_by(int (*call)(const void *, int, MPI_Datatype, int, int, MPI_Comm))
{
    if (rank) {
        fill(0);
        call(out, LONG, MPI_INT, 0, TAG, world);
    } else {
        until_told();
        all_receive();
    }
}
static void send_(void) { send_by(MPI_Send); }
static void ssend(void) { send_by(MPI_Ssend); }

static void rsend(void)
{
    MPI_Request r[MOST];
    int *each = malloc((size_t)size * LONG * sizeof(*each));

    for (int i = 1; i < size && !rank; i++)
        MPI_Irecv(each + i * LONG, LONG, MPI_INT, i, TAG, world, &r[i]);
    MPI_Barrier(world);
    if (rank) {
        fill(0);
        MPI_Rsend(out, LONG, MPI_INT, 0, TAG, world);
    } else {
        until_told();
        MPI_Waitall(size - 1, r + 1, MPI_STATUSES_IGNORE);
        for (int i = 1; i < size; i++) {
            memcpy(in, each + i * LONG, LONG * sizeof(*in));
            check(i, LONG);
        }
    }
    free(each);
}

static void buffer_detach(void)
{
    int bytes = LONG * (int)sizeof(int) + MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t)bytes);

    if (rank) {
        fill(0);
        MPI_Buffer_attach(buffer, bytes);
        MPI_Bsend(out, LONG, MPI_INT, 0, TAG, world);
        MPI_Buffer_detach(&buffer, &bytes);
    } else {
        until_told();
        all_receive();
    }
    free(buffer);
}

static void receive(int n)
{
    if (rank) {
        MPI_Recv(in, n, MPI_INT, 0, TAG, world, MPI_STATUS_IGNORE);
        check(0, n);
    } else {
        until_told();
        all_send(n);
    }
}
static void recv_(void) { receive(7); }
static void recv_long(void) { receive(LONG); }

/* What has been begun, and cannot go on before the sender does something. */
static void begun(bool matched)
{
    MPI_Request r[MOST];
    MPI_Message m;
    int *each = malloc((size_t)size * LONG * sizeof(*each));

    if (rank) {
        if (matched) {
            MPI_Mprobe(0, TAG, world, &m, MPI_STATUS_IGNORE);
            MPI_Mrecv(in, LONG, MPI_INT, &m, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, LONG, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world,
                     MPI_STATUS_IGNORE);
        }
        check(0, LONG);
    } else {
        for (int i = 1; i < size; i++) {
            fill(i);
            memcpy(each + i * LONG, out, LONG * sizeof(*out));
            MPI_Isend(each + i * LONG, LONG, MPI_INT, i, TAG, world, &r[i]);
        }
        until_told();
        MPI_Waitall(size - 1, r + 1, MPI_STATUSES_IGNORE);
    }
    free(each);
}
static void recv_begun(void) { begun(false); }
static void mrecv(void) { begun(true); }

static void sendrecv(void)
{
    if (rank) {
        fill(0);
        MPI_Sendrecv(out, LONG, MPI_INT, 0, TAG, in, LONG, MPI_INT, 0, TAG, world,
                     MPI_STATUS_IGNORE);
        check(0, LONG);
    } else {
        until_told();
        for (int i = 1; i < size; i++) {
            fill(i);
            MPI_Sendrecv(out, LONG, MPI_INT, i, TAG, in, LONG, MPI_INT, i, TAG,
                         world, MPI_STATUS_IGNORE);
            check(i, LONG);
        }
    }
}

static void sendrecv_replace(void)
{
    if (rank) {
        fill(0);
        memcpy(in, out, LONG * sizeof(*in));
        MPI_Sendrecv_replace(in, LONG, MPI_INT, 0, TAG, 0, TAG, world,
                             MPI_STATUS_IGNORE);
        check(0, LONG);
    } else {
        until_told();
        for (int i = 1; i < size; i++) {
            fill(i);
            memcpy(in, out, LONG * sizeof(*in));
            MPI_Sendrecv_replace(in, LONG, MPI_INT, i, TAG, i, TAG, world,
                                 MPI_STATUS_IGNORE);
            check(i, LONG);
        }
    }
}

static void probed(int how)
{
    MPI_Message m;
    MPI_Status s;
    int n, flag = 0;

    if (!rank) {
        until_told();
        all_send(9);
        return;
    }
    if (how == 0)
        MPI_Probe(0, MPI_ANY_TAG, world, &s);
    else if (how == 1)
        MPI_Mprobe(MPI_ANY_SOURCE, TAG, world, &m, &s);
    else
        while (!flag)
            how == 2 ? MPI_Iprobe(0, TAG, world, &flag, &s)
                     : MPI_Improbe(0, TAG, world, &flag, &m, &s);
    MPI_Get_count(&s, MPI_INT, &n);
    equal(n, 9);
    equal(s.MPI_SOURCE, 0);
    if (how & 1)
        MPI_Mrecv(in, 9, MPI_INT, &m, &s);
    else
        MPI_Recv(in, 9, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, world, &s);
    check(0, 9);
}
static void probe(void) { probed(0); }
static void mprobe(void) { probed(1); }
static void iprobe(void) { probed(2); }
static void improbe(void) { probed(3); }

/* -------------------------------------------------------- requests: a long one
 * goes to task 0 and comes from there, and a short one comes */

enum { WAIT, WAITALL, WAITANY, WAITSOME, TEST, TESTALL, TESTANY, TESTSOME,
       PERSISTENT, STATUS };

static void finish(int how, MPI_Request r[3])
{
    int flag = 0, n, index, indices[3];
    MPI_Status s[3];

    switch (how) {
    case WAIT:
        for (int i = 0; i < 3; i++)
            MPI_Wait(&r[i], &s[i]);
        break;
    case WAITALL:
    case PERSISTENT:
        MPI_Waitall(3, r, s);
        equal(s[0].MPI_TAG, TAG);
        equal(s[1].MPI_TAG, TAG + 1);
        break;
    case WAITANY:
        for (int i = 0; i < 3; i++)
            MPI_Waitany(3, r, &index, s);
        MPI_Waitany(3, r, &index, s);
        equal(index, MPI_UNDEFINED);
        break;
    case WAITSOME:
        for (int i = 0; i < 3; i += n)
            MPI_Waitsome(3, r, &n, indices, s);
        break;
    case STATUS:
        for (int i = 0; i < 3; i++, flag = 0)
            while (!flag)
                MPI_Request_get_status(r[i], &flag, s);
        MPI_Waitall(3, r, s);
        break;
    case TEST:
        for (int i = 0; i < 3; i++, flag = 0)
            while (!flag)
                MPI_Test(&r[i], &flag, &s[i]);
        break;
    case TESTALL:
        while (!flag)
            MPI_Testall(3, r, &flag, s);
        break;
    case TESTANY:
        for (int i = 0; i < 3; i += flag)
            MPI_Testany(3, r, &index, &flag, s);
        break;
    case TESTSOME:
        for (int i = 0; i < 3; i += n)
            MPI_Testsome(3, r, &n, indices, s);
        break;
    }
}

static void requests(int how)
{
    MPI_Request r[3];
    int few[4] = { -1 };

    if (!rank) {
        until_told();
        all_receive();
        all_send(LONG);
        for (int i = 1; i < size; i++)
            MPI_Send(&i, 1, MPI_INT, i, TAG + 1, world);
        return;
    }
    fill(0);
    if (how == PERSISTENT) {
        MPI_Recv_init(in, LONG, MPI_INT, 0, TAG, world, &r[0]);
        MPI_Recv_init(few, 4, MPI_INT, MPI_ANY_SOURCE, TAG + 1, world, &r[1]);
        MPI_Ssend_init(out, LONG, MPI_INT, 0, TAG, world, &r[2]);
        MPI_Startall(3, r);
    } else {
        MPI_Irecv(in, LONG, MPI_INT, 0, TAG, world, &r[0]);
        MPI_Irecv(few, 4, MPI_INT, MPI_ANY_SOURCE, TAG + 1, world, &r[1]);
        MPI_Isend(out, LONG, MPI_INT, 0, TAG, world, &r[2]);
    }
    finish(how, r);
    check(0, LONG);
    equal(few[0], rank);
    for (int i = 0; i < 3; i++)
        if (how == PERSISTENT)
            MPI_Request_free(&r[i]);
        else
            equal(r[i] == MPI_REQUEST_NULL, true);
}
#define REQUESTS(lower, upper) static void lower(void) { requests(upper); }
REQUESTS(wait_, WAIT)
REQUESTS(waitall, WAITALL)
REQUESTS(waitany, WAITANY)
REQUESTS(waitsome, WAITSOME)
REQUESTS(test, TEST)
REQUESTS(testall, TESTALL)
REQUESTS(testany, TESTANY)
REQUESTS(testsome, TESTSOME)
REQUESTS(persistent, PERSISTENT)
REQUESTS(get_status, STATUS)

/* ------------------------------ collectives: again and again, task 0 late */

static int n_[MOST], at_[MOST];             /* one for each */
static MPI_Datatype types[MOST];

static int sum(int each)                /* of rank + each over all */
{
    return size * (size - 1) / 2 + size * each;
}

static void barrier(void) { MPI_Barrier(world); }
static void bcast(void)
{
    int v = rank ? -1 : round_;

    MPI_Bcast(&v, 1, MPI_INT, 0, world);
    equal(v, round_);
}
static void reduce(void)
{
    int v = rank + round_, s = 0;

    MPI_Reduce(&v, &s, 1, MPI_INT, MPI_SUM, size - 1, world);
    equal(rank == size - 1 ? s : sum(round_), sum(round_));
}
static void allreduce(void)
{
    int v = rank + round_, s = 0;

    MPI_Allreduce(&v, &s, 1, MPI_INT, MPI_SUM, world);
    equal(s, sum(round_));
}
static void scan(void)
{
    int v = 1, s = 0;

    MPI_Scan(&v, &s, 1, MPI_INT, MPI_SUM, world);
    equal(s, rank + 1);
    MPI_Exscan(&v, &s, 1, MPI_INT, MPI_SUM, world);
    equal(rank ? s : 0, rank);
}
static void reduce_scatter(void)
{
    int v[MOST], s = 0;

    for (int i = 0; i < size; i++)
        v[i] = rank + i;
    MPI_Reduce_scatter(v, &s, n_, MPI_INT, MPI_SUM, world);
    equal(s, sum(rank));
    MPI_Reduce_scatter_block(v, &s, 1, MPI_INT, MPI_SUM, world);
    equal(s, sum(rank));
}
static void gathered(const int *v, int n, int factor)
{
    for (int i = 0; i < n; i++)
        equal(v[i], i * factor + round_);
}
static void gather(void)
{
    int v = rank * 5 + round_, all[MOST];

    MPI_Gather(&v, 1, MPI_INT, all, 1, MPI_INT, 1, world);
    gathered(all, rank == 1 ? size : 0, 5);
    MPI_Gatherv(&v, 1, MPI_INT, all, n_, at_, MPI_INT, 0, world);
    gathered(all, rank ? 0 : size, 5);
}
static void allgather(void)
{
    int v = rank * 5 + round_, all[MOST];

    MPI_Allgather(&v, 1, MPI_INT, all, 1, MPI_INT, world);
    gathered(all, size, 5);
    MPI_Allgatherv(&v, 1, MPI_INT, all, n_, at_, MPI_INT, world);
    gathered(all, size, 5);
}
static void scatter(void)
{
    int all[MOST], v = -1;

    for (int i = 0; i < size; i++)
        all[i] = i + round_;
    MPI_Scatter(all, 1, MPI_INT, &v, 1, MPI_INT, 0, world);
    equal(v, rank + round_);
    MPI_Scatterv(all, n_, at_, MPI_INT, &v, 1, MPI_INT, 0, world);
    equal(v, rank + round_);
}
static void alltoall(void)
{
    int v[MOST], all[MOST], bytes[MOST];

    for (int i = 0; i < size; i++) {
        v[i] = rank * 5 + round_;
        bytes[i] = i * (int)sizeof(int);
    }
    MPI_Alltoall(v, 1, MPI_INT, all, 1, MPI_INT, world);
    gathered(all, size, 5);
    MPI_Alltoallv(v, n_, at_, MPI_INT, all, n_, at_, MPI_INT, world);
    gathered(all, size, 5);
    MPI_Alltoallw(v, n_, bytes, types, all, n_, bytes, types, world);
    gathered(all, size, 5);
}
static void neighbor(void)
{
    int v[2] = { rank, rank }, got[2];
    int before = (rank + size - 1) % size, after = (rank + 1) % size;
    MPI_Aint bytes[2] = { 0, sizeof(int) };

    MPI_Neighbor_allgather(v, 1, MPI_INT, got, 1, MPI_INT, neighbours);
    equal(got[0] * size + got[1], before * size + after);
    MPI_Neighbor_alltoall(v, 1, MPI_INT, got, 1, MPI_INT, graph);
    equal(got[0], before);
    MPI_Neighbor_allgatherv(v, 1, MPI_INT, got, n_, at_, MPI_INT, neighbours);
    equal(got[1], after);
    MPI_Neighbor_alltoallv(v, n_, at_, MPI_INT, got, n_, at_, MPI_INT, neighbours);
    equal(got[1], after);
    MPI_Neighbor_alltoallw(v, n_, bytes, types, got, n_, bytes, types, neighbours);
    equal(got[1], after);
}
static void between(void)       /* the two groups of an intercommunicator */
{
    int v = rank, s = 0, members = size / 2;

    MPI_Allreduce(&v, &s, 1, MPI_INT, MPI_SUM, across);
    equal(s, rank % 2 ? members * (members - 1) : members * members);
    MPI_Barrier(across);
}
static void started(void)               /* those that a request ends */
{
    int v = rank + round_, s = 0, all[MOST], one = round_;
    int each = rank * 5 + round_;
    MPI_Request r[4];

    MPI_Iallreduce(&v, &s, 1, MPI_INT, MPI_SUM, world, &r[0]);
    MPI_Iallgather(&each, 1, MPI_INT, all, 1, MPI_INT, world, &r[1]);
    MPI_Ibcast(&one, 1, MPI_INT, 0, world, &r[2]);
    MPI_Ibarrier(world, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    equal(s, sum(round_));
    equal(one, round_);
    gathered(all, size, 5);
}
static void ialltoallw(void)
{
    int v[MOST], all[MOST], bytes[MOST];
    MPI_Request r;

    for (int i = 0; i < size; i++) {
        v[i] = rank * 5 + round_;
        bytes[i] = i * (int)sizeof(int);
    }
    MPI_Ialltoallw(v, n_, bytes, types, all, n_, bytes, types, world, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    gathered(all, size, 5);
}

/* ------------------------------------------- communicators are made */

static void drop(MPI_Comm *c, int wanted)       /* it has so many members */
{
    int n = 0, v = 1, s = 0;

    if (*c == MPI_COMM_NULL)
        return;
    MPI_Comm_size(*c, &n);
    equal(n, wanted);
    MPI_Allreduce(&v, &s, 1, MPI_INT, MPI_SUM, *c);
    equal(s, wanted);
    MPI_Comm_free(c);
}
static void dup_(void)
{
    MPI_Comm c;
    MPI_Request r;

    MPI_Comm_dup(world, &c);
    drop(&c, size);
    MPI_Comm_idup(world, &c, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    drop(&c, size);
}
static void split(void)
{
    MPI_Comm c;

    MPI_Comm_split(world, rank % 2, -rank, &c);
    drop(&c, size / 2);
    MPI_Comm_split(world, rank ? 1 : MPI_UNDEFINED, 0, &c);
    drop(&c, size - 1);
}
static MPI_Group some(void)             /* all but the last one */
{
    MPI_Group all, g;
    int last = size - 1;

    MPI_Comm_group(world, &all);
    MPI_Group_excl(all, 1, &last, &g);
    MPI_Group_free(&all);
    return g;
}
static void create(void)
{
    MPI_Group g = some();
    MPI_Comm c;

    MPI_Comm_create(world, g, &c);
    drop(&c, size - 1);
    MPI_Group_free(&g);
}
static void create_group(void)
{
    MPI_Group g = some();
    MPI_Comm c = MPI_COMM_NULL;

    if (rank < size - 1)
        MPI_Comm_create_group(world, g, 5, &c);
    drop(&c, size - 1);
    MPI_Group_free(&g);
}
static void intercomm(void)
{
    MPI_Comm c, merged;

    MPI_Intercomm_create(halves, 0, world, rank % 2 ? 0 : 1, 6, &c);
    MPI_Intercomm_merge(c, rank % 2, &merged);
    drop(&merged, size);
    MPI_Comm_free(&c);
}
static void topology(void)
{
    int dims[2] = { 2, size / 2 }, periods[2] = { 1, 0 }, keep[2] = { 0, 1 };
    int from = (rank + size - 1) % size, to = (rank + 1) % size, one = 1;
    MPI_Comm c, row;

    MPI_Cart_create(world, 2, dims, periods, 0, &c);
    MPI_Cart_sub(c, keep, &row);
    drop(&row, size / 2);
    drop(&c, size);
    MPI_Dist_graph_create_adjacent(world, 1, &from, &one, 1, &to, &one,
                                   MPI_INFO_NULL, 0, &c);
    drop(&c, size);
}

/* ------------------------------------ functions of the program in MPI */

static void long_operator(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)type;
    usleep(3000);
    for (int i = 0; i < *n; i++)
        ((int *)b)[i] += ((int *)a)[i];
}
static void operator_(void)
{
    int v = rank + round_, s = 0;
    MPI_Op op;

    MPI_Op_create(long_operator, 1, &op);
    MPI_Allreduce(&v, &s, 1, MPI_INT, op, world);
    equal(s, sum(round_));
    MPI_Op_free(&op);
}
static int long_copy(MPI_Comm c, int key, void *extra, void *value, void *to, int *flag)
{
    (void)c, (void)key, (void)extra;
    usleep(3000);
    *(void **)to = (char *)value + 1;
    *flag = 1;
    return MPI_SUCCESS;
}
static int long_delete(MPI_Comm c, int key, void *value, void *extra)
{
    (void)c, (void)key, (void)value;
    usleep(3000);
    ++*(int *)extra;
    return MPI_SUCCESS;
}
static void attribute(void)
{
    int key, deleted = 0, flag;
    void *value = NULL;
    MPI_Comm a, b;

    MPI_Comm_create_keyval(long_copy, long_delete, &key, &deleted);
    MPI_Comm_dup(MPI_COMM_SELF, &a);
    MPI_Comm_set_attr(a, key, (void *)40);
    MPI_Comm_dup(a, &b);
    MPI_Comm_get_attr(b, key, &value, &flag);
    equal((int)(long)value, 41);
    MPI_Comm_free(&a);
    MPI_Comm_free(&b);
    equal(deleted, 2);
    MPI_Comm_free_keyval(&key);
}
static int handled;
static void long_handler(MPI_Comm *c, int *code, ...)
{
    (void)c, (void)code;
    usleep(3000);
    handled++;
}
static void error_handler(void)
{
    MPI_Errhandler h;
    int before = handled;
    MPI_Comm c;

    MPI_Comm_create_errhandler(long_handler, &h);
    MPI_Comm_dup(MPI_COMM_SELF, &c);
    MPI_Comm_set_errhandler(c, h);
    MPI_Comm_call_errhandler(c, MPI_ERR_OTHER);
    equal(handled, before + 1);
    MPI_Errhandler_free(&h);
    MPI_Comm_free(&c);
}

/* --------------------------------------------------------------------- */

static const struct phase {
    const char *name;
    void (*run)(void);
    bool again;             /* a collective, or of each task alone */
} phases[] = {
    { "send", send_, 0 }, { "ssend", ssend, 0 }, { "rsend", rsend, 0 },
    { "buffer_detach", buffer_detach, 0 }, { "recv", recv_, 0 },
    { "recv_long", recv_long, 0 }, { "recv_begun", recv_begun, 0 },
    { "mrecv", mrecv, 0 }, { "sendrecv", sendrecv, 0 },
    { "sendrecv_replace", sendrecv_replace, 0 }, { "probe", probe, 0 },
    { "mprobe", mprobe, 0 }, { "iprobe", iprobe, 0 }, { "improbe", improbe, 0 },
    { "wait", wait_, 0 }, { "waitall", waitall, 0 }, { "waitany", waitany, 0 },
    { "waitsome", waitsome, 0 }, { "test", test, 0 }, { "testall", testall, 0 },
    { "testany", testany, 0 }, { "testsome", testsome, 0 },
    { "persistent", persistent, 0 }, { "get_status", get_status, 0 },
    { "barrier", barrier, 1 }, { "bcast", bcast, 1 }, { "reduce", reduce, 1 },
    { "allreduce", allreduce, 1 }, { "scan", scan, 1 },
    { "reduce_scatter", reduce_scatter, 1 }, { "gather", gather, 1 },
    { "allgather", allgather, 1 }, { "scatter", scatter, 1 },
    { "alltoall", alltoall, 1 }, { "neighbor", neighbor, 1 },
    { "between", between, 1 }, { "started", started, 1 },
    { "ialltoallw", ialltoallw, 1 }, { "dup", dup_, 1 }, { "split", split, 1 },
    { "create", create, 1 }, { "create_group", create_group, 1 },
    { "intercomm", intercomm, 1 }, { "topology", topology, 1 },
    { "operator", operator_, 1 }, { "attribute", attribute, 1 },
    { "error_handler", error_handler, 1 },
};
enum { PHASES = sizeof(phases) / sizeof(phases[0]) };

static void run(const struct phase *p)
{
    int over = !p->again, before = wrong;

    name = p->name;
    MPI_Barrier(world);
    if (!rank) {
        printf("phase %s\n", name);
        fflush(stdout);
    }
    do {
        round_++;
        if (!rank && p->again) {
            usleep(LATE);
            over = told();
        }
        p->run();
        if (!p->again)
            until_told();               /* nobody is at the next one yet */
        else
            MPI_Bcast(&over, 1, MPI_INT, 0, world);
    } while (!over);
    if (wrong != before)
        printf("rank %d: wrong in %s\n", rank, name);
}

static void prepare(void)
{
    int period = 1, one = 1, from, to;

    in = malloc(LONG * sizeof(*in));
    out = malloc(LONG * sizeof(*out));
    for (int i = 0; i < MOST; i++) {
        n_[i] = 1;
        at_[i] = i;
        types[i] = MPI_INT;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Cart_create(world, 1, &size, &period, 0, &neighbours);
    from = (rank + size - 1) % size;
    to = (rank + 1) % size;
    MPI_Dist_graph_create_adjacent(world, 1, &from, &one, 1, &to, &one,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Comm_split(world, rank % 2, rank, &halves);
    MPI_Intercomm_create(halves, 0, world, rank % 2 ? 0 : 1, 5, &across);
}

int main(int argc, char **argv)
{
    bool want;

    for (int i = 0; i < PHASES && argc == 1; i++)
        puts(phases[i].name);
    if (argc == 1)
        return 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 4 || size % 2 || size > MOST)
        return 2;
    directory = argv[1];
    prepare();
    for (int i = 0; i < PHASES; i++) {
        want = argc == 2;
        for (int k = 2; k < argc; k++)
            want |= strcmp(argv[k], phases[i].name) == 0;
        if (want)
            run(&phases[i]);
    }
    printf("rank %d of %d wrong %d\n", rank, size, wrong);
    MPI_Comm_free(&neighbours);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&halves);
    MPI_Comm_free(&across);
    MPI_Comm_free(&world);
    free(in);
    free(out);
    return MPI_Finalize();
}
