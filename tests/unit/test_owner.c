/* test_owner.c - the signs of a node's owner: who is logged in, when somebody has
 * typed, what other programs take; and when he is there by these. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <cmocka.h>

#include "proto/base/clock.h"
#include "slave/owner/console.h"
#include "slave/owner/otherload.h"
#include "slave/owner/owner.h"
#include "slave/owner/presence.h"
#include "slave/owner/sessions.h"

#define S CLOCK_NS_PER_S

static char dir[] = "/tmp/test_owner_XXXXXX", path[200], why[160];

static const char *at(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

/* Users who have tasks here: this one. */
static bool passes(void *arg, uid_t uid)
{
    return arg && uid == *(uid_t *)arg;
}

/* ----------------------------------------------------------------- presence */

static void test_presence(void **state)
{
    static const struct {
        unsigned at, ago;       /* seconds; ago 99: no sign */
        enum presence_is is;
    } looks[] = {
        { 100, 99, PRESENCE_SOUGHT }, { 105, 99, PRESENCE_SOUGHT },
        { 110, 99, PRESENCE_GONE },             /* looked for long enough */
        { 112, 0, PRESENCE_HERE }, { 121, 99, PRESENCE_HERE },
        { 122, 99, PRESENCE_GONE },             /* 10 s after that sign */
        { 130, 9, PRESENCE_HERE }, { 130, 99, PRESENCE_HERE },
        { 131, 99, PRESENCE_GONE },
        { 140, 10, PRESENCE_GONE },             /* that is too long ago */
        /* One who comes and goes: he is here. */
        { 150, 0, PRESENCE_HERE }, { 155, 99, PRESENCE_HERE },
        { 159, 0, PRESENCE_HERE }, { 168, 99, PRESENCE_HERE },
        { 168, 0, PRESENCE_HERE }, { 177, 99, PRESENCE_HERE },
        { 178, 99, PRESENCE_GONE },
    };
    struct presence p = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        enum presence_is was = p.is;
        uint64_t ago_ns = looks[i].ago == 99 ? PRESENCE_NO_SIGN
                                             : looks[i].ago * S;
        bool changed = presence_look(&p, ago_ns, 10 * S, looks[i].at * S);

        assert_int_equal(p.is, looks[i].is);
        assert_int_equal(changed, was != looks[i].is);
    }
    p = (struct presence){ 0 };         /* he is seen at the first look */
    assert_true(presence_look(&p, 0, 10 * S, 5 * S));
    assert_int_equal(p.is, PRESENCE_HERE);
}

/* ----------------------------------------------------------------- sessions */

static int users(const char *of)
{
    return sessions_look(of, passes, NULL, why, sizeof(why));
}

static void put_utmp(const char *name, int type, pid_t pid, const char *user,
                     const char *line)
{
    struct utmp u = { .ut_type = (short)type, .ut_pid = pid };
    FILE *f = fopen(at(name), "ae");

    assert_non_null(f);
    memcpy(u.ut_user, user, strlen(user));
    memcpy(u.ut_line, line, strlen(line));
    assert_int_equal(fwrite(&u, sizeof(u), 1, f), 1);
    fclose(f);
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(at(name), "we");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_utmp(void **state)
{
    pid_t dead = fork();
    uid_t me = getuid();
    int master;

    (void)state;
    if (dead == 0)
        _exit(0);
    waitpid(dead, NULL, 0);
    assert_int_equal(users(at("none")), -1);
    put("utmp", "");
    assert_int_equal(users(path), 0);
    put_utmp("utmp", BOOT_TIME, 0, "reboot", "~");
    put_utmp("utmp", LOGIN_PROCESS, getpid(), "LOGIN", "tty2");
    put_utmp("utmp", DEAD_PROCESS, getpid(), "eve", "tty3");
    put_utmp("utmp", USER_PROCESS, dead, "eve", "tty3"); /* after a crash */
    assert_int_equal(users(path), 0);
    put_utmp("utmp", USER_PROCESS, getpid(), "alice", "no/terminal");
    assert_int_equal(users(path), 1);
    assert_string_equal(why, "alice is logged in on no/terminal");

    /* By the owner of the terminal: who has tasks here is no stranger. */
    master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    put("utmp", "");
    put_utmp("utmp", USER_PROCESS, getpid(), "me",
             ptsname(master) + strlen("/dev/"));
    assert_int_equal(users(path), 1);
    assert_int_equal(sessions_look(path, passes, &me, why, sizeof(why)), 0);
    close(master);
    put("utmp", "torn");                        /* a piece of a record */
    assert_int_equal(users(path), 0);
    assert_int_equal(mkfifo(at("fifo"), 0600), 0);
    assert_int_equal(users(path), -1);
}

static void test_logind(void **state)
{
    char where[200];
    uid_t alice = 4242;

    (void)state;
    snprintf(where, sizeof(where), "%s", at("sessions"));
    assert_int_equal(mkdir(where, 0700), 0);
    assert_int_equal(mkfifo(at("sessions/3.ref"), 0600), 0);
    assert_int_equal(mkfifo(at("sessions/4"), 0600), 0);
    put("sessions/c1", "UID=104\nUSER=gdm\nCLASS=greeter\nSTATE=active\n");
    put("sessions/2", "UID=0\nUSER=root\nCLASS=background\nSTATE=active\n");
    put("sessions/5", "UID=9\nUSER=eve\nCLASS=user\nSTATE=closing\nTTY=tty9\n");
    assert_int_equal(users(where), 0);
    put("sessions/3", "# private\nUID=4242\nUSER=alice\nACTIVE=1\n"
        "STATE=active\nREMOTE=0\nDISPLAY=:0\nCLASS=user\n");
    assert_int_equal(users(where), 1);
    assert_string_equal(why, "alice is logged in on :0");
    assert_int_equal(sessions_look(where, passes, &alice, why, sizeof(why)), 0);
}

/* ------------------------------------------------------------------ console */

static void set_read(const char *name, time_t s)
{
    const struct timespec t[2] = { { s, 0 }, { 5000, 0 } };

    assert_int_equal(utimensat(AT_FDCWD, at(name), t, 0), 0);
}

static void test_console(void **state)
{
    char devices[500], pts[64], c;
    uid_t me = getuid();
    uint64_t ago_ns, now_ns;
    struct termios raw;
    int master, slave;

    (void)state;
    put("tty1", "");
    put("tty2", "");
    put("pipe", "");
    set_read("tty1", 900);
    set_read("tty2", 970);
    set_read("pipe", 999);
    snprintf(devices, sizeof(devices), " %s/console  %s/tty[0-9]*", dir, dir);
    assert_int_equal(console_look(devices, passes, NULL, 1000 * S, &ago_ns, why,
                                  sizeof(why)), 0);
    assert_int_equal(ago_ns, 30 * S);
    assert_non_null(strstr(why, "there was input at /tmp/test_owner_"));
    assert_non_null(strstr(why, "/tty2"));
    set_read("tty2", 1001);                     /* the clock was set back */
    assert_int_equal(console_look(devices, passes, NULL, 1000 * S, &ago_ns, why,
                                  sizeof(why)), 0);
    assert_int_equal(ago_ns, 100 * S);
    snprintf(devices, sizeof(devices), "%s/none*", dir);
    assert_int_equal(console_look(devices, passes, NULL, 1000 * S, &ago_ns, why,
                                  sizeof(why)), -1);

    /* A real one: something is typed, and read; to eight seconds. */
    master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    snprintf(pts, sizeof(pts), "%s", ptsname(master));
    slave = open(pts, O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    assert_int_equal(tcgetattr(slave, &raw), 0);
    cfmakeraw(&raw);
    assert_int_equal(tcsetattr(slave, TCSANOW, &raw), 0);
    assert_int_equal(write(master, "x", 1), 1);
    assert_int_equal(read(slave, &c, 1), 1);
    now_ns = clock_wall_ns();
    assert_int_equal(console_look(pts, passes, NULL, now_ns, &ago_ns, why,
                                  sizeof(why)), 0);
    assert_true(ago_ns < 60 * S);
    assert_int_equal(console_look(pts, passes, &me, now_ns, &ago_ns, why,
                                  sizeof(why)), 0);
    assert_true(ago_ns == UINT64_MAX);          /* of who has tasks here */
    close(slave);
    close(master);
}

/* --------------------------------------------------------------------- load */

static void test_stat(void **state)
{
    uint64_t tick_ns = S / (uint64_t)sysconf(_SC_CLK_TCK);

    (void)state;
    assert_int_equal(otherload_parse("cpu  1 2 4 99 99 8 16 99 1 1\ncpu0 1\n"),
                     31 * tick_ns);
    assert_int_equal(otherload_parse("cpu 1 2 4 1000"), 7 * tick_ns);
    assert_int_equal(otherload_parse("cpu 1 2"), 0);
    assert_int_equal(otherload_parse(""), 0);
}

static void test_share(void **state)
{
    struct otherload l = { 0 };

    (void)state;
    assert_true(otherload_since(&l, 100 * S, 50 * S, 10 * S) < 0);
    assert_true(otherload_since(&l, 104 * S, 53 * S, 12 * S) == 0.5);
    assert_true(otherload_since(&l, 106 * S, 56 * S, 14 * S) == 0);
    assert_true(otherload_since(&l, 108 * S, 40 * S, 16 * S) == 1);
    assert_true(otherload_since(&l, 108 * S, 40 * S, 16 * S) < 0);
}

static uint64_t burn(void)
{
    struct timespec t;

    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    while (t.tv_sec == 0 && t.tv_nsec < 200 * (long)CLOCK_NS_PER_MS);
    return 0;
}

/* Time of a grandchild is ours while it lives, and when it was waited for. */
static void test_ours(void **state)
{
    pid_t me = getpid(), child, twice[2] = { me, me };
    int done[2], go[2];
    uint64_t before_ns, while_ns;
    char c;

    (void)state;
    assert_int_equal(pipe(done), 0);
    assert_int_equal(pipe(go), 0);
    before_ns = otherload_ours(&me, 1);
    child = fork();
    if (child == 0) {
        pid_t grandchild = fork();

        if (grandchild == 0) {
            burn();
            if (write(done[1], "x", 1) != 1 || read(go[0], &c, 1) != 1)
                _exit(1);
            _exit(0);
        }
        waitpid(grandchild, NULL, 0);
        _exit(0);
    }
    assert_int_equal(read(done[0], &c, 1), 1);
    while_ns = otherload_ours(&me, 1);
    assert_true(while_ns - before_ns >= 180 * CLOCK_NS_PER_MS);
    assert_true(otherload_ours(twice, 2) - before_ns < 380 * CLOCK_NS_PER_MS);
    assert_int_equal(write(go[1], "x", 1), 1);
    waitpid(child, NULL, 0);
    assert_true(otherload_ours(&me, 1) >= while_ns);
    assert_int_equal(otherload_ours(NULL, 0), 0);
}

/* -------------------------------------------------------------------- words */

static void test_words(void **state)
{
    struct owner_conf c = { .by = (char *)"", .utmp = (char *)"",
                            .console = (char *)"",
                            .otherwise = (char *)"nothing" };
    struct err err;
    char utmp[200];

    (void)state;
    assert_int_equal(owner_check(&c, &err), 0);
    c.by = (char *)" load,load ";
    assert_int_equal(owner_check(&c, &err), 0);
    c.by = (char *)"load loads";
    assert_int_equal(owner_check(&c, &err), -1);
    assert_string_equal(err.text,
                        "owner: loads is none of user, console and load");
    put("utmp", "");
    snprintf(utmp, sizeof(utmp), "%s", path);
    c.utmp = utmp;
    c.by = (char *)"user";
    assert_int_equal(owner_check(&c, &err), 0);
    c.otherwise = (char *)"";
    assert_int_equal(owner_check(&c, &err), -1);
}

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    char command[300];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", dir);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presence), cmocka_unit_test(test_utmp),
        cmocka_unit_test(test_logind), cmocka_unit_test(test_console),
        cmocka_unit_test(test_stat), cmocka_unit_test(test_share),
        cmocka_unit_test(test_ours), cmocka_unit_test(test_words),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
