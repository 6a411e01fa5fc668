/* test_comm.c - communicators as the wrappers see them: identities that all
 * members compute alike, partners as ranks of the world, sizes of datatypes. */
#include "tests/unit/pages.h"
#include "tests/unit/fakempi.h"

#include <pthread.h>

#include "mpi-wrappers/handles/comm.h"
#include "mpi-wrappers/handles/type.h"
#include "mpi-wrappers/record/record.h"

void mpi_bcast_(void *buf, void *count, void *type, void *root, void *comm,
                void *ierr);
void mpi_type_commit_(void *type, void *ierr);
void mpi_comm_dup_(void *comm, void *newcomm, void *ierr);
void mpi_gather_(void *buf, void *count, void *type, void *to, void *to_count,
                 void *to_type, void *root, void *comm, void *ierr);

#define USER_TYPE(i) FAKE_TYPE(80 + (i))        /* none of MPI's own */

static struct attach page;
static _Thread_local int next;  /* the communicator that is made next */

static int fake_make(MPI_Comm *to)
{
    *to = FAKE_COMM(next);
    return MPI_SUCCESS;
}

static int fake_dup(MPI_Comm c, MPI_Comm *to)
{
    (void)c;
    return fake_make(to);
}

static void fake_dup_fortran(void *c, void *to, void *ierr)
{
    (void)c;
    *(MPI_Fint *)to = next;
    *(MPI_Fint *)ierr = MPI_SUCCESS;
}

static int fake_split(MPI_Comm c, int color, int key, MPI_Comm *to)
{
    (void)c, (void)color, (void)key;
    return fake_make(to);
}

static int fake_create_group(MPI_Comm c, MPI_Group g, int tag, MPI_Comm *to)
{
    (void)c, (void)g, (void)tag;
    return fake_make(to);
}

static int fake_intercomm(MPI_Comm c, int leader, MPI_Comm bridge, int other,
                          int tag, MPI_Comm *to)
{
    (void)c, (void)leader, (void)bridge, (void)other, (void)tag;
    return fake_make(to);
}

static int fake_win_create(void *base, MPI_Aint size, int unit, MPI_Info info,
                           MPI_Comm c, MPI_Win *win)
{
    (void)base, (void)size, (void)unit, (void)info, (void)c;
    *win = (MPI_Win)(void *)FAKE_COMM(next);
    return MPI_SUCCESS;
}

static void fake_bcast_fortran(void *buf, void *count, void *type, void *root,
                               void *comm, void *ierr)
{
    (void)buf, (void)count, (void)type, (void)root, (void)comm;
    *(MPI_Fint *)ierr = MPI_SUCCESS;
}

static void fake_commit_fortran(void *type, void *ierr)
{
    (void)type;
    *(MPI_Fint *)ierr = MPI_SUCCESS;
}

static void start(int me)
{
    fake_me = me;
    page = page_make(2, RING_BYTES_MIN);
    fake_mpi();
    real_table[REAL_C][CALL_Comm_dup] = (real_f *)fake_dup;
    real_table[REAL_C][CALL_Comm_split] = (real_f *)fake_split;
    real_table[REAL_C][CALL_Comm_create_group] = (real_f *)fake_create_group;
    real_table[REAL_C][CALL_Intercomm_create] = (real_f *)fake_intercomm;
    real_table[REAL_C][CALL_Win_create] = (real_f *)fake_win_create;
    real_table[REAL_F][CALL_Bcast] = (real_f *)fake_bcast_fortran;
    real_table[REAL_F][CALL_Comm_dup] = (real_f *)fake_dup_fortran;
    real_table[REAL_F][CALL_Type_commit] = (real_f *)fake_commit_fortran;
    record_start(&page);
    record_init_end(true);
}

static uint64_t id_of(int i)
{
    struct comm *c = comm_find((uintptr_t)FAKE_COMM(i));

    CHECK(c != NULL);
    CHECK(c->shown->id == c->id && c->shown->seq % 2 == 0);
    return c->id;
}

/* ------------------------------------------------------------ the world */

static void world_in_page(void)
{
    setenv("PMIX_NAMESPACE", "hector.1", 1);
    start(2);
    CHECK(page.page->world_rank == 2 && page.page->world_size == 4);
    CHECK(page.page->nspace == page_hash("hector.1"));
    CHECK(page_hash("hector.1") != page_hash("hector.2"));
    CHECK(page_hash(NULL) == 0 && page_hash("") == 0);
}

static void test_world(void **state)
{
    (void)state;
    in_child(world_in_page);
}

/* ----------------------------------------------------------- identities */

/* The same program in three tasks; each must compute the same identities for
 * what it is a member of. Written to a pipe, compared by the parent. */
struct ids { uint64_t v[8]; };

static void make_all(int me, struct ids *ids)
{
    MPI_Comm c;
    MPI_Win w;

    start(me);
    fake_comms[3] = fake_comms[FAKE_WORLD];
    next = 3;
    MPI_Comm_dup(FAKE_COMM(FAKE_WORLD), &c);
    ids->v[0] = id_of(3);
    MPI_Barrier(FAKE_COMM(FAKE_WORLD));
    fake_comms[4] = (struct fake_comm){ .n = 2, .ranks = { me % 2, me % 2 + 2 } };
    next = 4;
    MPI_Comm_split(FAKE_COMM(FAKE_WORLD), 0, 0, &c);
    ids->v[1] = id_of(4);               /* one each for odd and even */
    fake_comms[5] = (struct fake_comm){ .n = 2, .ranks = { me % 2, me % 2 + 2 },
        .nremote = 2, .remote = { 1 - me % 2, 3 - me % 2 } };
    next = 5;
    MPI_Intercomm_create(FAKE_COMM(4), 0, FAKE_COMM(0), 1 - me % 2, 7, &c);
    ids->v[2] = id_of(5);
    fake_comms[6] = (struct fake_comm){ .n = 2, .ranks = { 2, 3 } };
    next = 6;
    if (me >= 2) {              /* the others know nothing of it */
        MPI_Comm_create_group(FAKE_COMM(0), NULL, 5, &c);
        ids->v[3] = id_of(6);
        fake_comms[7] = fake_comms[6];
        next = 7;
        MPI_Comm_create_group(FAKE_COMM(0), NULL, 5, &c);
        ids->v[4] = id_of(7);
    }
    fake_comms[8] = fake_comms[FAKE_WORLD];
    next = 8;
    MPI_Comm_dup(FAKE_COMM(FAKE_WORLD), &c);
    ids->v[5] = id_of(8);
    fake_comms[9] = fake_comms[FAKE_WORLD];
    next = 9;
    MPI_Win_create(NULL, 0, 1, (MPI_Info)0, FAKE_COMM(FAKE_WORLD), &w);
    ids->v[6] = id_of(9);
}

static void the_same_on_all_members(void **state)
{
    struct ids ids[4] = { 0 };

    (void)state;
    for (int me = 0; me < 4; me++) {
        int p[2], status;
        pid_t pid;

        assert_int_equal(pipe(p), 0);
        pid = fork();
        if (pid == 0) {
            make_all(me, &ids[me]);
            _exit(write(p[1], &ids[me], sizeof(ids[me])) != sizeof(ids[me]));
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        assert_int_equal(read(p[0], &ids[me], sizeof(ids[me])),
                         sizeof(ids[me]));
    }
    for (int me = 1; me < 4; me++) {
        assert_int_equal(ids[me].v[0], ids[0].v[0]);
        assert_int_equal(ids[me].v[1], ids[me % 2].v[1]);
        assert_int_equal(ids[me].v[2], ids[0].v[2]);
        assert_int_equal(ids[me].v[5], ids[0].v[5]);
        assert_int_equal(ids[me].v[6], ids[0].v[6]);
    }
    assert_int_not_equal(ids[0].v[1], ids[1].v[1]);
    assert_int_equal(ids[2].v[3], ids[3].v[3]);
    assert_int_equal(ids[2].v[4], ids[3].v[4]);
    for (int i = 0; i < 7; i++) {
        assert_true(ids[2].v[i] > 2 && !(ids[2].v[i] & PAGE_COMM_LOCAL));
        for (int j = 0; j < i; j++)
            assert_int_not_equal(ids[2].v[i], ids[2].v[j]);
    }
}

enum shown { SHOWN_NOT, SHOWN, SHOWN_FREED };
static enum shown shown_while_freed;

static enum shown shown_as(uint64_t id)
{
    for (unsigned i = 0; i < PAGE_COMMS; i++) {
        const struct page_comm *c = &page_shared(&page)->comm[i];

        if (c->kind && c->id == id)
            return c->freed ? SHOWN_FREED : SHOWN;
    }
    return SHOWN_NOT;
}

/* While it is being freed the others may wait for this task in it. */
static int fake_free(MPI_Comm *c)
{
    shown_while_freed = shown_as(page_slot(&page, 0)->comm);
    CHECK(comm_find((uintptr_t)*c) == NULL);
    return MPI_SUCCESS;
}

static int fail_to_free(MPI_Comm *c)
{
    (void)c;
    return MPI_ERR_COMM;
}

/* The last ones that were freed stay in the page, with what was done there;
 * what takes the place of one begins anew. */
static void freed_ones_stay(void)
{
    uint64_t ids[PAGE_FREED + 2];
    MPI_Comm c;

    start(0);
    fake_comms[3] = fake_comms[FAKE_WORLD];
    for (unsigned i = 0; i < PAGE_FREED + 2; i++) {
        next = 3;
        MPI_Comm_dup(FAKE_COMM(FAKE_WORLD), &c);
        ids[i] = id_of(3);
        CHECK(comm_find((uintptr_t)FAKE_COMM(3))->shown->history == 0);
        MPI_Barrier(FAKE_COMM(3));
        if (i == PAGE_FREED + 1)
            real_table[REAL_C][CALL_Comm_free] = (real_f *)fail_to_free;
        MPI_Comm_free(&c);
    }
    CHECK(shown_as(ids[PAGE_FREED + 1]) == SHOWN_NOT);
    CHECK(shown_as(ids[PAGE_FREED]) == SHOWN_NOT ||
          shown_as(ids[PAGE_FREED]) == SHOWN_FREED);
    CHECK(shown_as(PAGE_COMM_WORLD) == SHOWN);
}

static void freed_and_met_again(void)
{
    struct page_slot *s;
    MPI_Comm c;
    uint64_t first;

    start(0);
    real_table[REAL_C][CALL_Comm_free] = (real_f *)fake_free;
    s = page_slot(&page, 0);
    fake_comms[3] = fake_comms[FAKE_WORLD];
    next = 3;
    MPI_Comm_dup(FAKE_COMM(FAKE_WORLD), &c);
    first = id_of(3);
    CHECK(page_shared(&page)->comm[2].kind == 0 || first);
    CHECK(shown_as(first) == SHOWN);
    MPI_Comm_free(&c);
    CHECK(shown_while_freed == SHOWN);
    CHECK(shown_as(first) == SHOWN_FREED);
    CHECK(comm_find((uintptr_t)FAKE_COMM(3)) == NULL);
    MPI_Comm_dup(FAKE_COMM(FAKE_WORLD), &c);    /* the same handle */
    CHECK(id_of(3) != first);
    /* One that came from somewhere else is known from its first call on. */
    fake_comms[4] = fake_comms[FAKE_WORLD];
    MPI_Barrier(FAKE_COMM(4));
    CHECK(s->comm == 0 && s->collective == 0);
    MPI_Barrier(FAKE_COMM(4));
    CHECK(s->comm == id_of(4) && (s->comm & PAGE_COMM_LOCAL));
    CHECK(s->collective == 1);
}

/* Some functions take MPI_COMM_NULL and the like; to ask MPI about these would
 * be an error, which ends the program. */
static int never_ask(void)
{
    CHECK(!"asked about a null handle");
    return MPI_SUCCESS;
}

static MPI_Win fake_win_f2c(MPI_Fint f)
{
    return (MPI_Win)(void *)FAKE_COMM(f + 10);
}

static MPI_File fake_file_f2c(MPI_Fint f)
{
    return (MPI_File)(void *)FAKE_COMM(f + 11);
}

static void null_handles(void)
{
    MPI_Errhandler handler = (MPI_Errhandler)0;

    start(0);
    real_table[REAL_P][CALL_Win_f2c] = (real_f *)fake_win_f2c;
    real_table[REAL_P][CALL_File_f2c] = (real_f *)fake_file_f2c;
    real_table[REAL_P][CALL_Comm_group] = (real_f *)never_ask;
    real_table[REAL_P][CALL_Win_get_group] = (real_f *)never_ask;
    real_table[REAL_P][CALL_File_get_group] = (real_f *)never_ask;
    MPI_Comm_c2f(FAKE_COMM(3));
    MPI_Comm_c2f(FAKE_COMM(FAKE_NULL));
    MPI_Win_c2f((MPI_Win)(void *)FAKE_COMM(10));
    MPI_Comm_set_errhandler(FAKE_COMM(FAKE_NULL), handler);
    MPI_Win_set_errhandler((MPI_Win)(void *)FAKE_COMM(10), handler);
    MPI_File_set_errhandler((MPI_File)(void *)FAKE_COMM(11), handler);
    MPI_File_get_errhandler((MPI_File)(void *)FAKE_COMM(11), &handler);
    CHECK(page.page->comms_lost == 0);
}

static int fake_parent(MPI_Comm *to)
{
    return fake_make(to);
}

static int fake_idup(MPI_Comm c, MPI_Comm *to, MPI_Request *r)
{
    (void)c;
    *r = FAKE_REQUEST(FAKE_EMPTY_REQUEST);
    return fake_make(to);
}

static void told_again(void)
{
    MPI_Request r;
    MPI_Comm c;
    uint64_t id;

    start(0);
    real_table[REAL_C][CALL_Comm_get_parent] = (real_f *)fake_parent;
    real_table[REAL_C][CALL_Comm_idup] = (real_f *)fake_idup;
    fake_comms[3] = fake_comms[4] = fake_comms[FAKE_WORLD];
    next = 3;
    MPI_Comm_get_parent(&c);
    id = id_of(3);
    CHECK(id & PAGE_COMM_LOCAL);
    MPI_Barrier(c);
    MPI_Comm_get_parent(&c);            /* the same one, not one more */
    MPI_Barrier(c);
    CHECK(id_of(3) == id && page_slot(&page, 0)->collective == 2);
    next = 4;
    MPI_Comm_idup(FAKE_COMM(FAKE_WORLD), &c, &r);       /* done at once */
    CHECK(!(id_of(4) & PAGE_COMM_LOCAL));
}

static void more_than_there_is_room_for(void)
{
    static char many[2 * PAGE_COMMS][sizeof(struct fake_comm)];
    unsigned known = 0;

    start(0);
    for (unsigned i = 0; i < 2 * PAGE_COMMS; i++) {
        memcpy(many[i], &fake_comms[FAKE_WORLD], sizeof(struct fake_comm));
        MPI_Barrier((MPI_Comm)(void *)many[i]);
    }
    for (unsigned i = 0; i < 2 * PAGE_COMMS; i++)
        known += comm_find((uintptr_t)many[i]) != NULL;
    CHECK(known > PAGE_COMMS / 2 && known < PAGE_COMMS);
    CHECK(page.page->comms_lost == 2 * PAGE_COMMS - known);
    MPI_Barrier(FAKE_COMM(FAKE_WORLD));
    CHECK(page_slot(&page, 0)->comm == PAGE_COMM_WORLD);
    for (unsigned i = 0; i < 2 * PAGE_COMMS; i++) {
        MPI_Comm c = (MPI_Comm)(void *)many[i];

        MPI_Comm_free(&c);
    }
    /* Places are used again, also many times. */
    for (unsigned i = 0; i < 20 * PAGE_COMMS; i++) {
        MPI_Comm c;

        next = 3 + (int)(i % 60);
        fake_comms[next] = fake_comms[FAKE_WORLD];
        MPI_Comm_dup(FAKE_COMM(FAKE_WORLD), &c);
        CHECK(comm_find((uintptr_t)c) != NULL);
        MPI_Comm_free(&c);
    }
}

/* ------------------------------------------------- calls of some members */

static const struct page_meetings *meetings(void)
{
    return (const struct page_meetings *)(const void *)
        ((const char *)page.page + page_meetings_at(
             page.slots, page.calls, page.ring_bytes));
}

static const struct page_meeting *meeting_in(void)
{
    for (unsigned i = 0; i < PAGE_MEETINGS; i++)
        if (meetings()->meeting[i].in)
            return &meetings()->meeting[i];
    return NULL;
}

/* What the page says while the call is going on. */
static struct { uint64_t id, count, comm; uint32_t size, runs; int32_t tag; } met;
static struct page_run met_run[PAGE_RUNS];

static void see(void)
{
    const struct page_meeting *m = meeting_in();

    met.id = 0;
    if (!m)
        return;
    CHECK(m->seq % 2 == 0);
    met.id = m->id;
    met.count = m->count;
    met.comm = m->comm;
    met.size = m->size;
    met.runs = m->runs;
    met.tag = m->tag;
    memcpy(met_run, (const void *)m->run, sizeof(met_run));
}

static int see_group(MPI_Comm c, MPI_Group g, int tag, MPI_Comm *to)
{
    (void)c, (void)g, (void)tag;
    see();
    return fake_make(to);
}

static int see_intercomm(MPI_Comm c, int leader, MPI_Comm bridge, int other,
                         int tag, MPI_Comm *to)
{
    (void)c, (void)leader, (void)bridge, (void)other, (void)tag;
    see();
    return fake_make(to);
}

static uint64_t group_call(MPI_Comm c, const struct fake_comm *group, int tag)
{
    MPI_Comm made;

    next = FAKE_NULL;
    MPI_Comm_create_group(c, (MPI_Group)(void *)&group->n, tag, &made);
    return met.id;
}

/* Who has to come is known before the call, and it counts. */
static void groups_meet(void)
{
    static const struct fake_comm
        two = { .n = 2, .ranks = { 3, 1 } }, back = { .n = 2, .ranks = { 1, 3 } },
        all = { .n = 4, .ranks = { 1, 0, 2, 3 } }, other = { .n = 1, .ranks = { 1 } },
        foreign = { .n = 2, .ranks = { 1, -1 } };
    MPI_Comm world = FAKE_COMM(FAKE_WORLD), c;
    uint64_t id;

    start(1);
    real_table[REAL_C][CALL_Comm_create_group] = (real_f *)see_group;
    id = group_call(world, &two, 7);
    CHECK(id && met.count == 1 && met.comm == PAGE_COMM_WORLD && met.tag == 7);
    CHECK(met.size == 2 && met.runs == 1 && met_run[0].first == 3 &&
          met_run[0].n == 2 && met_run[0].step == -2);
    CHECK(!meeting_in());
    CHECK(group_call(world, &two, 7) == id && met.count == 2);
    CHECK(group_call(world, &two, 8) != id && met.count == 1);
    CHECK(group_call(world, &back, 7) != id && met.count == 1);
    CHECK(group_call(world, &all, 7) && met.size == 4 && met.runs == 2);
    CHECK(met_run[0].first == 1 && met_run[0].n == 2 && met_run[0].step == -1);
    CHECK(met_run[1].first == 2 && met_run[1].n == 2 && met_run[1].step == 1);
    CHECK(group_call(world, &foreign, 7) && met.size == 2 && met.runs == 0);
    CHECK(group_call(world, &other, 7) == 0);   /* nobody to wait for */
    CHECK(page_slot(&page, 0)->bytes == 0);
    next = FAKE_NULL;
    met.id = 1;
    MPI_Comm_create_group(world, (MPI_Group)0, 7, &c);
    CHECK(met.id == 0);
    /* Of another communicator it is another one. */
    fake_comms[3] = fake_comms[FAKE_WORLD];
    next = 3;
    MPI_Comm_dup(world, &c);
    CHECK(group_call(c, &two, 7) != id && met.comm == id_of(3));
    CHECK(meetings()->lost == 0);
    for (int tag = 0; tag <= PAGE_MEETINGS; tag++)
        group_call(world, &two, 100 + tag);
    CHECK(meetings()->lost > 0 && met.count == 1);
    CHECK(group_call(world, &two, 100 + PAGE_MEETINGS) && met.count == 2);
}

static void leaders_meet(void)
{
    MPI_Comm world = FAKE_COMM(FAKE_WORLD), c;
    struct page_slot *s;
    uint64_t id;

    start(2);
    s = page_slot(&page, 0);
    real_table[REAL_C][CALL_Intercomm_create] = (real_f *)see_intercomm;
    fake_comms[3] = (struct fake_comm){ .n = 2, .ranks = { 2, 3 } };
    next = 3;
    MPI_Comm_split(world, 0, 0, &c);
    next = FAKE_NULL;
    MPI_Intercomm_create(FAKE_COMM(3), 0, world, 1, 5, &c);
    id = met.id;
    CHECK(id && met.count == 1 && met.comm == PAGE_COMM_WORLD && met.tag == 5);
    CHECK(met.size == 2 && met.runs == 1 && met_run[0].first == 1 &&
          met_run[0].n == 2 && met_run[0].step == 1);
    CHECK(s->peer == 2 && s->collective == 1 && s->comm == id_of(3));
    MPI_Intercomm_create(FAKE_COMM(3), 0, world, 1, 6, &c);
    CHECK(met.id && met.id != id);
    MPI_Intercomm_create(FAKE_COMM(3), 0, world, 0, 5, &c);
    CHECK(met.id && met.id != id);
    MPI_Intercomm_create(FAKE_COMM(3), 0, FAKE_COMM(FAKE_NULL), 1, 5, &c);
    CHECK(!met.id);                     /* that is not known */
    MPI_Intercomm_create(FAKE_COMM(3), 0, world, 77, 5, &c);
    CHECK(!met.id);
    met.id = 1;
    MPI_Intercomm_create(FAKE_COMM(3), 1, world, 1, 5, &c);
    CHECK(met.id == 0 && s->peer == 3); /* another one leads */
}

/* Nothing, or not known how much? The flight recorder says. */
static void amounts_unknown(void)
{
    const struct page_flight *f;
    unsigned n = 0;

    start(1);
    f = page_thread(&page, 0)->flight;
    MPI_Bcast(NULL, 0, USER_TYPE(1), 0, FAKE_COMM(FAKE_WORLD));
    CHECK(f[n].bytes == 0 && f[n].tag == PAGE_NONE);
    MPI_Bcast(NULL, 5, USER_TYPE(1), 0, FAKE_COMM(FAKE_WORLD));
    n++;
    CHECK(f[n].bytes == 20 && f[n].tag == PAGE_NONE);
    MPI_Barrier(FAKE_COMM(FAKE_WORLD));
    n++;
    CHECK(f[n].bytes == 0 && f[n].tag == PAGE_NONE);
    real_table[REAL_P][CALL_Type_size_x] = (real_f *)fail_to_free;
    MPI_Bcast(NULL, 5, USER_TYPE(2), 0, FAKE_COMM(FAKE_WORLD));
    n++;
    CHECK(f[n].bytes == 0 && f[n].tag == PAGE_UNKNOWN);
}

static void test_meetings(void **state)
{
    (void)state;
    in_child(groups_meet);
    in_child(leaders_meet);
    in_child(amounts_unknown);
}

/* ------------------------------------------------------------- partners */

static void partners(void)
{
    struct page_slot *s;
    MPI_Comm c;
    int asked;

    start(2);
    s = page_slot(&page, 0);
    fake_comms[3] = (struct fake_comm){ .n = 3, .ranks = { 2, 0, 3 } };
    next = 3;
    MPI_Comm_split(FAKE_COMM(FAKE_WORLD), 0, 0, &c);
    CHECK(s->comm == PAGE_COMM_WORLD && s->collective == 1);
    MPI_Send(NULL, 5, USER_TYPE(3), 1, 9, c);
    CHECK(s->peer == 0 && s->tag == 9 && s->count == 5);
    CHECK(s->comm == id_of(3) && s->bytes == 0);  /* of a type not yet seen */
    CHECK(page_counts(&page, 0)[CALL_Send].bytes == 20);
    asked = fake_asked;
    MPI_Send(NULL, 5, USER_TYPE(3), 1, 9, c);
    CHECK(s->peer == 0 && s->bytes == 20);
    CHECK(fake_asked == asked);                 /* remembered */
    MPI_Recv(NULL, 1, USER_TYPE(3), MPI_ANY_SOURCE, MPI_ANY_TAG, c, NULL);
    CHECK(s->peer == PAGE_ANY && s->tag == PAGE_ANY);
    MPI_Send(NULL, 1, USER_TYPE(3), MPI_PROC_NULL, 0, c);
    CHECK(s->peer == PAGE_NULL);
    MPI_Send(NULL, 1, USER_TYPE(3), 3, 0, c);   /* there is no such rank */
    CHECK(s->peer == PAGE_UNKNOWN);
    MPI_Sendrecv(NULL, 1, USER_TYPE(3), 0, 1, NULL, 1, USER_TYPE(3), 2, 2, c,
                 NULL);
    CHECK(s->peer == 2 && s->source == 3 && s->tag == 1);
    MPI_Bcast(NULL, 1, USER_TYPE(3), 2, c);
    CHECK(s->peer == 3 && s->source == PAGE_NONE && s->tag == PAGE_NONE);
    CHECK(s->collective == 1);
    MPI_Reduce(NULL, NULL, 1, USER_TYPE(3), (MPI_Op)0, 0, c);
    CHECK(s->peer == 2 && s->collective == 2);
    MPI_Barrier(FAKE_COMM(FAKE_WORLD));
    CHECK(s->peer == PAGE_NONE && s->collective == 2);
    /* Across an intercommunicator it is the others who are meant. */
    fake_comms[4] = (struct fake_comm){ .n = 1, .ranks = { 2 }, .nremote = 2,
                                        .remote = { 3, -1 } };
    next = 4;
    MPI_Intercomm_create(FAKE_COMM(FAKE_SELF), 0, c, 0, 1, &c);
    MPI_Send(NULL, 1, USER_TYPE(3), 0, 9, FAKE_COMM(4));
    CHECK(s->peer == 3);
    MPI_Send(NULL, 1, USER_TYPE(3), 1, 9, FAKE_COMM(4));
    CHECK(s->peer == PAGE_UNKNOWN);             /* in another world */
}

static void sizes(void)
{
    const int counts[] = { 1, 2, 3, 4 };
    struct page_slot *s;
    MPI_Datatype type = USER_TYPE(2);
    MPI_Comm w = FAKE_COMM(FAKE_WORLD);

    start(0);
    s = page_slot(&page, 0);
    MPI_Bcast(NULL, 2, FAKE_TYPE(39), 0, w);    /* MPI_INT is known */
    CHECK(s->bytes == 8);
    MPI_Bcast(NULL, 1, type, 0, w);             /* learns the size */
    MPI_Alltoallv(NULL, counts, NULL, type, NULL, counts, NULL, type, w);
    CHECK(s->count == 10 && s->bytes == 40);
    MPI_Reduce_scatter(NULL, NULL, counts, type, (MPI_Op)0, w);
    CHECK(s->count == 10 && s->bytes == 40);
    /* What stands beside MPI_IN_PLACE is not looked at. */
    MPI_Allgather(MPI_IN_PLACE, 77, (MPI_Datatype)1, NULL, 3, type, w);
    CHECK(s->count == 3 && s->bytes == 12);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, (MPI_Datatype)1, NULL, counts,
                  NULL, type, w);
    CHECK(s->count == 0 && s->bytes == 0);
    MPI_Scatterv(NULL, NULL, NULL, (MPI_Datatype)1, NULL, 2, type, 1, w);
    CHECK(s->count == 2 && s->bytes == 8);
    fake_type_bytes = 16;
    MPI_Bcast(NULL, 1, type, 0, w);
    CHECK(s->bytes == 4);
    MPI_Type_free(&type);                       /* the handle comes back */
    type = USER_TYPE(2);
    MPI_Bcast(NULL, 1, FAKE_TYPE(39), 0, w);
    CHECK(s->bytes == 4);                       /* MPI_INT stays known */
    MPI_Bcast(NULL, 1, type, 0, w);
    MPI_Bcast(NULL, 1, type, 0, w);
    CHECK(s->bytes == 16);
}

/* Where handles are is chance: address space layout randomization. */
static void types_share_a_place(void)
{
    uintptr_t key[2 * TYPE_NEAR], first = 0x1000;
    unsigned n = 0;

    start(0);
    for (unsigned i = 0; i < TYPE_NEAR; i++)
        while (type_place(first)[i].key) {      /* one of MPI's own */
            first += 16;
            i = 0;
        }
    for (uintptr_t k = first; n < 2 * TYPE_NEAR; k += 16)
        if (type_place(k) == type_place(first))
            key[n++] = k;
    for (unsigned i = 0; i < TYPE_NEAR; i++)
        CHECK(type_ask(key[i], false) == 4);
    for (unsigned i = 0; i < TYPE_NEAR; i++)
        CHECK(type_find(key[i]) == 4);
    for (unsigned i = 0; i < 2 * TYPE_NEAR; i++) {
        type_ask(key[i], false);
        CHECK(type_find(key[i]) == 4);          /* another one had to go */
    }
    type_forget();
    for (unsigned i = 0; i < 2 * TYPE_NEAR; i++)
        CHECK(type_find(key[i]) == TYPE_UNKNOWN);
}

/* MPI's own do not go for any number of others. */
static void own_types_stay(void)
{
    start(0);
    for (uintptr_t k = 0x1000; k < 0x41000; k += 16)
        type_ask(k, false);
    for (int f = 34; f <= 53; f++)
        CHECK(type_find((uintptr_t)FAKE_TYPE(f)) == 4);
    CHECK(type_find(about_key(7)) == 4);        /* Fortran's MPI_INTEGER */
}

static void committed(void)
{
    struct page_slot *s;
    MPI_Datatype type = USER_TYPE(2);
    MPI_Fint f = 83, zero = 0, two = 2, world = FAKE_WORLD, ierr;

    start(0);
    s = page_slot(&page, 0);
    MPI_Type_commit(&type);
    MPI_Bcast(NULL, 3, type, 0, FAKE_COMM(FAKE_WORLD));
    CHECK(s->bytes == 12);                      /* at the first use */
    mpi_type_commit_(&f, &ierr);
    mpi_bcast_(NULL, &two, &f, &zero, &world, &ierr);
    CHECK(s->bytes == 8);
    CHECK(comm_find((uintptr_t)FAKE_COMM(FAKE_WORLD))->shown->bytes == 20);
    real_table[REAL_C][CALL_Type_commit] = (real_f *)fail_to_free;
    type = USER_TYPE(4);
    MPI_Type_commit(&type);
    CHECK(type_find((uintptr_t)type) == TYPE_UNKNOWN);
}

/* What rank 1 of four tells of the call. */
static bool told(uint64_t gives, uint64_t gives_to, uint64_t takes,
                 uint64_t takes_from)
{
    struct page_comm *p = comm_find((uintptr_t)FAKE_COMM(FAKE_WORLD))->shown;

    return p->parcels_in == p->collectives && p->gives == gives &&
           p->gives_to == gives_to && p->takes == takes &&
           p->takes_from == takes_from;
}

static void amounts_for_each(void)
{
    const int counts[] = { 1, 20, 300, 4000 }, other[] = { 5, 6, 7, 8 };
    MPI_Datatype type = USER_TYPE(2), ints = FAKE_TYPE(39);
    MPI_Datatype types[] = { type, USER_TYPE(6), ints, type };  /* one its own */
    MPI_Comm w = FAKE_COMM(FAKE_WORLD);
    int *volatile nowhere = (int *)8;
    struct page_comm *p;

    start(1);
    p = comm_find((uintptr_t)w)->shown;
    MPI_Alltoallv(NULL, counts, NULL, type, NULL, other, NULL, type, w);
    CHECK(p->parcels_in == 0);                  /* of a type not yet seen */
    MPI_Alltoallv(NULL, counts, NULL, type, NULL, other, NULL, ints, w);
    CHECK(told(4301 * 4, (1 + 3 * 300 + 4 * 4000) * 4, 20 * 4,
               (5 + 3 * 7 + 4 * 8) * 4));
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, (MPI_Datatype)1, NULL, other, NULL,
                  type, w);
    CHECK(told(20 * 4, 58 * 4, 20 * 4, 58 * 4));
    MPI_Gatherv(NULL, 3, type, NULL, nowhere, NULL, type, 2, w);
    CHECK(told(3 * 4, 3 * 3 * 4, 0, 0));        /* no array but the root's */
    MPI_Gatherv(NULL, 3, (MPI_Datatype)1, NULL, other, NULL, type, 1, w);
    CHECK(told(0, 0, 20 * 4, 58 * 4));
    MPI_Scatterv(NULL, nowhere, NULL, type, NULL, 3, type, 0, w);
    CHECK(told(0, 0, 3 * 4, 3 * 4));
    MPI_Scatterv(NULL, counts, NULL, type, NULL, 3, type, 1, w);
    CHECK(told(4301 * 4, (1 + 3 * 300 + 4 * 4000) * 4, 0, 0));
    MPI_Allgatherv(NULL, 9, type, NULL, other, NULL, type, w);
    CHECK(told(3 * 9 * 4, (1 + 3 + 4) * 9 * 4, 20 * 4, 58 * 4));
    MPI_Allgatherv(MPI_IN_PLACE, 0, (MPI_Datatype)1, NULL, other, NULL, type, w);
    CHECK(told(3 * 6 * 4, 8 * 6 * 4, 20 * 4, 58 * 4));
    MPI_Reduce_scatter(NULL, NULL, counts, type, (MPI_Op)0, w);
    CHECK(told(4301 * 4, (1 + 3 * 300 + 4 * 4000) * 4, 3 * 20 * 4,
               8 * 20 * 4));
    MPI_Alltoallw(NULL, counts, NULL, types, NULL, other, NULL, types, w);
    CHECK(told(4301 * 4, (1 + 3 * 300 + 4 * 4000) * 4, 20 * 4, 58 * 4));
    types[3] = USER_TYPE(7);
    MPI_Alltoallw(NULL, counts, NULL, types, NULL, other, NULL, types, w);
    CHECK(p->parcels_in + 1 == p->collectives);
    MPI_Alltoallw(NULL, other, NULL, types, NULL, counts, NULL, types, w);
    CHECK(told(20 * 4, 58 * 4, 4301 * 4, (1 + 3 * 300 + 4 * 4000) * 4));
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, NULL, other, NULL, types, w);
    CHECK(told(20 * 4, 58 * 4, 20 * 4, 58 * 4));
    MPI_Barrier(w);                             /* stays until the next one */
    CHECK(p->parcels_in + 1 == p->collectives);
    MPI_Alltoallv(NULL, counts, NULL, USER_TYPE(5), NULL, other, NULL, type, w);
    CHECK(p->parcels_in + 2 == p->collectives);
}

static void fortran(void)
{
    MPI_Fint world = FAKE_WORLD, two = 2, type = 85, three = 3, made, ierr;
    struct page_slot *s;

    start(0);
    s = page_slot(&page, 0);
    mpi_bcast_(NULL, &two, &type, &three, &world, &ierr);
    CHECK(s->comm == PAGE_COMM_WORLD && s->peer == 3 && s->collective == 1);
    mpi_bcast_(NULL, &two, &type, &three, &world, &ierr);
    CHECK(s->bytes == 8 && s->collective == 2);
    fake_comms[3] = fake_comms[FAKE_WORLD];
    next = 3;
    mpi_comm_dup_(&world, &made, &ierr);
    CHECK(made == 3);
    mpi_bcast_(NULL, &two, &type, &two, &made, &ierr);
    CHECK(s->comm == id_of(3) && s->peer == 2 && s->collective == 1);
    /* A buffer of no elements may have no address: it is not MPI_IN_PLACE,
     * and what another rank would give means nothing. */
    real_table[REAL_F][CALL_Gather] = (real_f *)fake_nothing;
    mpi_gather_(NULL, &two, &type, NULL, &three, &(MPI_Fint){ 99 }, &two,
                &made, &ierr);
    CHECK(s->count == 2);
    /* In the other language it is the same one. */
    MPI_Barrier(FAKE_COMM(3));
    CHECK(s->comm == id_of(3) && s->collective == 3);
}

/* ------------------------------------------------------- many threads */

enum { THREADS = 4, EACH = 3000 };

/* Makes, uses and frees communicators and types of its own, while the others
 * do the same, in both languages. */
static void *makes_and_frees(void *arg)
{
    int mine = *(int *)arg, here = -1;
    MPI_Fint f = mine, two = 2, type = 80 + mine, zero = 0, ierr;

    for (int i = 0; i < EACH; i++) {
        MPI_Comm c;
        MPI_Datatype t = USER_TYPE(mine);

        next = mine;
        MPI_Comm_split(FAKE_COMM(FAKE_SELF), 0, 0, &c);
        MPI_Barrier(c);
        for (unsigned s = 0; s < page.slots && here < 0; s++)
            if (page_slot(&page, s)->tid == (uint32_t)gettid())
                here = (int)s;
        CHECK(page_slot(&page, here)->comm == id_of(mine));
        CHECK(page_slot(&page, here)->collective == 1);
        mpi_bcast_(NULL, &two, &type, &zero, &f, &ierr);
        CHECK(page_slot(&page, here)->collective == 2);
        MPI_Send(NULL, 3, t, 1, 1, c);
        CHECK(page_slot(&page, here)->peer == (mine + 1) % 4);
        MPI_Type_free(&t);
        MPI_Comm_free(&c);
    }
    return NULL;
}

static void by_many_threads(void)
{
    static int number[THREADS];
    pthread_t thread[THREADS];

    start(0);
    page = page_make(THREADS + 2, RING_BYTES_MIN);
    record_start(&page);
    record_init_end(true);
    for (int i = 0; i < THREADS; i++) {
        number[i] = 10 + i;
        fake_comms[10 + i] = (struct fake_comm){ .n = 2,
            .ranks = { (10 + i) % 4, (11 + i) % 4 } };
        pthread_create(&thread[i], NULL, makes_and_frees, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHECK(page.page->comms_lost == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(!comm_find((uintptr_t)FAKE_COMM(10 + i)));
}

#define IN_CHILD(name) \
    static void test_##name(void **state) { (void)state; in_child(name); }
#define TESTS(X) \
    X(freed_ones_stay) X(freed_and_met_again) X(null_handles) X(told_again) \
    X(more_than_there_is_room_for) X(partners) \
    X(sizes) X(types_share_a_place) \
    X(own_types_stay) X(committed) X(amounts_for_each) X(fortran) X(by_many_threads)
TESTS(IN_CHILD)

int main(void)
{
#define LIST(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_world), cmocka_unit_test(test_meetings),
        cmocka_unit_test(the_same_on_all_members), TESTS(LIST)
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
