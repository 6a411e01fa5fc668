/* test_saved.c - where checkpoints go, and those that tasks are made of. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>

#include "proto/base/paths.h"
#include "proto/conf/checkpointfile.h"
#include "redirector/out/say.h"
#include "redirector/start/saved.h"
#include "redirector/start/submit.h"

static char root[64], old[4096], said[1000];

static void hear(void *arg, const char *line, size_t n)
{
    (void)arg;
    snprintf(said, sizeof(said), "%.*s", (int)n, line);
}

static int setup(void **state)
{
    (void)state;
    assert_int_equal(sodium_init() < 0, 0);
    assert_non_null(getcwd(old, sizeof(old)));
    strcpy(root, "/tmp/saved-XXXXXX");
    assert_non_null(mkdtemp(root));
    assert_int_equal(chdir(root), 0);
    *said = '\0';
    say_through(hear, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    say_through(NULL, NULL);
    assert_int_equal(chdir(old), 0);
    return paths_remove_tree(root, NULL);
}

/* Words of a command line, divided by blanks. -1: one of the two says why. */
static int open_as(const char *line, struct options *o, struct saved *s,
                   struct err *err)
{
    static char text[300], *argv[32];
    char *save = NULL;
    int argc = 0;

    snprintf(text, sizeof(text), "hector-run %s", line);
    for (char *p = strtok_r(text, " ", &save); p;
         p = strtok_r(NULL, " ", &save))
        argv[argc++] = p;
    argv[argc] = NULL;
    *s = (struct saved){ 0 };
    if (options_parse(o, argc, argv, err))
        return -1;
    if (saved_open(s, o, err) == 0)
        return 0;
    options_fini(o);
    return -1;
}

static void refused(const char *line, const char *says)
{
    struct options o;
    struct saved s;
    struct err err = { 0 };

    if (open_as(line, &o, &s, &err) == 0)
        fail_msg("%s: accepted", line);
    if (!strstr(err.text, says))
        fail_msg("%s: says %s", line, err.text);
    assert_null(s.dir);
    assert_null(s.v);
}

/* A checkpoint of "./solver 5" with four tasks; tasks: how many it knows of. */
static void make(const char *dir, uint32_t number, uint32_t tasks)
{
    static const char *const words[] = { "./solver", "5" };
    ProtobufCBinaryData argv[2], env = { 3, (uint8_t *)"A=1" };
    Hct__App app = HCT__APP__INIT, *apps = &app;
    Hct__Submit submit = HCT__SUBMIT__INIT;
    Hct__Checkpoint c = HCT__CHECKPOINT__INIT;
    Hct__TaskMoved task = HCT__TASK_MOVED__INIT;
    Hct__TaskMoved *all[] = { &task, &task, &task, &task };
    uint8_t packed[1000], bytes[2000];
    char path[100];

    for (int i = 0; i < 2; i++)
        argv[i] = (ProtobufCBinaryData){ strlen(words[i]),
                                         (uint8_t *)words[i] };
    app.n_argv = 2;
    app.argv = argv;
    app.n_env = 1;
    app.env = &env;
    app.wdir = (char *)"/work";
    app.ntasks = 4;
    submit.apps = &apps;
    submit.n_apps = 1;
    submit.name = (char *)"tide";
    submit.command = c.command = (char *)"hector-run -n 4 ./solver 5";
    c.submit.len = hct__submit__pack(&submit, packed);
    c.submit.data = packed;
    c.job = 7;
    c.number = number;
    c.ntasks = 4;
    c.tasks = all;
    c.n_tasks = tasks;
    c.dir = (char *)"/elsewhere";
    mkdir(dir, 0700);
    snprintf(path, sizeof(path), "%s/%u", dir, number);
    mkdir(path, 0700);
    assert_int_equal(checkpointfile_write(dir, number, bytes,
                                          hct__checkpoint__pack(&c, bytes),
                                          NULL), 0);
}

static void spoil(const char *dir, uint32_t number)
{
    char path[100];

    snprintf(path, sizeof(path), "%s/%u/checkpoint", dir, number);
    assert_int_equal(truncate(path, 100), 0);
}

static void test_directory(void **state)
{
    struct options o;
    struct saved s;
    struct err err;
    struct stat st;
    char want[100], lock[100];

    (void)state;
    assert_int_equal(open_as("--checkpoint-dir a/b/ p", &o, &s, &err), 0);
    snprintf(want, sizeof(want), "%s/a/b", root);
    assert_string_equal(s.dir, want);
    assert_int_equal(stat(want, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_true(o.migratable);
    refused("--checkpoint-dir a/../a/b p", "is in use by hector-run on ");
    saved_fini(&s);
    snprintf(lock, sizeof(lock), "%.80s/lock", want);
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(rmdir(want), 0);   /* nothing else is left in it */
    options_fini(&o);
    assert_int_equal(open_as("p", &o, &s, &err), 0);
    assert_null(s.dir);
    assert_int_equal(s.n, 0);
    options_fini(&o);
    fclose(fopen("file", "w"));
    refused("--checkpoint-dir file p", "Not a directory");
    refused("--checkpoint-dir file/x p", "Not a directory");
    refused("--checkpoint-dir /proc/self p", "cannot write to");
    make("full", 3, 4);
    refused("--checkpoint-dir full p", "has checkpoints already of job 7, "
            "\"hector-run -n 4 ./solver 5\": --restart ");
    spoil("full", 3);
    refused("--checkpoint-dir full p", "has checkpoints already: --restart ");
}

static void test_restart(void **state)
{
    static const struct links_where links = { NULL, 0, (uint8_t *)"" };
    static char *const words[] = { (char *)"hector-run", NULL }, *env[] = { NULL };
    struct options o;
    struct saved s;
    struct err err;
    struct hosts h = { 0 };
    char want[100];
    Hct__Submit *m;

    (void)state;
    make("d", 8, 4);
    make("d", 9, 4);
    make("d", 10, 4);
    snprintf(want, sizeof(want), "%s/d", root);
    assert_int_equal(open_as("--restart d --checkpoint-dir d --max-restarts 5",
                             &o, &s, &err), 0);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.v[0]->number, 10);
    assert_int_equal(s.v[2]->number, 8);
    assert_int_equal(s.v[0]->submit.len, 0);
    assert_string_equal(s.v[0]->dir, want);
    assert_string_equal(said, "");
    assert_int_equal(submit_count(&o, &h, false, 1, &err), 4);
    m = submit_build(&o, &h, false, env, words, &links, &err);
    assert_non_null(m);
    assert_int_equal(submit_saved(m, &o, &s, &err), 0);
    assert_int_equal(m->n_apps, 1);
    assert_string_equal(m->apps[0]->wdir, "/work");
    assert_int_equal(m->apps[0]->n_argv, 2);
    assert_int_equal(m->apps[0]->n_env, 1);
    assert_string_equal(m->name, "tide");
    assert_string_equal(m->command, "hector-run -n 4 ./solver 5");
    assert_string_equal(m->checkpoint_dir, want);
    assert_int_equal(m->max_restarts, 5);
    assert_true(m->migratable);
    assert_int_equal(m->n_restore, 3);
    submit_free(m);
    saved_fini(&s);
    options_fini(&o);
    assert_int_equal(open_as("-n 4 --restart d --name x ./solver 5", &o, &s,
                             &err), 0);
    m = submit_build(&o, &h, false, env, words, &links, &err);
    assert_int_equal(submit_saved(m, &o, &s, &err), 0);
    assert_string_equal(m->name, "x");
    assert_string_equal(m->checkpoint_dir, "");
    submit_free(m);
    saved_fini(&s);
    options_fini(&o);
}

static void test_older_one(void **state)
{
    struct options o;
    struct saved s;
    struct err err;

    (void)state;
    make("d", 1, 4);
    make("d", 2, 4);
    make("d", 3, 3);            /* not of all tasks */
    spoil("d", 2);
    assert_int_equal(open_as("--restart d", &o, &s, &err), 0);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.v[0]->number, 1);
    assert_non_null(strstr(said, "checkpoint 3 in "));
    assert_non_null(strstr(said, "go on from checkpoint 1"));
    saved_fini(&s);
    options_fini(&o);
    spoil("d", 1);
    refused("--restart d", "checkpoint 3 in ");
}

static void test_refused(void **state)
{
    (void)state;
    refused("--restart nowhere", "No such file");
    mkdir("empty", 0700);
    refused("--restart empty", "there are no checkpoints in ");
    make("d", 1, 4);
    refused("--restart d ./other", "d has checkpoints of `./solver 5`, not of "
            "`./other`");
    refused("--restart d ./solver", "not of `./solver`");
    refused("--restart d -n 3", "-n 3: d has checkpoints of 4 tasks");
    refused("--restart d -n 3 ./solver 5", "-n 3: d has checkpoints of 4 tasks");
    refused("--restart d --checkpoint-dir file/x ./solver 5 : p", "not of");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    static const struct CMUnitTest tests[] = {
        TEST(test_directory), TEST(test_restart), TEST(test_older_one),
        TEST(test_refused),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
