/* test_ledger.c - accounts of tasks that are not there: what is told adds up to
 * their lives, in messages of a bounded size that each can be understood by
 * itself; only news are told, and all of it again when asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hct.pb-c.h"
#include "mpi-wrappers/table/calls.h"
#include "proto/base/clock.h"
#include "slave/emulate/ledger.h"
#include "slave/page/profilewire.h"

enum { TASKS = 700, SITES = 30, FIRST = 5000, STEP_NS = 1000000 };

struct told {
    size_t messages, costs, names, most;
    bool whole;                         /* every index means something */
    uint64_t calls[TASKS], in_ns[TASKS], out_ns[TASKS];
};

static void on_message(void *arg, const void *message)
{
    const Hct__Profile *m = message;
    struct told *t = arg;
    size_t costs = 0;

    assert_int_equal(m->job, 9);
    for (size_t i = 0; i < m->n_names; i++)
        t->whole = t->whole && m->names[i]->frame < m->n_frames;
    for (size_t i = 0; i < m->n_sites; i++)
        for (size_t f = 0; f < m->sites[i]->n_frames; f++)
            t->whole = t->whole && m->sites[i]->frames[f] < m->n_frames;
    for (size_t i = 0; i < m->n_tasks; i++) {
        const Hct__Profile__Task *x = m->tasks[i];
        size_t n = x->rank - FIRST;

        assert_in_range(x->rank, FIRST, FIRST + TASKS - 1);
        costs += x->n_site;
        for (size_t k = 0; k < x->n_site; k++) {
            t->whole = t->whole && x->site[k] < m->n_sites;
            t->calls[n] += x->calls[k];
            t->in_ns[n] += x->in_ns[k];
            t->out_ns[n] += x->out_ns[k];
        }
    }
    t->messages++;
    t->costs += costs;
    t->names += m->n_names;
    t->most = costs > t->most ? costs : t->most;
}

static struct told *tell(struct ledger *l, uint32_t first, uint32_t n)
{
    static struct told t;

    memset(&t, 0, sizeof(t));
    t.whole = true;
    assert_int_equal(ledger_tell(l, first, n, on_message, &t), 0);
    assert_true(t.whole);
    return &t;
}

static struct ledger *create(uint32_t outliers_ppm)
{
    static struct emulate e;
    struct taskset ranks = { 0 };
    struct ledger *l;
    struct err err;

    e = (struct emulate){ .daemons = 10, .tasks = TASKS, .sites = SITES,
                          .call_ns = STEP_NS, .seed = 1,
                          .outliers_ppm = outliers_ppm };
    assert_int_equal(taskset_add(&ranks, FIRST, FIRST + TASKS - 1), 0);
    l = ledger_create(&e, 9, &ranks, &err);
    assert_non_null(l);
    taskset_fini(&ranks);
    return l;
}

static void test_pieces(void **state)
{
    struct ledger *l = create(0);
    struct told *t;

    (void)state;
    t = tell(l, 0, TASKS);
    assert_int_equal(t->costs, 0);              /* nothing has happened, */
    assert_int_equal(t->names, SITES + 4 + 2);  /* but there are names */
    ledger_advance(l, CLOCK_NS_PER_S);
    t = tell(l, 0, TASKS);
    assert_int_equal(t->costs, TASKS * SITES);
    assert_int_equal(t->messages, 3);
    assert_in_range(t->most, PROFILEWIRE_COSTS, PROFILEWIRE_COSTS + SITES - 1);
    assert_int_equal(tell(l, 0, TASKS)->messages, 0);   /* no news */
    ledger_advance(l, CLOCK_NS_PER_S + 3 * STEP_NS);
    t = tell(l, 0, 10);
    assert_in_range(t->costs, 10, 10 * 16);     /* what has changed */
    assert_int_equal(t->names, 0);
    ledger_forget_sent(l);
    t = tell(l, 0, TASKS);
    assert_int_equal(t->costs, TASKS * SITES);
    assert_true(t->names > 0);
    ledger_destroy(l);
}

static void test_sums(void **state)
{
    struct ledger *l = create(0);
    uint64_t ages[] = { 1, STEP_NS / 3, 50 * STEP_NS, CLOCK_NS_PER_S,
                        3600 * CLOCK_NS_PER_S };

    (void)state;
    for (size_t k = 0; k < sizeof(ages) / sizeof(ages[0]); k++) {
        struct told *t;

        ledger_advance(l, ages[k]);
        ledger_forget_sent(l);
        t = tell(l, 0, TASKS);
        for (uint32_t i = 0; i < TASKS; i += 13) {
            struct tasks_state s;

            ledger_state(l, i, &s);
            assert_int_equal(s.in_ns + s.out_ns, ages[k]);
            assert_int_equal(s.calls, t->calls[i]);
            assert_int_equal(s.in_ns, t->in_ns[i]);
            assert_true(t->out_ns[i] <= s.out_ns);
            assert_true(s.age_ns <= ages[k]);
            assert_true(s.call > 0 && *call_name(s.call));
        }
    }
    ledger_destroy(l);
}

/* One of a hundred, as the ranks of the job are numbered. */
static void test_outliers(void **state)
{
    struct ledger *l = create(10000);
    struct tasks_state s, other;
    uint32_t slow = 0;

    (void)state;
    ledger_advance(l, 100 * CLOCK_NS_PER_S);
    ledger_state(l, 0, &other);
    for (uint32_t i = 0; i < TASKS; i++) {
        ledger_state(l, i, &s);
        if ((double)s.out_ns > 1.04 * (double)other.out_ns) {
            assert_int_equal((FIRST + i) % 100, 99);
            slow++;
        }
    }
    assert_int_equal(slow, 7);
    ledger_destroy(l);
}

static void test_due(void **state)
{
    struct ledger *l = create(0);       /* every 5 s and 3 ms for each task */

    (void)state;
    ledger_advance(l, 6 * CLOCK_NS_PER_S);
    assert_false(ledger_due(l));
    ledger_advance(l, 7 * CLOCK_NS_PER_S);
    assert_true(ledger_due(l));
    assert_false(ledger_due(l));
    ledger_advance(l, 32 * CLOCK_NS_PER_S);
    assert_false(ledger_due(l));
    ledger_advance(l, 33 * CLOCK_NS_PER_S + CLOCK_NS_PER_S / 4);
    assert_true(ledger_due(l));
    ledger_destroy(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces), cmocka_unit_test(test_sums),
        cmocka_unit_test(test_outliers), cmocka_unit_test(test_due),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
