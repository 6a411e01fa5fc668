/* test_rundir.c - what a slave makes and what it, or the next one, removes:
 * directories, and processes that its tasks have left behind. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/paths.h"
#include "slave/launch/rundir.h"
#include "slave/proc/sweep.h"

static char top[64];

static int setup(void **state)
{
    (void)state;
    strcpy(top, "/tmp/test_session.XXXXXX");
    if (!mkdtemp(top))
        return -1;
    unsetenv("XDG_RUNTIME_DIR");
    return setenv("TMPDIR", top, 1);
}

static int teardown(void **state)
{
    (void)state;
    return paths_remove_tree(top, NULL);
}

static bool exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

/* A plan of two local tasks, as far as directories need it. */
static void with_plan(void (*f)(const struct plan *p))
{
    struct nodemap_node node = { .name = (char *)"n0" };
    struct plan plan = { .job = 4, .ntasks = 2, .nodes = { &node, 1 },
                         .uid = geteuid(), .gid = getegid() };

    taskset_add(&node.ranks, 0, 1);
    f(&plan);
    taskset_fini(&node.ranks);
}

static void job_dirs(const struct plan *p)
{
    char dir[PATHS_MAX], shm[PATHS_MAX], own[PATHS_MAX + 8];
    struct rundir s;
    struct err err;

    assert_int_equal(rundir_open(&s, &err), 0);
    assert_int_equal(rundir_job_open(&s, p, &err), 0);
    assert_int_equal(rundir_job_paths(&s, 4, dir, shm, &err), 0);
    snprintf(own, sizeof(own), "%s/1", dir);
    assert_true(exists(own));
    assert_int_equal(rundir_job_open(&s, p, &err), -1);        /* twice */
    rundir_job_close(&s, 4);
    assert_false(exists(dir));
    assert_false(*shm && exists(shm));
    strcpy(dir, s.dir);
    strcpy(shm, s.shm);
    rundir_close(&s);
    assert_false(exists(dir));
    assert_false(*shm && exists(shm));
    rundir_close(&s);
}

static void test_job(void **state)
{
    (void)state;
    with_plan(job_dirs);
}

/* The living one's stay, the dead one's go, strangers' are not touched. */
static void test_sweep_dirs(void **state)
{
    struct rundir alive;
    char dead[PATHS_MAX], other[PATHS_MAX], line[PATHS_MAX];
    struct err err;
    int fds[2];
    FILE *f;

    (void)state;
    assert_int_equal(rundir_open(&alive, &err), 0);
    assert_int_equal(pipe(fds), 0);
    if (fork() == 0) {
        struct rundir s;

        if (rundir_open(&s, NULL))
            _exit(1);
        dprintf(fds[1], "%s\n", s.dir);
        _exit(0);               /* as if it were killed */
    }
    wait(NULL);
    f = fdopen(fds[0], "r");
    assert_non_null(fgets(line, sizeof(line), f));
    line[strcspn(line, "\n")] = '\0';
    strcpy(dead, line);
    fclose(f);
    close(fds[1]);
    snprintf(other, sizeof(other), "%s/hector-other", top);
    assert_int_equal(mkdir(other, 0700), 0);

    assert_true(exists(dead));
    rundir_sweep();
    assert_false(exists(dead));
    assert_true(exists(alive.dir));
    assert_true(exists(other));
    rundir_close(&alive);
}

/* What is empty and old goes, what is young may be about to be locked, and what
 * has something in it is somebody's. */
static void test_sweep_unborn(void **state)
{
    static const char *const name[] = { "young", "old", "full" };
    const struct timespec then[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
    char path[3][PATHS_MAX], inside[PATHS_MAX + 8];

    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof(path[i]), "%s/hector-%s", top, name[i]);
        assert_int_equal(mkdir(path[i], 0700), 0);
    }
    snprintf(inside, sizeof(inside), "%s/inside", path[2]);
    assert_int_equal(mkdir(inside, 0700), 0);
    for (int i = 1; i < 3; i++)
        assert_int_equal(utimensat(AT_FDCWD, path[i], then, 0), 0);
    rundir_sweep();
    assert_true(exists(path[0]));
    assert_false(exists(path[1]));
    assert_true(exists(path[2]));
}

/* Start "sh -c script" as the leader of a group, with a marked environment. */
static pid_t start(const char *script, const char *mark)
{
    pid_t pid = fork();

    if (pid == 0) {
        char *env[] = { (char *)mark, (char *)"HECTOR_SLAVE=/x",
                        (char *)"PATH=/usr/bin:/bin", NULL };

        setpgid(0, 0);
        execle("/bin/sh", "sh", "-c", script, (char *)NULL, env);
        _exit(127);
    }
    setpgid(pid, pid);
    return pid;
}

static void wait_for(const struct sweep_job *job, size_t n)
{
    for (int i = 0; i < 6000 && sweep_signal(job, 0) != n; i++)
        usleep(10000);
    assert_int_equal(sweep_signal(job, 0), n);
}

/* Until there are all of both, and nobody is on the way to become another. */
static void settle(const struct sweep_job *all, size_t n,
                   const struct sweep_job *marked, size_t m)
{
    for (int i = 0; i < 6000; i++) {
        if (sweep_signal(all, 0) == n && sweep_signal(marked, 0) == m &&
            sweep_signal(all, 0) == n && sweep_signal(marked, 0) == m)
            return;
        usleep(10000);
    }
    fail_msg("never %zu processes, %zu of them marked", n, m);
}

/* Children in the group, in sessions of their own, orphaned: all are found,
 * and those of another job are left alone. */
static void test_sweep_processes(void **state)
{
    pid_t one, groups[1];
    struct sweep_job job = { .groups = groups, .ngroups = 1,
        .marks = { "HECTOR_JOB=1", "HECTOR_SLAVE=/x" } };
    struct sweep_job other = { .groups = groups, .ngroups = 0,
        .marks = { "HECTOR_JOB=2", "HECTOR_SLAVE=/x" } };
    struct sweep_job everything = { .all = true };

    (void)state;
    assert_int_equal(sweep_init(), 0);
    assert_int_equal(sweep_signal(&everything, 0), 0);
    one = start("sleep 600 & setsid sleep 600 & (setsid sleep 600 & "
                "env -i setsid sleep 600 &) ; exit 0", "HECTOR_JOB=1");
    start("exec sleep 600", "HECTOR_JOB=2");
    groups[0] = one;
    assert_int_equal(waitpid(one, NULL, 0), one);
    /* env -i has left group and marks behind; only "all" finds it then. */
    settle(&everything, 5, &job, 3);
    assert_int_equal(sweep_signal(&job, SIGKILL), 3);
    wait_for(&job, 0);
    wait_for(&other, 1);
    /* Those two stay, and what they have started. */
    everything.spares[0] = start("exec sleep 600", "HECTOR_JOB=2");
    everything.spares[1] = start("sleep 600; exit 0", "HECTOR_JOB=2");
    settle(&job, 0, &other, 4);
    sweep_signal(&everything, SIGKILL);
    wait_for(&everything, 0);
    assert_int_equal(kill(everything.spares[0], 0), 0);
    assert_int_equal(sweep_signal(&other, 0), 3);
    memset(everything.spares, 0, sizeof(everything.spares));
    sweep_signal(&everything, SIGKILL);
    wait_for(&everything, 0);
    while (wait(NULL) > 0)
        ;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job), cmocka_unit_test(test_sweep_dirs),
        cmocka_unit_test(test_sweep_unborn),
        cmocka_unit_test(test_sweep_processes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, teardown);
}
