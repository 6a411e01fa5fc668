/* test_record.c - what threads leave in the page, through the real entry
 * points, with MPI functions of our own behind them. */
#include "tests/unit/pages.h"
#include "tests/unit/fakempi.h"

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "mpi-wrappers/hct_rt.h"
#include "mpi-wrappers/record/hook.h"
#include "mpi-wrappers/record/record.h"
#include "mpi-wrappers/tag.h"
#include "mpi-wrappers/table/real.h"

void mpi_send_(void *buf, void *count, void *type, void *dest, void *tag,
               void *comm, void *ierr);

/* Not time(): its clock may be some milliseconds behind. */
static uint64_t now_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    return (uint64_t)ts.tv_sec;
}

static struct attach page;
static void (*inside)(void);            /* runs inside the fake calls */

static int fake_send(const void *buf, int count, MPI_Datatype type, int dest,
                     int tag, MPI_Comm comm)
{
    (void)buf, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
    if (inside)
        inside();
    return 0;
}

static int fake_call(void)
{
    if (inside)
        inside();
    return 0;
}

static void fake_fortran(void *buf, void *count, void *type, void *dest,
                         void *tag, void *comm, void *ierr)
{
    (void)buf, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
    *(int *)ierr = 43;
    if (inside)
        inside();
}

static void send_to(int dest, int tag, int count)
{
    CHECK(MPI_Send(NULL, count, FAKE_TYPE(0), dest, tag,
                   FAKE_COMM(FAKE_WORLD)) == 0);
}

static void barrier(void)
{
    CHECK(MPI_Barrier(FAKE_COMM(FAKE_WORLD)) == 0);
}

static void start(uint32_t slots)
{
    page = page_make(slots, RING_BYTES_MIN);
    fake_mpi();
    record_start(&page);
    record_init_end(true);
    page.page->state = PAGE_STATE_NEW;
    for (unsigned i = 1; i < CALL_END; i++)
        real_table[REAL_C][i] = (real_f *)fake_call;
    real_table[REAL_C][CALL_Send] = (real_f *)fake_send;
    real_table[REAL_F][CALL_Send] = (real_f *)fake_fortran;
}

/* One event of slot i, checked; an EXIT has no text. */
static void expect(unsigned i, int kind, unsigned call, int marker,
                   const char *text)
{
    struct ring r = page_ring(&page, i);
    struct page_event e = { .at = 0 };

    CHECK(page_next(&r, &e));
    CHECK(e.kind == kind);
    CHECK(e.call == call);
    CHECK(e.marker == marker);
    CHECK(strcmp(e.text, text) == 0);
    CHECK(e.wall_ns / 1000000000u + 5 > (uint64_t)time(NULL));
    CHECK(e.wall_ns / 1000000000u <= now_s());
}

static void expect_nothing(unsigned i)
{
    struct ring r = page_ring(&page, i);
    struct page_event e;

    CHECK(!page_next(&r, &e));
}

/* ------------------------------------------------------------------ calls */

static void look_inside(void)
{
    struct page_slot *s = page_slot(&page, 0);

    CHECK(s->call == CALL_Send && s->peer == 3 && s->tag == 8);
    CHECK(s->count == 9 && s->calls == 1 && s->seq % 2 == 0);
    CHECK(s->tid == (uint32_t)gettid());
}

static void one_call(void)
{
    struct page_slot *s;

    start(4);
    s = page_slot(&page, 0);
    inside = look_inside;
    errno = 4711;
    send_to(3, 8, 9);
    CHECK(errno == 4711);
    CHECK(s->call == 0 && s->calls == 1 && s->in_ticks > 0);
    CHECK(page_counts(&page, 0)[CALL_Send].calls == 1);
    CHECK(page_counts(&page, 0)[CALL_Send].in_ticks == s->in_ticks);
    CHECK(page.page->slots_used == 1 && page.page->pid == (uint32_t)getpid());
    inside = NULL;
    barrier();
    CHECK(s->peer == -1 && s->tag == -1 && s->count == 0);
    expect_nothing(0);
}

/* What the clock went on by while the task stood is no time of the step: so it was
 * suspended, or is on a machine whose clock began earlier, or later. */
static void stood(void)
{
    const uint64_t long_ago = (uint64_t)1 << 50;
    struct page_slot *s;
    struct page_flight *f;
    uint64_t out, in, before, began;

    start(4);
    s = page_slot(&page, 0);
    f = page_thread(&page, 0)->flight;
    send_to(3, 8, 9);
    out = s->out_ticks;
    before = s->since_ticks;
    page.page->stood_ticks += long_ago;
    send_to(3, 8, 9);
    CHECK(s->out_ticks == out);                 /* no step is shorter than nothing */
    CHECK(s->since_ticks == before + long_ago);
    CHECK(f[1].enter_ticks == f[1].exit_ticks);
    in = s->in_ticks;
    page.page->stood_ticks -= long_ago;
    send_to(3, 8, 9);
    CHECK(s->out_ticks - out < long_ago && s->since_ticks - before < long_ago);
    CHECK(s->in_ticks > in);

    out = s->out_ticks;
    before = s->since_ticks;
    began = page.page->start_ticks;
    hct_hook_stand();
    usleep(1000);
    hct_hook_go_on();
    CHECK(page.page->stood_ticks > 0);
    CHECK(s->since_ticks == before + page.page->stood_ticks);
    CHECK(page.page->start_ticks == began + page.page->stood_ticks);
    CHECK(f[2].exit_ticks == s->since_ticks);
    send_to(3, 8, 9);
    CHECK(s->out_ticks - out ==
          f[3].enter_ticks - before - page.page->stood_ticks);
}

static void nested(void)
{
    inside = NULL;
    send_to(1, 1, 1);
    barrier();
    CHECK(page_slot(&page, 0)->call == CALL_Bcast);
}

static void outermost_only(void)
{
    start(4);
    inside = nested;
    HCT_RT_Tag(5, "outer");
    CHECK(MPI_Bcast(NULL, 1, FAKE_TYPE(0), 3,
                    FAKE_COMM(FAKE_WORLD)) == 0);
    CHECK(page_slot(&page, 0)->calls == 1);
    CHECK(page_slot(&page, 0)->peer == 3);
    CHECK(page_counts(&page, 0)[CALL_Send].calls == 0);
    expect(0, PAGE_RECORD_ENTER, CALL_Bcast, 5, "outer");
    expect(0, PAGE_RECORD_EXIT, CALL_Bcast, 5, "");
    expect_nothing(0);
}

/* The fault injector behind us leaves a note in the call that it is in. */
static void note_inside(void)
{
    CHECK(hct_hook_inside(CALL_Send) && !hct_hook_inside(CALL_Barrier));
    hct_hook_note(3, "noted", 5);
    inside = NULL;
    barrier();
}

static void notes(void)
{
    start(4);
    hct_hook_note(1, "outside", 7);
    CHECK(!hct_hook_inside(CALL_Send));
    inside = note_inside;
    send_to(1, 1, 1);
    expect(0, PAGE_RECORD_ENTER, CALL_Send, 3, "noted");
    expect(0, PAGE_RECORD_EXIT, CALL_Send, 3, "");
    inside = note_inside;
    HCT_RT_Tag(5, "tagged");
    send_to(1, 1, 1);
    expect(0, PAGE_RECORD_ENTER, CALL_Send, 5, "tagged");
    expect(0, PAGE_RECORD_ENTER, CALL_Send, 3, "noted");
    expect(0, PAGE_RECORD_EXIT, CALL_Send, 3, "");
    expect(0, PAGE_RECORD_EXIT, CALL_Send, 5, "");
    barrier();
    expect_nothing(0);
}

/* An error handler that jumps, or a C++ exception: the thread must not count
 * as inside of MPI for ever. */
static jmp_buf out;

static void jump_out(void)
{
    longjmp(out, 1);
}

static void left_by_a_jump(void)
{
    start(4);
    for (int i = 0; i < 3; i++) {
        inside = jump_out;
        if (setjmp(out) == 0)
            send_to(1, 1, 1);
    }
    inside = NULL;
    barrier();
    CHECK(page_slot(&page, 0)->calls == 4);
    CHECK(page_slot(&page, 0)->call == 0);
    CHECK(page_counts(&page, 0)[CALL_Barrier].calls == 1);
}

/* And all further calls come from deeper in the stack. */
static __attribute__((noinline)) void deeper(int n)
{
    volatile char room[512];

    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = (char)n;
    if (n > 0)
        deeper(n - 1);
    else
        barrier();
    room[0] = 0;
}

static void deeper_inside(void)
{
    inside = NULL;
    deeper(3);
}

static void left_for_deeper_calls(void)
{
    start(4);
    inside = jump_out;
    if (setjmp(out) == 0)
        send_to(1, 1, 1);
    inside = NULL;
    for (int i = 0; i < 5; i++)
        deeper(1 + i);
    CHECK(page_slot(&page, 0)->calls == 6);
    CHECK(page_counts(&page, 0)[CALL_Barrier].calls == 5);
    inside = deeper_inside;
    deeper(3);                          /* what is inside stays inside */
    CHECK(page_slot(&page, 0)->calls == 7);
}

/* A handler that jumps, in the middle of our writing: what is read later is
 * whole all the same. */
static void left_while_writing(void)
{
    struct page_slot *s;

    start(4);
    barrier();
    s = page_slot(&page, 0);
    s->seq = s->seq + 1;
    inside = look_inside;
    s->calls = 0;
    send_to(3, 8, 9);                   /* looks: seq is even */
    CHECK(s->seq % 2 == 0);
}

/* A signal's calls of MPI while a call is being written down are not the
 * program's next call. */
static void handler(int sig)
{
    (void)sig;
    barrier();
}

static void in_a_signal_handler(void)
{
    const struct itimerval often = { { 0, 50 }, { 0, 50 } };
    uint64_t outer = 0;
    struct page_slot *s;

    start(4);
    barrier();
    s = page_slot(&page, 0);
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 300000; i++, outer++)
        send_to(1, 1, 1);
    signal(SIGALRM, SIG_IGN);
    CHECK(page_counts(&page, 0)[CALL_Send].calls == outer);
    CHECK(s->calls == outer + page_counts(&page, 0)[CALL_Barrier].calls);
    CHECK(s->call == 0 && s->seq % 2 == 0);
}

/* ------------------------------------------------------------------- tags */

static void tag_inside(void)
{
    HCT_RT_Tag(9, "set in a callback");
}

static void tags(void)
{
    char longest[PAGE_TEXT_MAX + 100], fortran[20];
    int zero = 0, three = 3, four = 4, marker = 11, ierr = 0;

    HCT_RT_Tag(1, "before there is a page");
    start(4);
    barrier();
    expect(0, PAGE_RECORD_ENTER, CALL_Barrier, 1, "before there is a page");
    expect(0, PAGE_RECORD_EXIT, CALL_Barrier, 1, "");

    HCT_RT_Tag(2, "replaced");
    HCT_RT_Tag(3, NULL);
    send_to(1, 1, 1);
    barrier();
    expect(0, PAGE_RECORD_ENTER, CALL_Send, 3, "");
    expect(0, PAGE_RECORD_EXIT, CALL_Send, 3, "");
    expect_nothing(0);

    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    HCT_RT_Tag(4, longest);
    longest[PAGE_TEXT_MAX] = '\0';
    barrier();
    expect(0, PAGE_RECORD_ENTER, CALL_Barrier, 4, longest);
    expect(0, PAGE_RECORD_EXIT, CALL_Barrier, 4, "");

    inside = tag_inside;
    barrier();
    inside = NULL;
    expect_nothing(0);
    mpi_send_(NULL, &four, &four, &three, &four, &zero, &ierr);
    CHECK(ierr == 43);
    expect(0, PAGE_RECORD_ENTER, CALL_Send, 9, "set in a callback");
    expect(0, PAGE_RECORD_EXIT, CALL_Send, 9, "");

    memset(fortran, ' ', sizeof(fortran));
    memcpy(fortran, "a b", 3);
    hct_rt_tag_(&marker, fortran, sizeof(fortran));
    barrier();
    expect(0, PAGE_RECORD_ENTER, CALL_Barrier, 11, "a b");
    expect(0, PAGE_RECORD_EXIT, CALL_Barrier, 11, "");
}

/* Nobody reads: the call goes on, what did not fit is counted. */
static void nobody_reads(void)
{
    struct page_slot *s;
    struct ring r;
    struct page_event e;
    unsigned enters = 0, exits = 0;

    start(2);
    s = page_slot(&page, 0);
    r = page_ring(&page, 0);
    page.page->slave_gone = 1;
    for (int i = 0; i < 1000; i++) {
        HCT_RT_Tag(i, "nobody reads this");
        barrier();
    }
    CHECK(s->calls == 1000 && s->lost > 0 && s->waits > 0);
    while (page_next(&r, &e))
        e.kind == PAGE_RECORD_ENTER ? enters++ : exits++;
    CHECK(enters > 100 && enters - exits <= 1);
    CHECK(enters + s->lost == 1000 + (enters - exits));
}

/* ---------------------------------------------------------------- threads */

enum { THREADS = 12, EACH = 500 };
static pthread_barrier_t gate;

static void *tagging(void *arg)
{
    int n = *(int *)arg;
    char text[32];

    pthread_barrier_wait(&gate);
    for (int i = 0; i < EACH; i++) {
        snprintf(text, sizeof(text), "thread %d", n);
        HCT_RT_Tag(n * EACH + i, text);
        barrier();
    }
    pthread_barrier_wait(&gate);        /* all hold their slots to the end */
    return NULL;
}

struct seen { bool enter[THREADS * EACH], exit[THREADS * EACH]; };
static struct seen seen;
static uint64_t entered_at[THREADS * EACH];
static atomic_bool finished;

/* Of a shared slot, each EXIT must name its ENTER. */
static void *slave_reads(void *arg)
{
    bool last = false;

    (void)arg;
    while (!last) {
        last = finished;
        atomic_fetch_add(&page.page->slave_beat, 1);
        for (unsigned i = 0; i < page.slots; i++) {
            struct ring r = page_ring(&page, i);
            struct page_event e;

            while (page_next(&r, &e)) {
                int m = e.marker;

                CHECK(m >= 0 && m < THREADS * EACH);
                if (e.kind == PAGE_RECORD_ENTER) {
                    CHECK(!seen.enter[m]);
                    seen.enter[m] = true;
                    entered_at[m] = e.at;
                    continue;
                }
                CHECK(seen.enter[m] && !seen.exit[m]);
                seen.exit[m] = true;
                if (i == page.slots - 1) {
                    uint64_t enter_at;

                    CHECK(e.text_bytes == sizeof(enter_at));
                    memcpy(&enter_at, e.text, sizeof(enter_at));
                    CHECK(enter_at == entered_at[m]);
                } else {
                    CHECK(e.text_bytes == 0);
                }
            }
        }
        sched_yield();
    }
    return NULL;
}

static void more_threads_than_slots(void)
{
    pthread_t thread[THREADS], slave;
    int number[THREADS];
    uint64_t calls = 0;

    start(4);
    pthread_barrier_init(&gate, NULL, THREADS);
    pthread_create(&slave, NULL, slave_reads, NULL);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, tagging, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    finished = true;
    pthread_join(slave, NULL);
    for (int i = 0; i < THREADS * EACH; i++)
        CHECK(seen.enter[i] && seen.exit[i]);
    for (unsigned i = 0; i < 4; i++) {
        CHECK(page_slot(&page, i)->lost == 0);
        CHECK(page_slot(&page, i)->seq % 2 == 0);
        CHECK(page_counts(&page, i)[CALL_Barrier].calls ==
              page_slot(&page, i)->calls);
        calls += page_slot(&page, i)->calls;
    }
    CHECK(calls == THREADS * EACH);
    CHECK(page.page->slots_used == 4);
    CHECK(page.page->threads_shared == THREADS - 3);
}

static void *one_barrier(void *arg)
{
    barrier();
    return arg;
}

static void slots_are_given_back(void)
{
    pthread_t thread;

    start(4);
    for (int i = 0; i < 100; i++) {
        pthread_create(&thread, NULL, one_barrier, NULL);
        pthread_join(thread, NULL);
    }
    CHECK(page.page->slots_used == 1 && page.page->threads_shared == 0);
    CHECK(page_slot(&page, 0)->tid == 0);
    CHECK(page_slot(&page, 0)->calls == 100);
}

static void in_a_forked_child(void)
{
    uint64_t head;
    pid_t pid;
    int status;

    start(4);
    HCT_RT_Tag(1, "not for the child");
    pid = fork();
    if (pid == 0) {
        HCT_RT_Tag(2, "of the child");
        barrier();
        barrier();
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    head = page_slot(&page, 0)->head;
    CHECK(head == 0 && page.page->slots_used == 0);
    barrier();
    expect(0, PAGE_RECORD_ENTER, CALL_Barrier, 1, "not for the child");
    expect(0, PAGE_RECORD_EXIT, CALL_Barrier, 1, "");
}

/* ----------------------------------------------------------------- readers */

static void *hammer(void *arg)
{
    for (int i = 0; !finished; i++)
        send_to(i % 4, i, i);
    return arg;
}

/* At every moment: partner, tag and count are of one call, and all time since
 * the beginning is accounted for. */
static void never_torn(void)
{
    struct page_slot *s;
    unsigned whole = 0, calls = 0;
    uint64_t first = 0;
    pthread_t thread;

    start(4);
    s = page_slot(&page, 0);
    pthread_create(&thread, NULL, hammer, NULL);
    while (whole < 200000) {
        uint32_t seq = atomic_load_explicit(&s->seq, memory_order_acquire);
        int32_t peer = atomic_load_explicit(&s->peer, memory_order_relaxed);
        int32_t tag = atomic_load_explicit(&s->tag, memory_order_relaxed);
        uint64_t count = atomic_load_explicit(&s->count, memory_order_relaxed);
        uint64_t since = atomic_load_explicit(&s->since_ticks,
                                              memory_order_relaxed);
        uint64_t in = atomic_load_explicit(&s->in_ticks, memory_order_relaxed);
        uint64_t gone = atomic_load_explicit(&s->out_ticks,
                                             memory_order_relaxed);
        uint64_t n = atomic_load_explicit(&s->calls, memory_order_relaxed);

        atomic_thread_fence(memory_order_acquire);
        if (seq % 2 || seq != atomic_load_explicit(&s->seq,
                                                   memory_order_relaxed) ||
            n == 0)
            continue;
        whole++;
        CHECK(peer == tag % 4 && (uint64_t)tag == count && count == n - 1);
        CHECK(n >= calls);
        calls = (unsigned)n;
        if (!first)
            first = since - in - gone;
        CHECK(since - in - gone == first);
    }
    finished = true;
    pthread_join(thread, NULL);
}

static void life_of_mpi(void)
{
    unsetenv("HECTOR_SLAVE");
    start(2);
    CHECK(page.page->state == PAGE_STATE_NEW);
    CHECK(MPI_Init(NULL, NULL) == 0);
    CHECK(page.page->state == PAGE_STATE_RUNNING);
    CHECK(MPI_Finalize() == 0);
    CHECK(page.page->state == PAGE_STATE_DONE);
    CHECK(page_slot(&page, 0)->calls == 2);
}

static void without_a_page(void)
{
    unsetenv("HECTOR_SLAVE");
    real_table[REAL_C][CALL_Init] = (real_f *)fake_call;
    real_table[REAL_C][CALL_Barrier] = (real_f *)fake_call;
    real_table[REAL_C][CALL_Get_library_version] = (real_f *)fake_call;
    HCT_RT_Tag(1, "nowhere");
    CHECK(MPI_Init(NULL, NULL) == 0);
    barrier();
    /* A function that no library has is an error, not a crash. */
    CHECK(MPI_Cancel(NULL) == MPI_ERR_INTERN);
}

#define IN_CHILD(name) \
    static void test_##name(void **state) { (void)state; in_child(name); }
#define TESTS(X) \
    X(one_call) X(stood) X(outermost_only) X(notes) X(left_by_a_jump) \
    X(left_for_deeper_calls) X(left_while_writing) X(in_a_signal_handler) X(tags) \
    X(nobody_reads) \
    X(more_threads_than_slots) X(slots_are_given_back) X(in_a_forked_child) \
    X(never_torn) X(life_of_mpi) X(without_a_page)
TESTS(IN_CHILD)

int main(void)
{
#define LIST(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = { TESTS(LIST) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
