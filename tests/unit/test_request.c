/* test_request.c - unfinished requests in the page: what a wait waits for. */
#include "tests/unit/pages.h"
#include "tests/unit/fakempi.h"

#include <pthread.h>
#include <unistd.h>

#include "mpi-wrappers/record/hook.h"
#include "mpi-wrappers/record/record.h"
#include "tests/unit/draw.h"

static struct attach page;
static struct page_slot *slot;
static void (*inside)(void);            /* runs while a wait waits */
static MPI_Request next;                /* what the next Irecv makes */
static int finish = -1;                 /* which one a wait finishes; -1 all */

static int fake_irecv(void *buf, int count, MPI_Datatype type, int source,
                      int tag, MPI_Comm comm, MPI_Request *r)
{
    (void)buf, (void)count, (void)type, (void)source, (void)tag, (void)comm;
    *r = next;
    return MPI_SUCCESS;
}

static int fake_isend(const void *buf, int count, MPI_Datatype type, int dest,
                      int tag, MPI_Comm comm, MPI_Request *r)
{
    return fake_irecv((void *)(uintptr_t)buf, count, type, dest, tag, comm, r);
}

static int fake_waitall(int n, MPI_Request *r, MPI_Status *status)
{
    (void)status;
    if (inside)
        inside();
    for (int i = 0; i < n; i++)
        if (finish < 0 || finish == i)
            r[i] = FAKE_REQUEST(FAKE_NO_REQUEST);
    return MPI_SUCCESS;
}

static int fake_wait(MPI_Request *r, MPI_Status *status)
{
    return fake_waitall(1, r, status);
}

static int fake_waitany(int n, MPI_Request *r, int *index, MPI_Status *status)
{
    *index = finish;
    return fake_waitall(n, r, status);
}

static int fake_persistent_wait(MPI_Request *r, MPI_Status *status)
{
    (void)r, (void)status;
    return MPI_SUCCESS;
}

/* Persistent requests keep their handles: what is finished is said. */
static int said, says[4];

static int fake_test(MPI_Request *r, int *flag, MPI_Status *status)
{
    (void)r, (void)status;
    *flag = said;
    return MPI_SUCCESS;
}

static int fake_testall(int n, MPI_Request *r, int *flag, MPI_Status *status)
{
    (void)n;
    return fake_test(r, flag, status);
}

static int fake_testany(int n, MPI_Request *r, int *index, int *flag,
                        MPI_Status *status)
{
    (void)n;
    *index = says[0];
    return fake_test(r, flag, status);
}

static int fake_waitsome(int n, MPI_Request *r, int *nout, int *index,
                         MPI_Status *status)
{
    (void)n, (void)r, (void)status;
    *nout = said;
    memcpy(index, says, sizeof(says));
    return MPI_SUCCESS;
}

static void fake_waitsome_fortran(void *n, void *r, void *nout, void *index,
                                  void *status, void *ierr)
{
    fake_waitsome(*(int *)n, r, nout, index, status);
    *(int *)ierr = MPI_SUCCESS;
}

static void start(void)
{
    page = page_make(4, RING_BYTES_MIN);
    slot = page_slot(&page, 0);
    fake_mpi();
    real_table[REAL_C][CALL_Irecv] = (real_f *)fake_irecv;
    real_table[REAL_C][CALL_Isend] = (real_f *)fake_isend;
    real_table[REAL_C][CALL_Recv_init] = (real_f *)fake_irecv;
    real_table[REAL_C][CALL_Wait] = (real_f *)fake_wait;
    real_table[REAL_C][CALL_Waitall] = (real_f *)fake_waitall;
    real_table[REAL_C][CALL_Waitany] = (real_f *)fake_waitany;
    record_start(&page);
    record_init_end(true);
}

static MPI_Request irecv(int i, int source, int tag)
{
    MPI_Request r;

    next = FAKE_REQUEST(i);
    MPI_Irecv(NULL, 1, FAKE_TYPE(1), source, tag, FAKE_COMM(FAKE_WORLD), &r);
    return r;
}

/* How many unfinished ones there are, and how many are waited for here. */
static unsigned unfinished(unsigned waiter)
{
    const struct page_shared *s = page_shared(&page);
    unsigned n = 0;

    for (unsigned i = 0; i < PAGE_REQUESTS; i++)
        if (s->request_key[i] > 1) {
            CHECK(s->request[i].seq % 2 == 0);
            n += waiter == 0 || s->request[i].waiter == waiter;
        }
    return n;
}

static void while_it_waits(void)
{
    CHECK(slot->call == CALL_Wait && slot->requests == 1);
    CHECK(slot->waits_call == CALL_Irecv && slot->peer == 2);
    CHECK(slot->tag == 9 && slot->comm == PAGE_COMM_WORLD);
    CHECK(unfinished(1) == 1 && unfinished(0) == 2);
}

static void one_wait(void)
{
    MPI_Request a, b;

    start();
    a = irecv(3, 2, 9);
    b = irecv(4, MPI_ANY_SOURCE, MPI_ANY_TAG);
    CHECK(unfinished(0) == 2 && unfinished(1) == 0);
    inside = while_it_waits;
    MPI_Wait(&a, MPI_STATUS_IGNORE);
    inside = NULL;
    CHECK(unfinished(0) == 1);
    MPI_Wait(&b, MPI_STATUS_IGNORE);
    CHECK(slot->peer == PAGE_ANY && slot->tag == PAGE_ANY);
    CHECK(unfinished(0) == 0);
    MPI_Wait(&b, MPI_STATUS_IGNORE);            /* of nothing */
    CHECK(slot->requests == 0 && slot->waits_call == 0);
    CHECK(slot->peer == PAGE_NONE);
    /* Complete from the start: many have that handle, it says nothing. */
    a = irecv(FAKE_EMPTY_REQUEST, 1, 1);
    CHECK(unfinished(0) == 0);
}

/* The site of the request with this tag, in the table of a slot. */
static const struct page_site *made_at(unsigned in, int tag)
{
    const struct page_shared *s = page_shared(&page);

    for (unsigned i = 0; i < PAGE_REQUESTS; i++)
        if (s->request_key[i] > 1 && s->request[i].tag == tag) {
            uint32_t site = s->request[i].site;

            CHECK(site / PAGE_SITES == in);
            return &page_thread(&page, in)->site[site % PAGE_SITES];
        }
    CHECK(!"it is there");
    return NULL;
}

static void *irecv_elsewhere(void *tag)
{
    irecv(5, 1, *(int *)tag);
    return NULL;
}

static void knows_its_site(void)
{
    const struct page_site *one, *other;
    pthread_t thread;
    MPI_Request r;

    start();
    irecv(3, 2, 9);
    next = FAKE_REQUEST(4);
    MPI_Recv_init(NULL, 1, FAKE_TYPE(1), 2, 8, FAKE_COMM(FAKE_WORLD), &r);
    one = made_at(0, 9);
    other = made_at(0, 8);
    CHECK(one != other && one->call == CALL_Irecv);
    CHECK(other->call == CALL_Recv_init && other->address);
    CHECK(pthread_create(&thread, NULL, irecv_elsewhere, &(int){ 7 }) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(made_at(1, 7)->call == CALL_Irecv && made_at(1, 7)->address);
}

/* Where a receive is in the table that was started with this tag. */
static const struct page_request *with_tag(int tag)
{
    const struct page_shared *s = page_shared(&page);

    for (unsigned i = 0; i < PAGE_REQUESTS; i++)
        if (s->request_key[i] > 1 && s->request[i].tag == tag)
            return &s->request[i];
    return NULL;
}

/* Which receive was started first is told by ticks: the task may have stood between
 * the two, and go on by a clock that began long after the one that it had. What is
 * known of a message that was sent is no time. */
static void started_before_it_stood(void)
{
    const struct page_request *before, *sent;
    uint64_t began, number;
    MPI_Request r;

    start();
    irecv(3, 2, 11);
    next = FAKE_REQUEST(4);
    MPI_Isend(NULL, 1, FAKE_TYPE(1), 3, 12, FAKE_COMM(FAKE_WORLD), &r);
    before = with_tag(11);
    sent = with_tag(12);
    CHECK(before && sent);
    began = before->sent;
    number = sent->sent;
    CHECK(began && number);
    hct_hook_stand();
    usleep(1000);
    hct_hook_go_on();
    CHECK(page.page->stood_ticks > 0);
    CHECK(before->sent == began + page.page->stood_ticks);
    CHECK(sent->sent == number);
}

static void many(int n)
{
    static char handles[3000];
    static MPI_Request r[3000];
    int kept = 0;

    for (int i = 0; i < n; i++) {
        next = (MPI_Request)(void *)&handles[i];
        MPI_Irecv(NULL, 1, FAKE_TYPE(1), i % 4, i, FAKE_COMM(0), &r[i]);
    }
    kept = (int)unfinished(0);
    CHECK(kept + (int)page.page->requests_lost >= n);
    finish = n / 2;
    MPI_Waitany(n, r, &(int){ 0 }, MPI_STATUS_IGNORE);
    CHECK((slot->requests & ~PAGE_BY_STANDING) == (uint32_t)kept);
    CHECK(slot->count == (uint64_t)n);
    CHECK((int)unfinished(0) >= kept - 1 && (int)unfinished(0) <= kept);
    CHECK(unfinished(1) == 0);
    finish = -1;
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    CHECK(unfinished(0) == 0);
}

static void several(void)
{
    start();
    for (int n = 1; n < 70; n++)
        many(n);
    many(300);
    CHECK(page.page->requests_lost == 0);
    many(3000);                                 /* too many */
    CHECK(page.page->requests_lost > 900);
    CHECK(page.page->requests_lost < 2200);
}

static void persistent(void)
{
    MPI_Request r;

    start();
    real_table[REAL_C][CALL_Wait] = (real_f *)fake_persistent_wait;
    next = FAKE_REQUEST(5);
    MPI_Recv_init(NULL, 1, FAKE_TYPE(1), 3, 4, FAKE_COMM(FAKE_WORLD), &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(slot->requests == 0);                 /* not started */
    for (int i = 0; i < 3; i++) {
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        CHECK(slot->requests == 1 && slot->peer == 3);
        CHECK(slot->waits_call == CALL_Recv_init);
        CHECK(unfinished(0) == 1);
    }
    MPI_Request_free(&r);
    CHECK(unfinished(0) == 0);
}

static unsigned active(void)
{
    const struct page_shared *s = page_shared(&page);
    unsigned n = 0;

    for (unsigned i = 0; i < PAGE_REQUESTS; i++) {
        n += s->request_key[i] > 1 && !s->request[i].idle;
        CHECK(s->request[i].waiter == 0 ||
              (s->request[i].waiter & PAGE_STANDING && slot->call == 0));
    }
    return n;
}

void mpi_waitsome_(void *n, void *r, void *nout, void *index, void *status,
                   void *ierr);
void mpi_startall_(void *n, void *r, void *ierr);
void mpi_recv_init_(void *buf, void *count, void *type, void *source,
                    void *tag, void *comm, void *r, void *ierr);

static void fake_recv_init_fortran(void *buf, void *count, void *type,
                                   void *source, void *tag, void *comm,
                                   void *r, void *ierr)
{
    (void)buf, (void)count, (void)type, (void)source, (void)comm;
    *(int *)r = 7 + *(int *)tag;
    *(int *)ierr = MPI_SUCCESS;
}

/* MPI-4.1, and not in every mpi.h. */
int MPI_Request_get_status_any(int n, const MPI_Request r[], int *index, int *flag,
                               MPI_Status *status);

static void finished_as_it_is_said(void)
{
    MPI_Request r[4];
    int flag, index[4], n = 4, f[4], one = 1, type = 5, ierr;

    start();
    real_table[REAL_C][CALL_Test] = (real_f *)fake_test;
    real_table[REAL_C][CALL_Testall] = (real_f *)fake_testall;
    real_table[REAL_C][CALL_Testany] = (real_f *)fake_testany;
    real_table[REAL_C][CALL_Waitsome] = (real_f *)fake_waitsome;
    real_table[REAL_C][CALL_Testsome] = (real_f *)fake_waitsome;
    real_table[REAL_C][CALL_Request_get_status] = (real_f *)fake_test;
    real_table[REAL_C][CALL_Request_get_status_any] = (real_f *)fake_testany;
    for (int i = 0; i < 4; i++) {
        next = FAKE_REQUEST(5 + i);
        MPI_Recv_init(NULL, 1, FAKE_TYPE(1), i, i, FAKE_COMM(0), &r[i]);
    }
    MPI_Startall(4, r);
    CHECK(active() == 4);
    said = 0;
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE);
    MPI_Testany(4, r, index, &flag, MPI_STATUS_IGNORE);
    MPI_Testsome(4, r, &n, index, MPI_STATUSES_IGNORE);
    CHECK(active() == 4 && slot->requests == 4);
    said = MPI_UNDEFINED;
    MPI_Waitsome(4, r, &n, index, MPI_STATUSES_IGNORE);
    said = 1;
    MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
    MPI_Request_get_status_any(4, r, index, &flag, MPI_STATUS_IGNORE);
    CHECK(active() == 4 && slot->requests == 4);
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    CHECK(active() == 3);
    says[0] = 2;
    MPI_Testany(4, r, index, &flag, MPI_STATUS_IGNORE);
    CHECK(active() == 2 && slot->requests == 3);
    said = 2;
    says[0] = 3;
    says[1] = 1;
    MPI_Waitsome(4, r, &n, index, MPI_STATUSES_IGNORE);
    CHECK(active() == 0);
    MPI_Startall(4, r);
    said = 4711;                /* nonsense is as harmless as it can be */
    says[2] = -5;
    says[3] = 70000;
    MPI_Testsome(4, r, &n, index, MPI_STATUSES_IGNORE);
    CHECK(active() == 2);
    said = 1;
    MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE);
    CHECK(active() == 0);
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&r[i]);

    /* In Fortran the first one has number 1. */
    real_table[REAL_F][CALL_Waitsome] = (real_f *)fake_waitsome_fortran;
    real_table[REAL_F][CALL_Recv_init] = (real_f *)fake_recv_init_fortran;
    real_table[REAL_F][CALL_Startall] = (real_f *)fake_nothing;
    ierr = MPI_SUCCESS;
    for (int i = 0; i < 4; i++)
        mpi_recv_init_(NULL, &one, &type, &one, &i, &(int){ 0 }, &f[i], &ierr);
    n = 4;
    mpi_startall_(&n, f, &ierr);
    CHECK(active() == 4);
    said = 1;
    says[0] = 4;
    mpi_waitsome_(&n, f, &flag, index, NULL, &ierr);
    CHECK(active() == 3);
    for (unsigned i = 0; i < PAGE_REQUESTS; i++)
        if (page_shared(&page)->request_key[i] > 1)
            CHECK(page_shared(&page)->request[i].idle ==
                  (page_shared(&page)->request[i].tag == 3));
}

/* ------------------------------------- waits that are left, or are alike */

static jmp_buf out;

static void jump_out(void)
{
    inside = NULL;
    longjmp(out, 1);
}

static void *dies_in_a_wait(void *r)
{
    inside = jump_out;
    if (setjmp(out) == 0)
        MPI_Waitall(100, r, MPI_STATUSES_IGNORE);
    return NULL;
}

static void left_by_a_jump(void)
{
    static char handles[100];
    MPI_Request r[100], one;
    pthread_t thread;

    start();
    for (int i = 0; i < 100; i++) {
        next = (MPI_Request)(void *)&handles[i];
        MPI_Irecv(NULL, 1, FAKE_TYPE(1), 1, i, FAKE_COMM(0), &r[i]);
    }
    dies_in_a_wait(r);
    CHECK(unfinished(1) == 100);                /* as far as we know */
    one = irecv(3, 2, 9);
    CHECK(active() == 101);                     /* now we know better */
    pthread_create(&thread, NULL, dies_in_a_wait, r);
    pthread_join(thread, NULL);
    CHECK(active() == 101);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    MPI_Waitall(100, r, MPI_STATUSES_IGNORE);
    CHECK(active() == 0);
}

/* ------------------------------------------ many, asked again and again */

/* What the program does by lot, and what it knows itself of its requests. */
enum { ASKED = 200, LIVES = 3000 };
/* One thread does it: a sanitizer of threads has soon seen what there is. */
#ifdef __SANITIZE_THREAD__
enum { CHANGES = 1000 };
#else
enum { CHANGES = 20000 };
#endif
static struct { bool there, persistent, idle; int peer; } life[LIVES];
static char life_handle[LIVES];
static MPI_Request asked[2][ASKED];
static int asked_array, asked_n, lives;

static unsigned lot(unsigned n)
{
    return (unsigned)(draw() % n);
}

static int life_of(MPI_Request r)
{
    char *p = (char *)(void *)r;

    return p >= life_handle && p < life_handle + LIVES ? (int)(p - life_handle)
                                                       : -1;
}

/* Inside of a call on the first asked_n of one array. */
static void marks_are_right(void)
{
    const struct page_shared *s = page_shared(&page);
    unsigned known = 0, marked = 0, by = asked_n >= 8 ? PAGE_STANDING : 0;
    int first = -1;

    for (int i = 0; i < asked_n; i++) {
        int l = life_of(asked[asked_array][i]);

        if (l < 0 || life[l].idle)
            continue;
        known++;
        if (first < 0)
            first = life[l].peer;
    }
    for (unsigned i = 0; i < PAGE_REQUESTS; i++) {
        int l = s->request_key[i] > 1 ? life_of((MPI_Request)
                                                s->request_key[i]) : -1;
        bool in = false;

        if (s->request_key[i] <= 1)
            continue;
        CHECK(l >= 0 && life[l].there);
        if (s->request[i].waiter != (1 | by))
            continue;
        for (int j = 0; j < asked_n; j++)
            in |= asked[asked_array][j] == (MPI_Request)s->request_key[i];
        CHECK(in && !life[l].idle && !s->request[i].idle);
        marked++;
    }
    CHECK(marked == known);
    CHECK(slot->requests == (known ? known | (by ? PAGE_BY_STANDING : 0) : 0));
    CHECK(slot->peer == (known ? first : PAGE_NONE));
}

static void finish_one(int i)
{
    int l = life_of(asked[asked_array][i]);

    if (l < 0)
        return;
    if (life[l].persistent) {
        life[l].idle = true;
        return;
    }
    life[l].there = false;
    asked[asked_array][i] = FAKE_REQUEST(FAKE_NO_REQUEST);
}

static int a_live_one(void)
{
    for (int i = 0, at = (int)lot((unsigned)asked_n); i < asked_n; i++) {
        int l = life_of(asked[asked_array][(at + i) % asked_n]);

        if (l >= 0 && !life[l].idle)
            return (at + i) % asked_n;
    }
    return -1;
}

static int lot_testany(int n, MPI_Request *r, int *index, int *flag,
                       MPI_Status *status)
{
    (void)n, (void)r, (void)status;
    marks_are_right();
    *flag = lot(2) == 0;
    *index = *flag ? a_live_one() : MPI_UNDEFINED;
    if (*flag && *index < 0)
        *index = MPI_UNDEFINED;
    else if (*flag)
        finish_one(*index);
    return MPI_SUCCESS;
}

static int lot_testsome(int n, MPI_Request *r, int *nout, int *index,
                        MPI_Status *status)
{
    (void)n, (void)r, (void)status;
    marks_are_right();
    *nout = 0;
    for (unsigned k = lot(5); k > 0; k--) {
        int i = a_live_one();

        if (i < 0)
            break;
        finish_one(index[(*nout)++] = i);
    }
    return MPI_SUCCESS;
}

/* Sometimes it fails, after it has finished some. */
static int lot_testall(int n, MPI_Request *r, int *flag, MPI_Status *status)
{
    bool fails = lot(8) == 0;

    (void)r, (void)status;
    marks_are_right();
    *flag = lot(6) == 0;
    for (int i = 0; i < n; i++)
        if (*flag && !fails)
            finish_one(i);
    if (!fails)
        return MPI_SUCCESS;
    for (int i = 0; i < n; i++) {
        int l = life_of(asked[asked_array][i]);

        if (l >= 0 && !life[l].persistent && lot(3) == 0)
            finish_one(i);
    }
    return MPI_ERR_IN_STATUS;
}

static int lot_wait(MPI_Request *r, MPI_Status *status)
{
    (void)status;
    finish_one((int)(r - asked[asked_array]));
    return MPI_SUCCESS;
}

static int lot_free(MPI_Request *r)
{
    life[life_of(*r)].there = false;
    *r = FAKE_REQUEST(FAKE_NO_REQUEST);
    return MPI_SUCCESS;
}

/* A handle that is free again may be the next one to be given away. */
static void begin_one(MPI_Request *r)
{
    int l = lot(2) ? lives++ % LIVES : (int)lot(LIVES);
    bool persistent = lot(4) == 0;

    if (life[l].there)
        return;
    next = (MPI_Request)(void *)&life_handle[l];
    life[l].there = true;
    life[l].persistent = life[l].idle = persistent;
    life[l].peer = (int)lot(4);
    if (persistent)
        MPI_Recv_init(NULL, 1, FAKE_TYPE(1), life[l].peer, 7, FAKE_COMM(0), r);
    else
        MPI_Irecv(NULL, 1, FAKE_TYPE(1), life[l].peer, 7, FAKE_COMM(0), r);
}

static void change_one(MPI_Request *v)
{
    MPI_Request *r = &v[lot(ASKED)], *other = &v[lot(ASKED)], was = *r;
    int l = life_of(*r);

    switch (lot(12)) {
    case 0:                             /* put elsewhere */
        *r = *other;
        *other = was;
        break;
    case 1:
        if (l >= 0 && !life[l].idle)
            MPI_Wait(r, MPI_STATUS_IGNORE);
        break;
    case 2:
        if (l >= 0)
            MPI_Request_free(r);
        break;
    default:
        if (l < 0)
            begin_one(r);
        else if (life[l].idle) {
            life[l].idle = false;
            MPI_Start(r);
        }
    }
}

static void asked_again(void)
{
    int flag, n, index[ASKED];

    start();
    real_table[REAL_C][CALL_Wait] = (real_f *)lot_wait;
    real_table[REAL_C][CALL_Testany] = (real_f *)lot_testany;
    real_table[REAL_C][CALL_Testsome] = (real_f *)lot_testsome;
    real_table[REAL_C][CALL_Testall] = (real_f *)lot_testall;
    real_table[REAL_C][CALL_Request_free] = (real_f *)lot_free;
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < ASKED; i++)
            asked[a][i] = FAKE_REQUEST(FAKE_NO_REQUEST);
    for (int round = 0; round < CHANGES; round++) {
        MPI_Request *v;

        asked_array = lot(10) == 0;
        asked_n = lot(6) ? ASKED : (int)lot(ASKED) + 1;
        v = asked[asked_array];
        for (unsigned k = lot(3) ? lot(3) : lot(60); k > 0; k--)
            change_one(v);
        switch (lot(3)) {
        case 0:
            MPI_Testany(asked_n, v, &n, &flag, MPI_STATUS_IGNORE);
            break;
        case 1:
            MPI_Testsome(asked_n, v, &n, index, MPI_STATUSES_IGNORE);
            break;
        case 2:
            MPI_Testall(asked_n, v, &flag, MPI_STATUSES_IGNORE);
        }
    }
    CHECK(page.page->requests_lost == 0);
}

/* Threads of the last slot are told apart. */
static pthread_barrier_t gate;

static void meet(void)
{
    pthread_barrier_wait(&gate);        /* all are inside of their waits */
    pthread_barrier_wait(&gate);
}

static void *waits_for_many(void *arg)
{
    static char handles[2][100];
    MPI_Request r[100];
    char (*mine)[100] = arg ? &handles[0] : &handles[1];

    for (int i = 0; i < 100; i++)
        r[i] = (MPI_Request)(void *)&(*mine)[i];
    for (int i = 0; i < 100; i++) {
        static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

        pthread_mutex_lock(&turn);
        next = r[i];
        MPI_Irecv(NULL, 1, FAKE_TYPE(1), 1, i, FAKE_COMM(0), &r[i]);
        pthread_mutex_unlock(&turn);
    }
    pthread_barrier_wait(&gate);
    if (arg) {
        MPI_Waitall(100, r, MPI_STATUSES_IGNORE);
        return arg;
    }
    pthread_barrier_wait(&gate);        /* the other one is waiting */
    {
        int flag;

        said = 0;
        MPI_Testall(100, r, &flag, MPI_STATUSES_IGNORE);
        CHECK(unfinished(0) == 200);
        for (int i = 0; i < 100; i++)   /* finished */
            r[i] = FAKE_REQUEST(FAKE_NO_REQUEST);
    }
    pthread_barrier_wait(&gate);
    return arg;
}

static void in_one_slot(void)
{
    pthread_t thread[2];

    page = page_make(1, RING_BYTES_MIN);
    slot = page_slot(&page, 0);
    fake_mpi();
    real_table[REAL_C][CALL_Irecv] = (real_f *)fake_irecv;
    real_table[REAL_C][CALL_Waitall] = (real_f *)fake_waitall;
    real_table[REAL_C][CALL_Testall] = (real_f *)fake_testall;
    record_start(&page);
    record_init_end(true);
    inside = meet;
    pthread_barrier_init(&gate, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, waits_for_many, i ? &gate : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    CHECK(unfinished(0) == 100);        /* those that were tested in vain */
}

/* ------------------------------------------------- while others read it */

static atomic_bool finished;

static void *work(void *arg)
{
    for (int i = 0; !finished; i++) {
        MPI_Request r[4];

        for (int j = 0; j < 4; j++) {
            r[j] = irecv(2 + (i + j) % 40, (i + j) % 4, i + j);
            CHECK(r[j] != NULL);
        }
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    }
    return arg;
}

/* Partner and tag belong to one request, at every moment. */
static void never_torn(void)
{
    const struct page_shared *s;
    pthread_t thread;
    unsigned whole = 0;

    start();
    s = page_shared(&page);
    pthread_create(&thread, NULL, work, NULL);
    while (whole < 20000)
        for (unsigned i = 0; i < PAGE_REQUESTS; i++) {
            const struct page_request *p = &s->request[i];
            uint64_t key = atomic_load_explicit(&s->request_key[i],
                                                memory_order_acquire);
            uint32_t seq;
            int32_t peer, tag;

            if (key <= 1)
                continue;
            seq = atomic_load_explicit(&p->seq, memory_order_acquire);
            peer = atomic_load_explicit(&p->peer, memory_order_relaxed);
            tag = atomic_load_explicit(&p->tag, memory_order_relaxed);
            atomic_thread_fence(memory_order_acquire);
            if (seq % 2 || seq != atomic_load_explicit(&p->seq,
                                                       memory_order_relaxed))
                continue;
            whole++;
            CHECK(peer == tag % 4);
        }
    finished = true;
    pthread_join(thread, NULL);
}

#define IN_CHILD(name) \
    static void test_##name(void **state) { (void)state; in_child(name); }
#define TESTS(X) \
    X(one_wait) X(knows_its_site) X(started_before_it_stood) X(several) \
    X(persistent) X(finished_as_it_is_said) X(left_by_a_jump) \
    X(asked_again) X(in_one_slot) X(never_torn)
TESTS(IN_CHILD)

int main(void)
{
#define LIST(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = { TESTS(LIST) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
