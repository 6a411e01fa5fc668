/* test_phase.c - what begins a phase: descriptions that make sense and others,
 * tags, levels, calls and call sites. */
#include "tests/unit/pages.h"
#include "tests/unit/fakempi.h"

#include "mpi-wrappers/hct_rt.h"
#include "mpi-wrappers/record/phase.h"
#include "mpi-wrappers/record/record.h"

static struct attach page;

static void start(const char *what)
{
    page = page_make(2, RING_BYTES_MIN);
    fake_mpi();
    setenv("HECTOR_PHASE", what, 1);
    record_start(&page);
    record_init_end(true);
}

/* One place in the program. */
static __attribute__((noinline)) void barrier(void)
{
    MPI_Barrier(FAKE_COMM(FAKE_WORLD));
    __asm__ volatile("");
}

static void descriptions(void **state)
{
    static const struct { const char *text; int rc; } all[] = {
        { NULL, 0 }, { "", 0 }, { "tag", 0 }, { "tag:", 0 }, { "tag:a b", 0 },
        { "pcontrol", 0 }, { "MPI_Barrier", 0 }, { "MPI_Barrier:1", 0 },
        { "MPI_Barrier:0x10", 0 }, { "MPI_Barrier@solver+0x1234", 0 },
        { "MPI_Barrier@a+b+99:7", 0 }, { "MPI_Allreduce@/x/y z+1", 0 },
        { "tags", -1 }, { "tag ", -1 }, { "TAG", -1 }, { "pcontrol:1", -1 },
        { "MPI_", -1 }, { "MPI_Barier", -1 }, { "mpi_barrier", -1 },
        { "MPI_Barrier:", -1 }, { "MPI_Barrier:0", -1 },
        { "MPI_Barrier:-1", -1 }, { "MPI_Barrier:1x", -1 },
        { "MPI_Barrier:99999999999", -1 }, { "MPI_Barrier@", -1 },
        { "MPI_Barrier@x", -1 }, { "MPI_Barrier@+1", -1 },
        { "MPI_Barrier@x+", -1 }, { "MPI_Barrier@x+zz", -1 },
        { "MPI_Barrier@x+1:", -1 }, { "barrier", -1 }, { "3", -1 },
    };
    struct page_header h = { 0 };
    char *huge = malloc(100000);

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (phase_start(&h, all[i].text) != all[i].rc)
            fail_msg("\"%s\"", all[i].text ? all[i].text : "");
        assert_int_equal(h.phase_bad, all[i].rc != 0);
    }
    memset(huge, 'x', 99999);
    memcpy(huge, "tag:", 4);
    huge[99999] = '\0';
    assert_int_equal(phase_start(&h, huge), -1);
    free(huge);
    phase_start(&h, NULL);
}

static void tags(void)
{
    start("tag:step");
    HCT_RT_Tag(1, "step");
    CHECK(phase_current() == 0);        /* with the call, not before it */
    barrier();
    CHECK(phase_current() == 1 && phase_label() == 1);
    HCT_RT_Tag(2, "other");
    barrier();
    HCT_RT_Tag(3, "steps");
    barrier();
    barrier();
    CHECK(phase_current() == 1);
    HCT_RT_Tag(4, "step");
    barrier();
    CHECK(phase_current() == 2 && phase_label() == 4);
    CHECK(page.page->phase == 2 && page.page->phase_bad == 0);
}

/* The same phase has the same identity, whatever counts. */
static void identities(void)
{
    uint32_t id[6];
    static const struct { int marker; const char *text; } tags[6] = {
        { 1, "solve" }, { 2, "write" }, { 3, "solve" }, { 4, "" }, { 5, "" },
        { 4, "" },
    };

    start("tag");
    CHECK(page.page->phase_id == 0);
    for (int i = 0; i < 6; i++) {
        HCT_RT_Tag(tags[i].marker, (char *)tags[i].text);
        barrier();
        CHECK((int)page.page->phase == i + 1);
        id[i] = page.page->phase_id;
        CHECK(id[i] != 0);
    }
    CHECK(id[0] == id[2] && id[0] != id[1]);
    CHECK(id[3] != id[4] && id[3] == id[5] && id[3] != id[0]);
}

static void levels(void)
{
    uint32_t id;

    start("pcontrol");
    HCT_RT_Tag(1, "step");
    barrier();
    CHECK(phase_current() == 0);
    MPI_Pcontrol(5);
    CHECK(phase_current() == 1 && phase_label() == 5);
    id = page.page->phase_id;
    MPI_Pcontrol(6);
    CHECK(id && page.page->phase_id && page.page->phase_id != id);
    MPI_Pcontrol(5);
    CHECK(phase_current() == 3 && page.page->phase_id == id);
}

static void each_third_call(void)
{
    start("MPI_Barrier:3");
    for (int i = 0; i < 10; i++) {
        barrier();
        MPI_Pcontrol(1);
    }
    CHECK(phase_current() == 3 && phase_label() == 9);
    CHECK(page.page->phase_id == 0);    /* which one it is nobody knows */
}

static void one_call_site(void)
{
    char what[300], exe[200] = "";
    const struct page_thread *t;
    uint64_t address = 0, base;
    int status;
    pid_t pid = fork();

    /* Where is it? A first run says. */
    if (pid == 0) {
        start("");
        barrier();
        t = page_thread(&page, 0);
        for (unsigned i = 0; i < PAGE_SITES; i++)
            if (t->site[i].address)
                address = t->site[i].address;
        base = page_shared(&page)->module[0].base;
        CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
        snprintf(what, sizeof(what), "MPI_Barrier@%s+0x%lx:2", exe,
                 (long)(address - base));
        setenv("HECTOR_PHASE", what, 1);
        execl("/proc/self/exe", "test_phase", "site", (char *)NULL);
        _exit(9);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static void run_site(void)
{
    page = page_make(2, RING_BYTES_MIN);
    fake_mpi();
    record_start(&page);
    record_init_end(true);
    CHECK(page.page->phase_bad == 0);
    for (int i = 0; i < 6; i++) {
        barrier();
        MPI_Barrier(FAKE_COMM(FAKE_WORLD));     /* another place */
    }
    CHECK(phase_current() == 3);
}

static void nonsense(void)
{
    start("MPI_Bar:rier");
    barrier();
    CHECK(page.page->phase_bad == 1 && phase_current() == 0);
    CHECK(page_slot(&page, 0)->calls == 1);
}

#define IN_CHILD(name) \
    static void test_##name(void **state) { (void)state; in_child(name); }
#define TESTS(X) \
    X(tags) X(identities) X(levels) X(each_third_call) X(one_call_site) X(nonsense)
TESTS(IN_CHILD)

int main(int argc, char **argv)
{
#define LIST(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions), TESTS(LIST)
    };

    if (argc > 1 && strcmp(argv[1], "site") == 0)
        return run_site(), 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
