/* test_mapcache.c - requests for stacks one after the other: the reader and
 * what is known of the processes are kept, but not longer than it is true; and samples
 * that go along with other turns of the loop. */
#include <dirent.h>

#include "slave/stacks/stacker.h"
#include "tests/unit/may_trace.h"
#include "tests/unit/stacks.h"

/* How many children of ours are readers and live; *one: the last. */
static unsigned readers(pid_t *one)
{
    char path[64], name[32];
    int pid;
    unsigned n = 0;
    FILE *all, *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    all = fopen(path, "re");
    while (all && fscanf(all, "%d", &pid) == 1) {
        snprintf(path, sizeof(path), "/proc/%d/comm", pid);
        f = fopen(path, "re");
        if (f && fgets(name, sizeof(name), f) &&
            strncmp(name, "hector-unwind", 13) == 0 && state_of(pid) != 'Z') {
            *one = pid;
            n++;
        }
        if (f)
            fclose(f);
    }
    if (all)
        fclose(all);
    return n;
}

static unsigned files(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned n = 0;

    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* It is killed, or ends by itself. */
static void end_reader(pid_t pid)
{
    if (pid)
        assert_int_equal(kill(pid, SIGKILL), 0);
    while (readers(&pid) > 0) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        usleep(1000);
    }
}

/* Who asks again and again has one reader, which goes in the end. */
static void test_kept(void **state)
{
    unsigned nfiles = files();
    pid_t pids[2] = { start(PLAIN), start(PLAIN) }, first = 0, now = 0;
    pid_t more[3] = { pids[1], pids[0], start(BIG) };
    struct stacker_conf conf = { .keep = true };

    (void)state;
    for (int i = 0; i < 3; i++) {
        take(pids, 2, conf);
        for (uint32_t p = 0; p < 2; p++)
            assert_true(node_of(p, "main") && prefixtree_count(&tree, 0) == 2);
        assert_int_equal(prefixtree_traces(&tree, 0), 2); /* only its own */
        assert_int_equal(readers(&now), 1);
        assert_true(i == 0 || now == first);
        first = now;
    }
    /* It is the same one whatever is asked. */
    take(pids, 1, (struct stacker_conf){ .keep = true, .nsamples = 3,
                                         .lines = true });
    assert_int_equal(prefixtree_traces(&tree, 0), 3);
    assert_true(tree.frames[tree.nodes[node_of(0, "call_f")].frame].line > 0);
    take(pids + 1, 1, (struct stacker_conf){ .keep = true, .threads = true });
    assert_int_equal(tree.frames[tree.nodes[node_of(0, "call_f")].frame].line,
                     0);
    take(more, 3, conf);
    assert_true(node_of(2, "call_big") && !node_of(0, "call_big"));
    assert_int_equal(readers(&now), 1);
    assert_int_equal(now, first);
    end(more[2]);
    end_reader(first);          /* then there is another one */
    take(pids, 2, conf);
    assert_int_equal(readers(&now), 1);
    assert_true(now != first);
    first = now;                /* the next one has to be told everything */
    end_reader(first);
    take(pids, 2, conf);
    assert_true(readers(&now) == 1 && now != first);
    assert_true(node_of(0, "main") && node_of(1, "main"));
    assert_int_equal(prefixtree_traces(&tree, 1), 2);
    stacker_rest(stacker);
    end_reader(0);
    while (files() != nfiles)   /* until its socket is closed too */
        event_base_loop(base, EVLOOP_ONCE);
    end(pids[0]);
    end(pids[1]);
}

/* How often it went to sleep: when it was stopped, for it never does else. */
static unsigned long rests_of(pid_t pid)
{
    unsigned long n = 0;
    char path[40], line[200];
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof(line), f))
        if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1)
            break;
    fclose(f);
    return n;
}

/* Somebody else's turn of the loop is as good as one of its own, when a sample
 * is due and not before. */
static void test_tick(void **state)
{
    struct stacker_conf conf = { .nsamples = 2, .ntasks = 1,
                                 .interval_ns = 500 * CLOCK_NS_PER_MS };
    pid_t pid = start(PLAIN);
    unsigned long rests = rests_of(pid);
    uint64_t asked_ns = clock_monotonic_ns();

    (void)state;
    conf.pids = &pid;
    prefixtree_fini(&tree);
    answered = false;
    assert_int_equal(stacker_take(stacker, &conf, on_done, NULL, NULL), 0);
    while (rests_of(pid) == rests)
        event_base_loop(base, EVLOOP_NONBLOCK);
    /* The first sample comes to its end; then the loop does not run. */
    do
        event_base_loop(base, EVLOOP_NONBLOCK);
    while (stacker_due(stacker) > conf.interval_ns);
    rests = rests_of(pid);
    while (rests_of(pid) == rests && clock_monotonic_ns() - asked_ns <
                                     20 * CLOCK_NS_PER_S)
        stacker_tick(stacker);
    assert_true(rests_of(pid) > rests);
    assert_true(clock_monotonic_ns() - asked_ns >= conf.interval_ns);
    while (!answered)
        event_base_loop(base, EVLOOP_ONCE);
    assert_true(good);
    assert_int_equal(copies, 2);
    stacker_tick(stacker);              /* there is nothing to do */
    stacker_tick(NULL);
    assert_true(stacker_due(stacker) == UINT64_MAX);
    end(pid);
}

/* What was known of a process for the request before does not count when it has
 * become another program. */
static void test_known(void **state)
{
    const struct stacker_conf conf = { .keep = true };
    char path[40], name[20] = "";
    pid_t pid = start(BECOMES);

    (void)state;
    take(&pid, 1, conf);
    take(&pid, 1, conf);
    assert_true(node_of(0, "call_f") && node_of(0, "main"));
    kill(pid, SIGUSR1);
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
    for (int i = 0; i < 60000 && strcmp(name, "sleep\n") != 0; i++) {
        FILE *f = fopen(path, "r");

        usleep(1000);
        assert_non_null(f);
        assert_non_null(fgets(name, sizeof(name), f));
        fclose(f);
    }
    assert_string_equal(name, "sleep\n");
    check_state(pid, 'S');
    take(&pid, 1, conf);
    assert_string_equal(notes[0], "");
    assert_true(tree.nnodes > 1 && !node_of(0, "call_f"));
    for (uint32_t i = 1; i < tree.nnodes; i++)
        assert_null(strstr(prefixtree_text(&tree,
                               tree.frames[tree.nodes[i].frame].module),
                           "test_known"));
    stacker_rest(stacker);
    end(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept), cmocka_unit_test(test_known),
        cmocka_unit_test(test_tick),
    };

    if (!may_trace())
        return 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
