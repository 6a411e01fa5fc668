/* test_judge.c - a policy in a process of its own: it is shown a tape, ends with
 * who asks, has the rights of the job's owner, and is refused to a master that
 * cannot lend these. */
#include "tests/unit/look.h"

#include <errno.h>
#include <libgen.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "master/watch/judge.h"
#include "master/watch/tape.h"
#include "proto/base/clock.h"
#include "proto/base/paths.h"

static struct event_base *base;
static struct judges *judges;
static struct judge *judge;
static struct tape tape;
static unsigned ndone, nlost, nback;
static struct judge_done last;
static char lost_why[300], object[PATHS_MAX], self[PATHS_MAX];
static bool lost_off;
static struct err err;

static void on_found(void *arg, struct judge *j, const struct found *f)
{
    (void)arg, (void)j, (void)f;
    fail_msg("null has found something");
}

static void on_done(void *arg, struct judge *j, const struct judge_done *d)
{
    (void)arg, (void)j;
    last = *d;
    ndone++;
}

static void on_lost(void *arg, struct judge *j, const char *why, bool off)
{
    (void)arg, (void)j;
    snprintf(lost_why, sizeof(lost_why), "%s", why);
    lost_off = off;
    nlost++;
}

static void on_back(void *arg, struct judge *j)
{
    (void)arg, (void)j;
    nback++;
}

static const struct judge_ops ops = { .found = on_found, .done = on_done, .lost = on_lost,
                                          .back = on_back };

static void until(const unsigned *n, unsigned wanted)
{
    struct timeval tv = { .tv_sec = 1 };
    uint64_t end = clock_monotonic_ns() + 30 * S;

    while (*n < wanted && clock_monotonic_ns() < end) {
        event_base_loopexit(base, &tv);
        event_base_loop(base, EVLOOP_ONCE);
    }
    assert_true(*n >= wanted);
}

static int setup(void **state)
{
    (void)state;
    ndone = nlost = nback = 0;
    base = event_base_new();
    judges = judges_create(base);
    look_at(2);
    return tape_init(&tape, 2);
}

static int teardown(void **state)
{
    (void)state;
    judge_destroy(judge);
    judge = NULL;
    judges_destroy(judges);
    event_base_free(base);
    tape_fini(&tape);
    return 0;
}

static void create(const char *spec, uint32_t uid, uint32_t restarts)
{
    struct judge_conf conf = { .step_ns = 20 * S, .memory_bytes = 256 << 20,
                               .restarts = restarts, .uid = uid };

    judge = judge_create(judges, spec, &conf, &ops, NULL, &err);
    if (!judge)
        return;
    assert_int_equal(judge_begin(judge, 2, &err), 0);
    judge_wake(judge);
}

/* A look, so much later, is all of an order. */
static void show(uint64_t later_ns, bool cut)
{
    struct str frame = { 0 };
    struct tape_frame f = { 0 };

    look.in.seq++;
    look.in.now_ns += later_ns;
    if (cut)
        tape_cut(&tape);
    f.look_bytes = tape_write(&tape, &look.in, &frame);
    f.p = str_text(&frame);
    f.bytes = frame.n;
    f.parts = look.in.parts;
    f.asked = look.in.asked;
    judge_show(judge, &f);
    judge_go(judge, look.in.now_ns, false);
    str_fini(&frame);
}

static pid_t child(void)
{
    char text[64] = "";
    FILE *f = fopen("/proc/thread-self/children", "r");

    assert_non_null(f);
    (void)!fgets(text, sizeof(text), f);
    fclose(f);
    return (pid_t)atol(text);
}

static void test_shown(void **state)
{
    uint64_t wake_ns = 0;

    (void)state;
    create("null:every=2", (uint32_t)geteuid(), 0);
    assert_string_equal(judge_name(judge), "null");
    assert_true(judge_wants(judge, &wake_ns) && wake_ns == 0);
    assert_true(judge_wants_key(judge, 0));
    show(S, true);
    assert_false(judge_wants(judge, &wake_ns));
    assert_false(judge_wants_key(judge, 0));
    until(&ndone, 1);
    assert_true(last.now_ns == look.in.now_ns && last.need == 0);
    assert_true(judge_wants(judge, &wake_ns));
    assert_true(wake_ns == look.in.now_ns + 2 * S);
    show(S, false);             /* not what it has asked for: it is not woken */
    assert_true(judge_wants(judge, &wake_ns));
    show(S, false);
    until(&ndone, 2);
    judge_wants(judge, &wake_ns);
    assert_true(wake_ns == look.in.now_ns + 2 * S);
    assert_true(judge_missed(judge) == 0);
}

/* It is stopped, so it cannot answer: of what comes only the last is for it. */
static void test_busy(void **state)
{
    uint64_t wake_ns;

    (void)state;
    create("null:every=1", (uint32_t)geteuid(), 0);
    show(S, true);
    until(&ndone, 1);
    assert_int_equal(kill(child(), SIGSTOP), 0);
    for (int i = 0; i < 5; i++)
        show(S, false);
    assert_false(judge_wants(judge, &wake_ns));
    kill(child(), SIGCONT);
    until(&ndone, 3);
    assert_true(judge_wants(judge, &wake_ns));
    assert_true(wake_ns == look.in.now_ns + S);
    assert_true(judge_missed(judge) == 3);
}

/* How many are missed says little: it is too many if they are more than it was
 * shown. */
static void test_missed_most(void **state)
{
    unsigned shown = 3;

    test_busy(state);           /* 3 of 6 */
    assert_false(judge_missed_most(judge));
    assert_int_equal(kill(child(), SIGSTOP), 0);
    for (int i = 0; i < 30; i++)
        show(S, false);
    kill(child(), SIGCONT);
    until(&ndone, shown += 2);
    assert_true(judge_missed(judge) == 31);
    assert_true(judge_missed_most(judge));
    while (shown < 31) {
        assert_true(judge_missed_most(judge));
        show(S, false);
        until(&ndone, ++shown);
    }
    assert_true(judge_missed(judge) == 31);
    assert_false(judge_missed_most(judge));
}

/* It is stopped, so what it is shown stays there: a policy that does not need the
 * models of a look is not given a byte of them. */
static void test_parts(void **state)
{
    struct hct_model model = { .nstates = 1, .nedges = 0 };
    struct hct_state place = { .visits = 3 };
    struct tape other;
    struct str plain = { 0 };
    char path[64];
    struct stat shown;

    (void)state;
    create("null:every=1", (uint32_t)geteuid(), 0);
    assert_int_equal(judge_needs(judge), 0);
    show(S, true);
    until(&ndone, 1);
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)child(), 4);
    assert_int_equal(kill(child(), SIGSTOP), 0);
    assert_int_equal(tape_init(&other, 2), 0);
    look.in.seq++;
    look.in.now_ns += S;
    tape_write(&other, &look.in, &plain);
    look.in.seq--;
    look.in.now_ns -= S;
    look.in.parts |= HCT_NEED_MODEL;
    look.in.models = &model;
    look.in.nmodels = 1;
    look.in.model_size = sizeof(model);
    look.in.states = &place;
    look.in.nstates = 1;
    look.in.state_size = sizeof(place);
    show(S, true);
    assert_int_equal(stat(path, &shown), 0);
    assert_int_equal((size_t)shown.st_size, plain.n);
    kill(child(), SIGCONT);
    until(&ndone, 2);
    tape_fini(&other);
    str_fini(&plain);
}

/* One that waits to be called: it is shown no look of others, however many there
 * are, and begins anew with that one. */
static void test_idle(void **state)
{
    const uint32_t called = HCT_ASKED_BY_HANG;
    uint64_t wake_ns;

    (void)state;
    create("progress", (uint32_t)geteuid(), 0);
    show(S, true);
    until(&ndone, 1);
    assert_true(judge_wants(judge, &wake_ns) && wake_ns == HCT_WAKE_NEVER);
    for (int i = 0; i < 5; i++)
        show(1000 * S, false);
    assert_true(judge_wants(judge, &wake_ns) && wake_ns == HCT_WAKE_NEVER);
    assert_false(judge_wants_key(judge, 0));
    assert_true(judge_wants_key(judge, called));
    look.in.asked = called;
    show(S, true);
    until(&ndone, 2);
    look.in.asked = 0;
    assert_true(last.now_ns == look.in.now_ns && last.need);
    assert_true(judge_wants(judge, &wake_ns) && wake_ns <= look.in.now_ns + S);
    assert_false(judge_wants_key(judge, called));       /* it follows now */
}

static void test_lost(void **state)
{
    uint64_t wake_ns;

    (void)state;
    create("null:every=1", (uint32_t)geteuid(), 1);
    show(S, true);
    until(&ndone, 1);
    kill(child(), SIGKILL);
    until(&nlost, 1);
    assert_string_equal(lost_why, "it was ended by signal 9");
    assert_false(lost_off || judge_wants(judge, &wake_ns));
    until(&nback, 1);
    judge_wake(judge);
    assert_true(judge_wants(judge, &wake_ns) && judge_wants_key(judge, 0));
    show(S, false);             /* 'D': nothing that it could read */
    assert_true(judge_wants(judge, &wake_ns));
    show(S, true);
    until(&ndone, 2);
    kill(child(), SIGKILL);
    until(&nlost, 2);
    assert_true(lost_off && judge_off(judge));
}

/* Bytes that are no tape are said in words, and for good. */
static void test_damaged(void **state)
{
    (void)state;
    create("null", (uint32_t)geteuid(), 3);
    judge_show(judge, &(struct tape_frame){ "Kxyz", 4, 4, 0, 0 });
    judge_go(judge, S, false);
    until(&nlost, 1);
    assert_true(lost_off);
    assert_non_null(strstr(lost_why, "damaged"));
}

static void test_refused(void **state)
{
    (void)state;
    create("nix:a=1", (uint32_t)geteuid(), 0);
    assert_null(judge);
    assert_string_equal(err.text, "there is no policy called nix");
    create("/nix/a.so", (uint32_t)geteuid(), 0);
    assert_null(judge);
    create("null:often=1", (uint32_t)geteuid(), 3);
    until(&nlost, 1);
    assert_true(lost_off);
    assert_string_equal(lost_why, "policy null has no parameter often; it has "
                        "every");
}

/* What a policy has instead is said to the last name. */
static void test_parameters(void **state)
{
    (void)state;
    create("hang:often=1", (uint32_t)geteuid(), 3);
    until(&nlost, 1);
    assert_non_null(strstr(lost_why, ", stuck, times"));
}

static uint32_t uid_of(pid_t pid)
{
    char path[64], line[200];
    unsigned uid = UINT32_MAX;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof(line), f))
        if (sscanf(line, "Uid: %*u %u", &uid) == 1)
            break;
    fclose(f);
    return uid;
}

/* An object that others may read. */
static void copy_object(void)
{
    char from[PATHS_MAX + 32], buf[65536];
    FILE *in, *out;
    size_t n;

    snprintf(from, sizeof(from), "%s/../lib/policies/null.so", self);
    in = fopen(from, "r");
    out = fopen(object, "w");
    assert_true(in && out);
    while ((n = fread(buf, 1, sizeof(buf), in)) > 0)
        assert_int_equal(fwrite(buf, 1, n, out), n);
    fclose(in);
    fclose(out);
    chmod(object, 0755);
}

static void test_owner(void **state)
{
    const struct passwd *pw = getpwnam("nobody");
    char dir[] = "/tmp/hector-judge-XXXXXX";

    (void)state;
    if (pw && pw->pw_uid == geteuid())          /* another user than us */
        pw = getpwnam("daemon");
    if (!pw || !mkdtemp(dir) || chmod(dir, 0755))
        skip();
    snprintf(object, sizeof(object), "%s/null.so", dir);
    copy_object();
    create(object, pw->pw_uid, 0);
    if (geteuid() != 0) {
        assert_null(judge);
        assert_int_equal(err.code, EPERM);
        assert_non_null(strstr(err.text, "cannot be loaded for user"));
    } else {
        show(S, true);
        until(&ndone, 1);
        assert_int_equal(uid_of(child()), pw->pw_uid);
    }
    unlink(object);
    rmdir(dir);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_busy, setup, teardown),
        cmocka_unit_test_setup_teardown(test_missed_most, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_idle, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parameters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_owner, setup, teardown),
    };

    (void)argc;
    snprintf(self, sizeof(self), "%s", dirname(argv[0]));
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
