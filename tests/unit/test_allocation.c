/* test_allocation.c - the hosts of batch systems' allocations. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/str.h"
#include "redirector/batch/allocation.h"
#include "redirector/batch/ancestry.h"
#include "redirector/batch/fluxjob.h"
#include "redirector/batch/lsfjob.h"
#include "redirector/batch/pbsjob.h"
#include "redirector/batch/sgejob.h"
#include "redirector/batch/system.h"

/* out NULL: it was refused, and the sentence names the variable. */
static void expect(struct hosts *h, int rc, const struct err *err,
                   const char *in, const char *out, const char *variable)
{
    struct str s = { 0 };

    for (size_t i = 0; i < h->n; i++)
        str_addf(&s, "%s%s:%u", i ? " " : "", h->v[i].name, h->v[i].slots);
    if (rc != (out ? 0 : -1))
        fail_msg("%s: %d", in, rc);
    if (out && strcmp(str_text(&s), out) != 0)
        fail_msg("%s: got %s", in, str_text(&s));
    if (!out && !strstr(err->text, variable))
        fail_msg("%s: %s", in, err->text);
    str_fini(&s);
    hosts_fini(h);
}

static void test_slurm(void **state)
{
    static const struct { const char *nodes, *tasks, *out; } table[] = {
        { "n1", NULL, "n1:1" },
        { "n1", "4", "n1:4" },
        { "n[1-3]", "2(x3)", "n1:2 n2:2 n3:2" },
        { "n[1-3],m7", "2(x2),1,8", "n1:2 n2:2 n3:1 m7:8" },
        { "n[1-3]", "2(x2),1(x5)", NULL },
        { "n[1-3]", "2(x3),", "n1:2 n2:2 n3:2" },
        { "n[1-3]", "2(x2)", NULL },
        { "n[1-2]", "x", NULL },
        { "n[1-2]", "2(x", NULL },
        { "n[1-2]", "0(x2)", NULL },
        { "n[1-", "2", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct hosts h = { 0 };
        struct err err = { 0 };
        int rc = allocation_add_slurm(&h, table[i].nodes, table[i].tasks,
                                      &err);

        expect(&h, rc, &err, table[i].nodes, table[i].out, "SLURM_");
    }
}

static void test_lsf(void **state)
{
    static const struct { const char *in, *out; } table[] = {
        { "a 4", "a:4" },
        { "a 4 b 2", "a:4 b:2" },
        { " a  4  b 2 ", "a:4 b:2" },
        { "a 1 b 2 a 3", "a:4 b:2" },
        { "a", NULL }, { "a 4 b", NULL }, { "a b", NULL }, { " ", NULL },
        { "a 0", NULL }, { "a -1", NULL }, { "a 4x", NULL },
        { "-oProxyCommand=x 4", NULL }, { "a 99999999", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct hosts h = { 0 };
        struct err err = { 0 };
        int rc = allocation_add_lsf(&h, table[i].in, &err);

        expect(&h, rc, &err, table[i].in, table[i].out, "LSB_MCPU_HOSTS");
    }
}

/* A file with this text; returns its path. */
static const char *file_of(const char *text, mode_t mode)
{
    static char path[64];
    int fd;

    snprintf(path, sizeof(path), "%s", "/tmp/allocation-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    return path;
}

static void test_sge(void **state)
{
    static const struct { const char *in, *out; } table[] = {
        { "a.x.org 4 all.q@a.x.org UNDEFINED\nb 2 all.q@b <NULL>\n",
          "a.x.org:4 b:2" },
        { "a 4 q 0,0:0,1\na 2 q UNDEFINED", "a:6" },
        { "\na 1\n\n", "a:1" },
        { "", NULL }, { "a\n", NULL }, { "a q 4\n", NULL }, { "a 0 q\n", NULL },
    };
    struct hosts h = { 0 };
    struct err err = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const char *path = file_of(table[i].in, 0600);
        int rc = allocation_add_sge(&h, path, &err);

        unlink(path);
        expect(&h, rc, &err, table[i].in, table[i].out, "PE_HOSTFILE");
    }
    assert_int_equal(allocation_add_sge(&h, "/proc/nonexistent/x", &err), -1);
    assert_non_null(strstr(err.text, "PE_HOSTFILE"));
    setenv("JOB_ID", "7", 1);
    assert_int_equal(allocation_add_sge(&h, "/x/active_jobs/17.1/y", &err), -1);
    assert_non_null(strstr(err.text, "that of job 17 "));
    assert_int_equal(allocation_add_sge(&h, "/x/active_jobs/7.1/y", &err), -1);
    assert_non_null(strstr(err.text, "cannot read"));
    unsetenv("JOB_ID");
}

static void test_pbs(void **state)
{
    struct hosts h = { 0 };
    struct err err = { 0 };
    const char *path = file_of("a\na\nb\n", 0600);
    int rc = allocation_add_pbs(&h, path, &err);

    (void)state;
    unlink(path);
    expect(&h, rc, &err, "a a b", "a:2 b:1", "");
    rc = allocation_add_pbs(&h, path, &err);
    expect(&h, rc, &err, path, NULL, "PBS_NODEFILE");
}

/* A flux that says this, and is the only one there is. */
static int ask_flux(struct hosts *h, const char *script, struct err *err)
{
    char dir[] = "/tmp/allocation-XXXXXX", path[64], *old = getenv("PATH");
    struct str s = { 0 };

    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/flux", dir);
    str_addf(&s, "#!/bin/sh\n%s\n", script);
    const char *made = file_of(str_text(&s), 0700);

    assert_int_equal(rename(made, path), 0);
    str_fini(&s);
    old = strdup(old ? old : "/bin");
    setenv("PATH", dir, 1);
    int rc = allocation_add_flux(h, "local:///x", err);

    setenv("PATH", old, 1);
    free(old);
    unlink(path);
    rmdir(dir);
    return rc;
}

static void test_flux(void **state)
{
    static const struct { const char *in, *out; } table[] = {
        { "[ \"$*\" = 'getattr hostlist' ] && echo 'n[1-3],m'",
          "n1:0 n2:0 n3:0 m:0" },
        { "echo vm,vm,vm", "vm:0" },
        { "echo 'n['", NULL }, { "echo", NULL }, { "exit 1", NULL },
        { "echo n1; exit 1", NULL }, { "kill -9 $$", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct hosts h = { 0 };
        struct err err = { 0 };
        int rc = ask_flux(&h, table[i].in, &err);

        expect(&h, rc, &err, table[i].in, table[i].out, "flux getattr");
    }
}

static void test_which(void **state)
{
    static const char *const all[] = { "FLUX_URI", "SLURM_JOB_NODELIST",
                                       "LSB_MCPU_HOSTS", "PE_HOSTFILE",
                                       "PBS_NODEFILE" };
    struct hosts h = { 0 };
    struct err err = { 0 };
    const char *path = file_of("a 2 q\n", 0600);

    (void)state;
    for (int i = 0; i < 5; i++)
        unsetenv(all[i]);
    assert_int_equal(system_add_hosts(&h, false, &err), 0);
    assert_int_equal(h.n, 0);
    assert_null(h.agent);

    setenv("PE_HOSTFILE", path, 1);
    setenv("PBS_NODEFILE", "", 1);
    assert_int_equal(system_add_hosts(&h, false, &err), 0);
    assert_string_equal(h.agent, "qrsh -inherit");
    expect(&h, 0, &err, "Grid Engine", "a:2", "");
    setenv("LSB_MCPU_HOSTS", "b 3", 1);
    assert_int_equal(system_add_hosts(&h, false, &err), 0);
    assert_string_equal(h.agent, "blaunch");
    expect(&h, 0, &err, "LSF", "b:3", "");
    setenv("SLURM_JOB_NODELIST", "n[1-2]", 1);
    setenv("SLURM_TASKS_PER_NODE", "3(x2)", 1);
    assert_int_equal(system_add_hosts(&h, false, &err), 0);
    assert_string_equal(h.agent, "srun");
    expect(&h, 0, &err, "Slurm", "n1:3 n2:3", "");
    setenv("SLURM_STEP_NODELIST", "n1", 1);     /* a shell of salloc's */
    assert_int_equal(system_add_hosts(&h, false, &err), 0);
    expect(&h, 0, &err, "Slurm, interactive", "n1:3 n2:3", "");
    setenv("SLURM_STEP_NODELIST", "n2", 1);
    setenv("SLURM_TASKS_PER_NODE", "3", 1);
    assert_int_equal(system_add_hosts(&h, false, &err), 0);
    expect(&h, 0, &err, "Slurm, in a step", "n2:3", "");
    unsetenv("SLURM_STEP_NODELIST");
    setenv("SLURM_TASKS_PER_NODE", "3(x2)", 1);
    setenv("SLURM_NTASKS", "4", 1);     /* sbatch -N2 -n4 --ntasks-per-node=3 */
    assert_int_equal(system_add_hosts(&h, false, &err), 0);
    assert_int_equal(h.granted, 4);
    expect(&h, 0, &err, "Slurm, fewer tasks", "n1:2 n2:2", "");
    setenv("SLURM_NTASKS", "1", 1);
    assert_int_equal(system_add_hosts(&h, false, &err), 0);
    expect(&h, 0, &err, "Slurm, not a task a node", "n1:3 n2:3", "");
    unsetenv("SLURM_NTASKS");
    for (int i = 0; i < 5; i++)
        unsetenv(all[i]);
    unlink(path);
}

static bool is_mine(void *arg, const char *name)
{
    return strcmp(arg, name) == 0;
}

static bool is_none(void *arg, const char *name)
{
    (void)name;
    (*(int *)arg)++;
    return false;
}

/* Those above us, from the parent on; we are none of them. */
static void test_ancestry(void **state)
{
    char name[] = "a) R 1 (b";
    int status, n = 0;
    pid_t pid;

    (void)state;
    assert_int_equal(prctl(PR_SET_NAME, name), 0);
    assert_false(ancestry_find(is_mine, name));
    pid = fork();
    if (pid == 0)
        _exit(ancestry_find(is_mine, name) ? 7 : 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_false(ancestry_find(is_none, &n));
    assert_true(n > 0);
}

/* Hosts that a person names, of an allocation of n1.x, m and 10.0.0.1. */
static void test_claim(void **state)
{
    static const struct { const char *list; bool good; uint64_t granted; } table[] = {
        { "n1,m", true, 6 }, { "n1.x:7", true, 2 }, { "N1", true, 2 },
        { "m.y", true, 4 }, { "n1.y", false, 0 }, { "n", false, 0 },
        { "n1,n2", false, 0 }, { "10.0.0.1", true, 1 }, { "10.0.0.2", false, 0 },
        { "10", false, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct hosts h = { 0 };
        struct err err = { 0 };

        setenv("LSB_MCPU_HOSTS", "n1.x 2 m 4 10.0.0.1 1", 1);
        assert_int_equal(hosts_add_list(&h, table[i].list, &err), 0);
        assert_int_equal(system_claim_hosts(&h, &err), table[i].good ? 0 : -1);
        assert_int_equal(h.granted, table[i].granted);
        assert_int_equal(h.agent != NULL, table[i].good);
        if (!table[i].good)
            assert_non_null(strstr(err.text, " is not a host of LSF"));
        setenv("LSB_MCPU_HOSTS", "n1.x", 1);
        h.agent = NULL;
        assert_int_equal(system_claim_hosts(&h, &err), 0);
        assert_null(h.agent);           /* nobody knows which there are */
        hosts_fini(&h);
    }
    unsetenv("LSB_MCPU_HOSTS");
}

/* What they are asked gives this: of a job that was begun so often before. */
struct answer {
    const char *in;
    int rc;
    uint64_t begin_s, end_s;
    const char *reason;
    uint64_t restarts;
};

static void check_answers(int (*answer)(const char *text, uint64_t restarts,
                                        struct system_answer *a),
                          const struct answer *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct system_answer a;
        int rc = answer(table[i].in, table[i].restarts, &a);

        if (rc != table[i].rc ||
            (rc == 0 && (a.begin_s != table[i].begin_s ||
                         a.end_s != table[i].end_s ||
                         strcmp(a.reason, table[i].reason) != 0)))
            fail_msg("%s: %d, from %llu to %llu, \"%s\"", table[i].in, rc,
                     (unsigned long long)a.begin_s, (unsigned long long)a.end_s,
                     a.reason);
    }
}

/* What qstat and qconf of Grid Engine 8.1.9 say. */
static void test_sge_answers(void **state)
{
    static const struct answer table[] = {
        { "start 9000000000\nasks h_vmem=1G,h_rt=3600\nasks h_rt=INFINITY\nstate r\n",
          0, 9000000000, 9000003600, "", 0 },
        { "start 9000000000\nasks h_rt=3600\nasks h_rt=0:30:00\nstate r\n",
          0, 9000000000, 9000001800, "", 0 },
        { "start 9000000000\nasks h_rt=1:00:00,[n1=0:01:00]\nstate s\n",
          0, 9000000000, 9000003600, "", 0 },
        { "start 9000000000\nasks s_rt=10,xh_rt=5\nstate r\n",
          0, 9000000000, 0, "", 0 },
        { "start 9000000000\nasks h_rt=3600\nstate dr\n",
          0, 9000000000, 9000003600, "cancelled", 0 },
        { "start 1000\nasks h_rt=60\nstate r\n",
          0, 1000, 1060, "time limit", 0 },
        { "start 1000\nstate r\n", 0, 1000, 0, "", 0 },
        { "start 1000\nstart 1001\nasks h_rt=60\nstate r\n", -1, 0, 0, "", 0 },
        /* qmod -rj: it waits, and has no time of start; it has been begun
         * again; and that run of it goes on. */
        { "state Rq\nrun 1000\nasks h_rt=60\n", 0, 0, 0, "requeued", 0 },
        { "state Rq\nrun 1000\n", 0, 0, 0, "requeued", 1 },
        { "state Rr\nrun 1000\nstart 1099\n", 0, 1099, 0, "requeued", 0 },
        { "state Rr\nrun 1000\nstart 1099\n", 0, 1099, 0, "requeued", 1 },
        { "state Rr\nrun 1000\nstart 1001\n", 0, 1001, 0, "", 1 },
        { "state dRr\nrun 1000\nstart 1001\n", 0, 1001, 0, "cancelled", 1 },
        { "state dr\n", 0, 0, 0, "cancelled", 0 },
        { "state\nrun 1000\ngone\n", 0, 0, 0, "", 0 },
        { "asks h_rt=60\n", -1, 0, 0, "", 0 },
        { "", -1, 0, 0, "", 0 },
    };

    struct system_answer a;

    (void)state;
    check_answers(sgejob_answer, table, sizeof(table) / sizeof(table[0]));
    assert_int_equal(sgejob_answer("state\nrun 1000\ngone\n", 0, &a), 0);
    assert_true(a.gone);
    assert_int_equal(sgejob_answer("state dr\n", 0, &a), 0);
    assert_false(a.gone);
}

/* What "qstat -f" says, as published for OpenPBS and for Torque, after the time
 * of the question. */
#define PBS_JOB "now = 1592976849\nJob Id: 49223.gc-prd-hpcadm\n"              \
    "    Job_Name = simple_failing_test\n    resources_used.walltime = 00:00:49\n"
#define PBS_MORE "    Variable_List = PBS_O_SYSTEM=Linux,\n"                   \
    "\tA=job_state = Q,PBS_O_HOME=/export/home/s1234567\n"                     \
    "    comment = Job run at Wed Jun 24 at 15:33 on (gc-prd-hpcn001:ncpus=1)\n"   \
    "    estimated.start_time = Wed Jun 24 17:00:00 2020\n"
#define PBS_STARTED "    stime = Wed Jun 24 05:33:18 2020\n"
#define TORQUE_JOB "now = 1550605749\nJob Id: 67048.xena\n"                    \
    "    Resource_List.nodect = 1\n    Resource_List.nodes = 1:ppn=2\n"        \
    "    Mail_Points = a\n"

static void test_pbs_answers(void **state)
{
    static const struct answer table[] = {
        { PBS_JOB "    job_state = R\n    Resource_List.walltime = 00:30:00\n"
          PBS_STARTED PBS_MORE, 0, 1592976798, 1592978598, "", 0 },
        { PBS_JOB "    job_state = E\n    Resource_List.walltime = 00:30:00\n"
          PBS_STARTED PBS_MORE, 0, 1592976798, 1592978598, "cancelled", 0 },
        { PBS_JOB "    job_state = E\n    Resource_List.walltime = 00:00:30\n"
          PBS_STARTED PBS_MORE, 0, 1592976798, 1592976828, "time limit", 0 },
        { PBS_JOB "    job_state = Q\n" PBS_MORE, 0, 0, 0, "requeued", 0 },
        { PBS_JOB "    job_state = S\n" PBS_STARTED, 0, 1592976798, 0, "", 0 },
        { TORQUE_JOB "    job_state = R\n    Resource_List.walltime = 03:00:00\n"
          "    start_time = Tue Feb 19 19:47:56 2019\n"
          "    Walltime.Remaining = 8598\n", 0, 1550605676, 1550616476, "", 0 },
        { TORQUE_JOB "    job_state = R\n    Walltime.Remaining = 8598\n",
          0, 0, 1550614347, "", 0 },
        { TORQUE_JOB "    job_state = C\n    Walltime.Remaining = 8598\n",
          0, 0, 1550614347, "cancelled", 0 },
        { TORQUE_JOB "    job_state = R\n    Resource_List.walltime = 1:00:00:00\n"
          "    start_time = Tue Feb 19 19:47:56 2019\n",
          0, 1550605676, 1550692076, "", 0 },
        /* Grid Engine's qstat, and two jobs. */
        { "now = 1\nqueuename  qtype resv/used/tot. load_avg arch  states\n",
          -1, 0, 0, "", 0 },
        { PBS_JOB "    job_state = R\n" TORQUE_JOB, -1, 0, 0, "", 0 },
        { "", -1, 0, 0, "", 0 },
    };

    (void)state;
    setenv("TZ", "UTC0", 1);
    tzset();
    check_answers(pbsjob_answer, table, sizeof(table) / sizeof(table[0]));
    unsetenv("TZ");
    tzset();
}

static void test_lsf_answers(void **state)
{
    static const struct answer table[] = {
        { "10000\nRUN|-|43 second(s)|180.0/hostA\n", 0, 9957, 20757, "", 0 },
        { "10000\nRUN|-|43 second(s)|180.0\n", 0, 9957, 20757, "", 0 },
        { "10000\nRUN|-|43 second(s)|-\n", 0, 9957, 0, "", 0 },
        { "10000\nUSUSP|-|43 second(s)|-\n", 0, 9957, 0, "", 0 },
        { "10000\nRUN|-|181 second(s)|3.0/hostA\n",
          0, 9819, 9999, "time limit", 0 },
        { "10000\nEXIT|TERM_RUNLIMIT: job killed after reaching LSF run time limit|"
          "43 second(s)|180.0\n", 0, 9957, 20757, "time limit", 0 },
        { "10000\nEXIT|TERM_OWNER: job killed by owner|43 second(s)|-\n",
          0, 9957, 0, "cancelled", 0 },
        { "10000\nEXIT|TERM_OWNERSHIP|43 second(s)|-\n", 0, 9957, 0, "", 0 },
        { "10000\nPEND|TERM_PREEMPT: job killed after preemption|-|-\n",
          0, 0, 0, "preempted", 0 },
        { "10000\nPEND|-|-|180.0\n", 0, 0, 0, "requeued", 0 },
        { "10000\nRUN|-|3 second(s)|-\nRUN|-|3 second(s)|-\n",
          -1, 0, 0, "", 0 },
        { "10000\nJob <7> is not found\n", -1, 0, 0, "", 0 },
        { "10000\n", -1, 0, 0, "", 0 },
    };

    (void)state;
    check_answers(lsfjob_answer, table, sizeof(table) / sizeof(table[0]));
}

static void test_flux_answers(void **state)
{
    static const struct answer table[] = {
        { "RUNNING - 1629000000.25 1629003600.5\n",
          0, 1629000000, 1629003600, "", 0 },
        { "RUNNING - 1629000000.25 0.0\n", 0, 1629000000, 0, "", 0 },
        { "RUNNING cancel 1629000000.25 0.0\n",
          0, 1629000000, 0, "cancelled", 0 },
        { "RUNNING timeout 1629000000.25 1629000060.25\n",
          0, 1629000000, 1629000060, "time limit", 0 },
        { "CANCELED - \n", 0, 0, 0, "cancelled", 0 },
        { "FAILED exec 1629000000.25 0.0\n", 0, 1629000000, 0, "", 0 },
        { "\n", -1, 0, 0, "", 0 },
    };

    (void)state;
    check_answers(fluxjob_answer, table, sizeof(table) / sizeof(table[0]));
}

/* How often the job of Grid Engine was begun it does not say. */
static void test_runs(void **state)
{
    struct timespec times[2] = { { 5, 7 }, { 5, 7 } };
    const char *path = file_of("a 2 q\n", 0600);

    (void)state;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    setenv("PE_HOSTFILE", path, 1);
    assert_int_equal(system_restarts(system_here()), 0);
    setenv("RESTARTED", "1", 1);
    assert_int_equal(system_restarts(system_here()), 1);
    assert_true(system_run_ns(system_here()) == 5000000007);
    assert_true(system_repeats(SIGTERM));
    assert_false(system_repeats(SIGINT));
    unlink(path);
    assert_true(system_run_ns(system_here()) == 0);
    unsetenv("PE_HOSTFILE");
    unsetenv("RESTARTED");
    assert_false(system_repeats(SIGTERM));
    setenv("SLURM_JOB_NODELIST", "n1", 1);
    setenv("SLURM_RESTART_COUNT", "3", 1);
    assert_int_equal(system_restarts(system_here()), 3);
    assert_true(system_run_ns(system_here()) == 0);
    assert_false(system_repeats(SIGTERM));
    unsetenv("SLURM_JOB_NODELIST");
    unsetenv("SLURM_RESTART_COUNT");
}

/* PBS says nothing of that: its own file of nodes, which has the job's name, is as old
 * as the run. LSF says that it was; elements of an array have one number. */
static void test_runs_untold(void **state)
{
    struct timespec times[2] = { { 5, 7 }, { 5, 7 } };
    const char *path = file_of("n1\n", 0600), *name = strrchr(path, '/') + 1;
    char text[100];

    (void)state;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    setenv("PBS_NODEFILE", path, 1);
    setenv("PBS_JOBID", name, 1);
    assert_int_equal(system_restarts(system_here()), 0);
    assert_true(system_run_ns(system_here()) == 5000000007);
    setenv("PBS_JOBID", "7.login", 1);
    assert_true(system_run_ns(system_here()) == 0);
    unsetenv("PBS_NODEFILE");
    unsetenv("PBS_JOBID");
    setenv("LSB_MCPU_HOSTS", "n1 2", 1);
    setenv("LSB_DJOB_HOSTFILE", path, 1);
    setenv("LSB_JOBID", "9", 1);
    setenv("LSB_JOBINDEX", "0", 1);
    assert_true(system_run_ns(system_here()) == 0);
    assert_string_equal(system_job(system_here(), text, sizeof(text)), "LSF 9");
    setenv("LSB_RESTART", "Y", 1);
    setenv("LSB_JOBINDEX", "3", 1);
    assert_int_equal(system_restarts(system_here()), 1);
    assert_true(system_run_ns(system_here()) == 5000000007);
    assert_string_equal(system_job(system_here(), text, sizeof(text)), "LSF 9[3]");
    unlink(path);
    unsetenv("LSB_MCPU_HOSTS");
    unsetenv("LSB_DJOB_HOSTFILE");
    unsetenv("LSB_JOBID");
    unsetenv("LSB_JOBINDEX");
    unsetenv("LSB_RESTART");
}

/* A process of that name has started one of this name, and so on: what we take
 * for the innermost at their end. */
static void nested(const char *const *names, char *buf, size_t size)
{
    int out[2], status;
    pid_t pid;

    assert_int_equal(pipe(out), 0);
    pid = fork();
    if (pid == 0) {
        for (; *names; names++) {
            prctl(PR_SET_NAME, *names);
            pid = fork();
            if (pid != 0) {
                waitpid(pid, &status, 0);
                _exit(0);
            }
        }
        prctl(PR_SET_NAME, "hector-run");
        system_nested(buf, size);
        _exit(write(out[1], buf, strlen(buf)) < 0);
    }
    close(out[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    ssize_t n = read(out[0], buf, size - 1);

    buf[n > 0 ? n : 0] = '\0';
    close(out[0]);
}

static void test_nested(void **state)
{
    static const struct { const char *names[4], *is; } table[] = {
        { { "sge_shepherd", "slurmstepd", NULL },
          "Slurm 1 in Grid Engine 2 in PBS 3" },
        { { "slurmstepd", "sge_shepherd", NULL },
          "Grid Engine 2 in Slurm 1 in PBS 3" },
        { { "slurmstepd", "pbs_mom", "sh", NULL },
          "PBS 3 in Slurm 1 in Grid Engine 2" },
        { { "pbs_mom", "salloc", NULL },
          "Slurm 1 in Grid Engine 2 in PBS 3" },
        { { "pbs_mom", "sh", NULL },
          "PBS 3 in Slurm 1 in Grid Engine 2" },
        { { "res", "sge_shepherd", "sh", NULL },
          "Grid Engine 2 in Slurm 1 in PBS 3" },
    };
    char buf[200];

    (void)state;
    setenv("SLURM_JOB_NODELIST", "n1", 1);
    setenv("SLURM_JOB_ID", "1", 1);
    setenv("PE_HOSTFILE", "/x", 1);
    setenv("JOB_ID", "2", 1);
    setenv("PBS_NODEFILE", "/y", 1);
    setenv("PBS_JOBID", "3", 1);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        nested(table[i].names, buf, sizeof(buf));
        assert_string_equal(buf, table[i].is);
    }
    unsetenv("SLURM_JOB_NODELIST");
    unsetenv("SLURM_JOB_ID");
    unsetenv("PE_HOSTFILE");
    unsetenv("JOB_ID");
    unsetenv("PBS_NODEFILE");
    unsetenv("PBS_JOBID");
}

static void test_size(void **state)
{
    static const struct { const char *counts; uint32_t sum; } sums[] = {
        { "4", 4 }, { "2(x3),1", 7 }, { "4(x2)", 8 }, { "", 0 }, { "x", 0 },
        { "2,", 2 }, { "2(x", 0 }, { "0", 0 },
    };
    const char *path = file_of("b\na\nb\nb\n", 0600);
    uint32_t nodes, cpus;

    (void)state;
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
        assert_int_equal(allocation_sum(sums[i].counts), sums[i].sum);
    setenv("PBS_NODEFILE", path, 1);
    system_size(system_here(), &nodes, &cpus);
    assert_int_equal(nodes, 2);
    assert_int_equal(cpus, 4);
    setenv("SLURM_JOB_NODELIST", "n[1-3]", 1);
    setenv("SLURM_TASKS_PER_NODE", "1(x3)", 1);
    system_size(system_here(), &nodes, &cpus);
    assert_int_equal(nodes, 3);
    assert_int_equal(cpus, 3);
    setenv("SLURM_JOB_CPUS_PER_NODE", "8(x2),4", 1);    /* a task has several */
    setenv("SLURM_JOB_NUM_NODES", "5", 1);              /* a step has fewer */
    system_size(system_here(), &nodes, &cpus);
    assert_int_equal(nodes, 5);
    assert_int_equal(cpus, 20);
    unsetenv("SLURM_JOB_NODELIST");
    unsetenv("SLURM_JOB_CPUS_PER_NODE");
    unsetenv("SLURM_JOB_NUM_NODES");
    unsetenv("PBS_NODEFILE");
    unlink(path);
}

/* What squeue and sinfo of Slurm 22.05 say of a job that was begun once before. */
static void test_answers(void **state)
{
    static const struct { const char *in, *reason; uint64_t end_s; } table[] = {
        { " 1600 1000 RUNNING None N/A 1\n", "", 1600 },
        { " NONE 1000 RUNNING None N/A 1\n", "", 0 },
        { " 1600 1000 SUSPENDED None N/A 1\nn2\n", "", 1600 },
        { " 1200 1000 COMPLETING None N/A 1\n", "cancelled", 1200 },
        { " 1200 1000 CANCELLED None N/A 1\n", "cancelled", 1200 },
        { " 1200 1000 COMPLETING TimeLimit N/A 1\n", "time limit", 1200 },
        { " NONE N/A COMPLETING None N/A 2\n", "requeued", 0 },
        { " 99999 1500 PENDING BeginTime N/A 2\n", "requeued", 99999 },
        { " 1200 1000 COMPLETING None 900 1\n", "cancelled", 1200 },
        { " 1200 1000 COMPLETING None 1100 1\n", "preempted", 1200 },
        { " NONE 1500 COMPLETING None 1100 2\n", "preempted", 0 },
        { " NONE N/A PENDING None N/A 2\nn1\nn1\n", "node failure", 0 },
        { " 1200 1000 NODE_FAIL NodeDown N/A 1\n", "node failure", 1200 },
        { " 1200 1000 FAILED NonZeroExitCode N/A 1\n", "", 1200 },
        { "", NULL, 0 }, { "1600 1000 RUNNING None N/A", NULL, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct system_answer a = { .reason = "" };
        int rc = system_answer_slurm(table[i].in, 1, &a);

        if ((rc == 0) != (table[i].reason != NULL) ||
            (rc == 0 && (strcmp(a.reason, table[i].reason) != 0 ||
                         a.end_s != table[i].end_s)))
            fail_msg("%s: %d %s %llu", table[i].in, rc, a.reason,
                     (unsigned long long)a.end_s);
    }
}

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* Whether we are one of several that srun has started alike. */
static void test_first(void **state)
{
    static const struct {
        const char *nodes, *rank, *size;
        bool refused;
    } table[] = {
        { NULL, NULL, NULL, false },
        { "n[1-2]", NULL, NULL, false },          /* salloc's command */
        { "n[1-2]", "0", NULL, false },           /* a batch script */
        { "n[1-2]", "0", "2", false },    /* ... submitted in a step */
        { "n[1-2]", "0", "1", false },            /* srun -n 1 */
        { "n[1-2]", "1", "2", true },
        { "n[1-2]", "4095", "4096", true },
        { NULL, "1", "2", false },
        { "n[1-2]", "1", "x", false },
        { "n[1-2]", "", "2", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct err err = { 0 };

        set("SLURM_JOB_NODELIST", table[i].nodes);
        set("SLURM_PROCID", table[i].rank);
        set("SLURM_STEP_NUM_TASKS", table[i].size);
        if ((allocation_check_first(&err) < 0) != table[i].refused)
            fail_msg("case %zu", i);
        assert_true(!table[i].refused ==
                    !strstr(err.text, "only task 0 of its step starts"));
    }
    set("SLURM_JOB_NODELIST", NULL);
    set("SLURM_PROCID", NULL);
    set("SLURM_STEP_NUM_TASKS", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slurm),
        cmocka_unit_test(test_lsf),
        cmocka_unit_test(test_sge),
        cmocka_unit_test(test_pbs),
        cmocka_unit_test(test_flux),
        cmocka_unit_test(test_which),
        cmocka_unit_test(test_ancestry),
        cmocka_unit_test(test_claim), cmocka_unit_test(test_size),
        cmocka_unit_test(test_sge_answers), cmocka_unit_test(test_answers),
        cmocka_unit_test(test_pbs_answers), cmocka_unit_test(test_lsf_answers),
        cmocka_unit_test(test_flux_answers), cmocka_unit_test(test_runs),
        cmocka_unit_test(test_runs_untold),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_first),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
