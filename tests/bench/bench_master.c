/* bench_master.c - what a master costs with 200 slaves and a job of 10,000
 * tasks: its processor time and memory while it has nothing to do, while each
 * slave sends its load and the samples of its tasks once a second, when each
 * sends what its tasks' calls have cost, and with 100,000 events a second on
 * top, many to a message and one to a message. The slaves are ours, over real
 * sockets; the master is the program.
 *
 *   bench_master [SECONDS [SLAVES [TASKS [EVENTS]]]] */
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "proto/base/taskset.h"
#include "proto/link/conn.h"
#include "proto/link/nodemap.h"
#include "slave/emulate/peer.h"
#include "slave/emulate/tasks.h"

enum {
    SLAVES_MAX = 1000, TURNS = 100,     /* turns of sending a second */
    SITES = 50, DEPTH = 6,              /* of calls of each task */
};

struct slave {
    struct conn *c;
    char name[16];
    struct taskset ranks;
};

static struct event_base *base;
static struct slave slaves[SLAVES_MAX];
static struct peer runner;              /* the one hector-run */
static size_t nslaves = 200;
static uint32_t ntasks = 10000;
static uint64_t rate = 100000, *sent, *acked;   /* by rank */
static unsigned joined, forgotten;
static bool all_sent;
static char dir[PATHS_MAX];
static pid_t master;

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "bench_master: %s: %s\n", what, why);
    if (master > 0)
        kill(master, SIGKILL);
    if (*dir)
        paths_remove_tree(dir, NULL);
    exit(1);
}

/* One turn of the loop. Whatever is lost on the way ends all of it. */
static void turn_loop(int flags)
{
    event_base_loop(base, flags);
    if (runner.ended && !all_sent)
        die("the job", runner.why.code ? runner.why.text
                                       : "has ended before its tasks");
    if (runner.why.code && !runner.ended)
        die("the link of hector-run", runner.why.text);
}

/* --------------------------------------------------------------- the slaves */

static void on_open(void *arg, struct conn *c)
{
    struct slave *p = arg;
    Hct__Hello m = HCT__HELLO__INIT;
    Hct__NodeInfo node = HCT__NODE_INFO__INIT;

    conn_set_role(c, HCT__ROLE__ROLE_MASTER);
    m.protocol = PROTOCOL_VERSION;
    m.role = HCT__ROLE__ROLE_SLAVE;
    m.name = p->name;
    m.version = (char *)HECTOR_VERSION;
    m.instance = 1 + (uint64_t)(p - slaves);
    node.cpus = (ntasks + (uint32_t)nslaves - 1) / (uint32_t)nslaves;
    node.hostname = p->name;
    node.machine = (char *)"x86_64";
    node.memory_bytes = 1 << 30;
    m.node = &node;
    conn_send(c, MESSAGE_HELLO, &m);
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    (void)c;
    if (!runner.ended)
        die(((struct slave *)arg)->name, why->text);
    ((struct slave *)arg)->c = NULL;
}

static int on_welcome(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    Hct__SlaveJobs m = HCT__SLAVE_JOBS__INIT;

    (void)arg, (void)msg, (void)err;
    conn_send(c, MESSAGE_SLAVE_JOBS, &m);
    joined++;
    return 0;
}

static int on_prepare(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct slave *p = arg;
    const Hct__Prepare *m = msg;
    Hct__Prepared answer = HCT__PREPARED__INIT;

    if (nodemap_here(&p->ranks, m, err))
        return -1;
    answer.job = m->job;
    answer.ok = true;
    conn_send(c, MESSAGE_PREPARED, &answer);
    return 0;
}

static int on_launch(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    static uint32_t pids[1 << 20];
    struct slave *p = arg;
    Hct__Launched m = HCT__LAUNCHED__INIT;

    (void)msg, (void)err;
    for (int64_t r = -1; (r = taskset_next(&p->ranks, r)) >= 0; )
        pids[m.n_pids++] = 1000 + (uint32_t)r;
    m.job = 1;
    m.pids = pids;
    m.at_ns = clock_wall_ns();
    conn_send(c, MESSAGE_LAUNCHED, &m);
    return 0;
}

/* Every task has done something since the last look. */
static int on_look(void *arg, struct conn *c, const void *msg, struct err *err)
{
    static Hct__Looked__Task task[1 << 16], *tasks[1 << 16];
    const struct slave *p = arg;
    const Hct__Look *m = msg;
    Hct__Looked answer = HCT__LOOKED__INIT;
    static uint64_t age_ns;

    (void)err;
    age_ns += CLOCK_NS_PER_MS;
    for (int64_t r = -1; (r = taskset_next(&p->ranks, r)) >= 0; ) {
        struct tasks_state s;

        tasks_state(&s, (uint32_t)r, age_ns);
        tasks_look(&task[answer.n_tasks], (uint32_t)r, &s);
        tasks[answer.n_tasks] = &task[answer.n_tasks];
        answer.n_tasks++;
    }
    answer.job = m->job;
    answer.seq = m->seq;
    answer.tasks = tasks;
    conn_send(c, MESSAGE_LOOKED, &answer);
    return 0;
}

static int on_ack(void *arg, struct conn *c, const void *msg, struct err *err)
{
    const Hct__EventAck *m = msg;

    (void)arg, (void)c, (void)err;
    acked[m->rank] = m->upto;
    return 0;
}

static int on_forget(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    (void)arg, (void)c, (void)msg, (void)err;
    forgotten++;
    return 0;
}

static int on_terminate(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    (void)arg, (void)c, (void)msg, (void)err;
    return 0;
}

static const struct conn_route routes[] = {
    { MESSAGE_WELCOME, CONN_ANY, on_welcome },
    { MESSAGE_PREPARE, CONN_ANY, on_prepare },
    { MESSAGE_LAUNCH, CONN_ANY, on_launch },
    { MESSAGE_EVENT_ACK, CONN_ANY, on_ack },
    { MESSAGE_LOOK, CONN_ANY, on_look },
    { MESSAGE_FORGET, CONN_ANY, on_forget },
    { MESSAGE_TERMINATE, CONN_ANY, on_terminate },
};
static const struct conn_ops ops = {
    .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
    .on_open = on_open, .on_close = on_close,
};

static void connect_to(struct slave *p, const char *address)
{
    struct conn_conf conf = { 0 };
    struct err err;

    p->c = conn_open_to(base, address, &conf, &ops, p, &err);
    if (!p->c)
        die(p->name, err.text);
}

/* -------------------------------------------------------------- what is sent */

static void send_load(struct slave *p)
{
    Hct__NodeLoad m = HCT__NODE_LOAD__INIT;

    m.at_ns = clock_wall_ns();
    m.load = 1.5;
    m.cpu_busy = 0.9;
    m.memory_available_bytes = 1 << 29;
    conn_send(p->c, MESSAGE_NODE_LOAD, &m);
}

static void send_samples(struct slave *p)
{
    static Hct__TaskSamples__Task tasks[1 << 16], *list[1 << 16];
    Hct__TaskSamples m = HCT__TASK_SAMPLES__INIT;
    uint64_t now = clock_wall_ns();

    for (int64_t r = -1; (r = taskset_next(&p->ranks, r)) >= 0; ) {
        Hct__TaskSamples__Task *t = &tasks[m.n_tasks];

        hct__task_samples__task__init(t);
        t->rank = (uint32_t)r;
        t->mpi_calls = now / 1000000;
        t->in_mpi_ns = now / 3;
        t->out_mpi_ns = now / 3 * 2;
        t->cpu_ns = now / 2;
        t->cpu_in_mpi_ns = now / 5;
        t->call = 7;
        t->rss_bytes = 100 << 20;
        list[m.n_tasks++] = t;
    }
    m.job = 1;
    m.at_ns = now;
    m.tasks = list;
    conn_send(p->c, MESSAGE_TASK_SAMPLES, &m);
}

static struct slave *slave_of(uint32_t rank)
{
    static size_t last;

    while (!taskset_has(&slaves[last].ranks, rank))
        last = (last + 1) % nslaves;
    return &slaves[last];
}

static void send_events(uint32_t rank, size_t n)
{
    static Hct__Events__Record records[1024], *list[1024];
    static ProtobufCBinaryData label = { 7, (uint8_t *)"step 12" };
    Hct__Events m = HCT__EVENTS__INIT;
    uint64_t now = clock_wall_ns();

    for (; m.n_records < n; m.n_records++) {
        Hct__Events__Record *x = list[m.n_records] = &records[m.n_records];

        hct__events__record__init(x);
        x->seq = sent[rank] + m.n_records;
        x->marker = 12;
        x->call = 7;
        x->enter_ns = now;
        x->exit_ns = now + 900;
    }
    m.job = 1;
    m.rank = rank;
    m.first = sent[rank];
    m.records = list;
    m.n_labels = 1;
    m.labels = &label;
    sent[rank] += n;
    conn_send(slave_of(rank)->c, MESSAGE_EVENTS, &m);
}

/* All that the tasks of a slave have called MPI from has cost something. */
static void send_costs(struct slave *p)
{
    static Hct__Profile__Module module, *modules[] = { &module };
    static Hct__Profile__Frame frame[SITES + DEPTH], *frames[SITES + DEPTH];
    static Hct__Profile__Site site[SITES], *sites[SITES];
    static Hct__Profile__Task tasks[1 << 16], *list[1 << 16];
    static uint32_t steps[SITES][DEPTH], of[SITES];
    static uint64_t v[SITES];
    Hct__Profile m = HCT__PROFILE__INIT;

    hct__profile__module__init(&module);
    module.path = (char *)"/home/user/project/build/bin/solver";
    module.build_id = (ProtobufCBinaryData){ 20, (uint8_t *)module.path };
    for (uint32_t i = 0; i < SITES + DEPTH; i++) {
        hct__profile__frame__init(frames[i] = &frame[i]);
        frame[i].module = 1;
        frame[i].offset = 4096 + 16 * i;
    }
    for (uint32_t i = 0; i < SITES; i++) {
        hct__profile__site__init(sites[i] = &site[i]);
        site[i].call = 1 + i;
        site[i].frames = steps[i];
        site[i].n_frames = DEPTH;
        for (uint32_t d = 0; d < DEPTH; d++)
            steps[i][d] = d ? SITES + d : i;
        of[i] = i;
        v[i] = clock_wall_ns();
    }
    for (int64_t r = -1; (r = taskset_next(&p->ranks, r)) >= 0; ) {
        Hct__Profile__Task *t = list[m.n_tasks] = &tasks[m.n_tasks];

        hct__profile__task__init(t);
        t->rank = (uint32_t)r;
        t->n_site = t->n_calls = t->n_in_ns = t->n_out_ns = SITES;
        t->n_bytes = t->n_max_ns = SITES;
        t->site = of;
        t->calls = t->in_ns = t->out_ns = t->bytes = t->max_ns = v;
        m.n_tasks++;
    }
    m.job = 1;
    m.n_modules = 1;
    m.modules = modules;
    m.n_frames = SITES + DEPTH;
    m.frames = frames;
    m.n_sites = SITES;
    m.sites = sites;
    m.tasks = list;
    conn_send(p->c, MESSAGE_PROFILE, &m);
}

/* -------------------------------------------------------------- measurements */

static double cpu_s(void)
{
    char path[64];
    unsigned long user, system;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)master);
    f = fopen(path, "r");
    if (!f || fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
                     "%lu %lu", &user, &system) != 2)
        die("master", "is gone");
    fclose(f);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double rss_mb(void)
{
    char path[64], line[200];
    double kb = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)master);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kb = strtod(line + 6, NULL);
    if (f)
        fclose(f);
    return kb / 1024;
}

static void turn_until(const bool *flag, const unsigned *count, unsigned n)
{
    uint64_t end = clock_monotonic_ns() + 60 * CLOCK_NS_PER_S;

    while (flag ? !*flag : *count < n) {
        turn_loop(EVLOOP_ONCE | EVLOOP_NONBLOCK);
        if (clock_monotonic_ns() > end)
            die("master", "does not answer");
        usleep(500);
    }
}

static bool all_acked(void)
{
    for (uint32_t r = 0; r < ntasks; r++)
        if (acked[r] < sent[r])
            return false;
    return true;
}

/* Send for so many seconds; batch: events to a message, 0: no events. */
static void measure(const char *what, double seconds, bool samples,
                    size_t batch)
{
    uint64_t start = clock_monotonic_ns(), turn = 0, events = 0;
    double cpu = cpu_s(), took, lag;
    static uint32_t rank;
    bool late = false;

    for (; turn < (uint64_t)(seconds * TURNS); turn++) {
        uint64_t due = start + turn * CLOCK_NS_PER_S / TURNS;

        for (size_t i = turn % TURNS; samples && i < nslaves; i += TURNS) {
            send_load(&slaves[i]);
            send_samples(&slaves[i]);
        }
        for (; batch && events < (turn + 1) * rate / TURNS; events += batch) {
            send_events(rank, batch);
            rank = (rank + 1) % ntasks;
        }
        late = clock_monotonic_ns() > due + CLOCK_NS_PER_S;
        do
            turn_loop(EVLOOP_NONBLOCK);
        while (clock_monotonic_ns() < due && usleep(200) == 0);
    }
    took = (double)(clock_monotonic_ns() - start) / 1e9;
    while (!all_acked()) {
        turn_loop(EVLOOP_NONBLOCK);
        usleep(200);
    }
    lag = (double)(clock_monotonic_ns() - start) / 1e9 - took;
    cpu = cpu_s() - cpu;
    printf("master, %zu slaves, %u tasks, %s: %.3f CPU seconds a second, ",
           nslaves, ntasks, what, cpu / (took + lag));
    if (batch)
        printf("%.2f us an event, %.0f committed a second, last %.2f s "
               "after it was sent, ", cpu / (double)events * 1e6,
               (double)events / (took + lag), lag);
    printf("%.1f MB%s\n", rss_mb(), late ? " (we were late)" : "");
}

/* As slaves do it: every 5 s and 3 ms for each task. Until the master has no
 * more to do: then its processor time stands still. */
static void measure_costs(void)
{
    double cpu = cpu_s(), last, rows = (double)ntasks * SITES;
    double interval = 5 + 0.003 * ntasks;

    for (int round = 0; round < 2; round++) {   /* the first one inserts */
        cpu = cpu_s();
        for (size_t i = 0; i < nslaves; i++) {
            send_costs(&slaves[i]);
            turn_loop(EVLOOP_NONBLOCK);
        }
        do {
            last = cpu_s();
            for (uint64_t end = clock_monotonic_ns() + CLOCK_NS_PER_S / 2;
                 clock_monotonic_ns() < end; usleep(500))
                turn_loop(EVLOOP_NONBLOCK);
        } while (cpu_s() > last + 0.02);
        cpu = cpu_s() - cpu;
        printf("master, %zu slaves, %u tasks, costs of %d call sites each,"
               " %s: %.2f CPU seconds, %.0f rows a CPU second, every %.0f s"
               " that is %.1f %% of a processor, %.1f MB\n", nslaves, ntasks,
               SITES, round ? "again" : "first", cpu, rows / cpu, interval,
               100 * cpu / interval, rss_mb());
    }
}

static void start_master(const char *address)
{
    char path[PATHS_MAX], conf[PATHS_MAX + 16];
    FILE *f;

    if (readlink("/proc/self/exe", path, sizeof(path) - 32) <= 0)
        die("/proc/self/exe", "cannot be read");
    strcpy(strstr(path, "/bench/"), "/bin/hector-master");
    snprintf(conf, sizeof(conf), "%s/conf", dir);
    f = fopen(conf, "w");
    if (!f || fprintf(f, "[master]\nlisten = %s\ndatabase = %s/h.db\n",
                      address, dir) < 0 || fclose(f) != 0)
        die(conf, "cannot be written");
    master = fork();
    if (master == 0) {
        execl(path, path, "-d", "-f", conf, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 500 && access(address + strlen("unix:"), F_OK); i++)
        usleep(10000);
}

static void end_job(void)
{
    Hct__TaskExited x = HCT__TASK_EXITED__INIT;
    Hct__Drained d = HCT__DRAINED__INIT;

    all_sent = true;
    x.job = d.job = 1;
    x.finalized = true;
    for (size_t i = 0; i < nslaves; i++) {
        for (int64_t r = -1; (r = taskset_next(&slaves[i].ranks, r)) >= 0; ) {
            x.rank = (uint32_t)r;
            x.at_ns = clock_wall_ns();
            conn_send(slaves[i].c, MESSAGE_TASK_EXITED, &x);
        }
        conn_send(slaves[i].c, MESSAGE_DRAINED, &d);
    }
    turn_until(&runner.ended, NULL, 0);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 5;
    char address[PATHS_MAX + 32];
    struct conn_conf conf = { 0 };
    struct err err;
    uint64_t start;
    double cpu;

    nslaves = argc > 2 ? (size_t)atol(argv[2]) : nslaves;
    ntasks = argc > 3 ? (uint32_t)atol(argv[3]) : ntasks;
    rate = argc > 4 ? (uint64_t)atol(argv[4]) : rate;
    if (nslaves > SLAVES_MAX || ntasks < nslaves)
        die("usage", "bench_master [SECONDS [SLAVES [TASKS [EVENTS]]]]");
    sent = calloc(ntasks, sizeof(*sent));
    acked = calloc(ntasks, sizeof(*acked));
    base = event_base_new();
    if (!sent || !acked || !base ||
        paths_make_private_dir(dir, sizeof(dir), NULL))
        die("start", "out of memory, or no directory");
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    snprintf(address, sizeof(address), "unix:%s/m.sock", dir);
    start_master(address);
    for (size_t i = 0; i < nslaves; i++) {
        snprintf(slaves[i].name, sizeof(slaves[i].name), "n%03u",
                 (unsigned)i);
        connect_to(&slaves[i], address);
    }
    if (peer_open(&runner, base, HCT__ROLE__ROLE_REDIRECTOR, address, &conf,
                  &err))
        die("hector-run", err.text);
    turn_until(NULL, &joined, (unsigned)nslaves);
    turn_until(&runner.welcome, NULL, 0);
    start = clock_monotonic_ns();
    cpu = cpu_s();
    peer_submit(&runner, ntasks, 0, NULL);
    turn_until(&runner.running, NULL, 0);
    printf("master, %zu slaves, %u tasks, from Submit to running: %.2f s, "
           "%.2f CPU seconds, %.1f MB\n", nslaves, ntasks,
           (double)(clock_monotonic_ns() - start) / 1e9, cpu_s() - cpu,
           rss_mb());
    measure("nothing to do", seconds, false, 0);
    measure("load and samples once a second", seconds, true, 0);
    measure_costs();
    measure("and events, 100 a message", seconds, true, 100);
    measure("and events, one a message", seconds, true, 1);
    end_job();
    for (size_t i = 0; i < nslaves; i++)
        conn_close(slaves[i].c);
    peer_close(&runner);
    kill(master, SIGTERM);
    waitpid(master, NULL, 0);
    paths_remove_tree(dir, NULL);
    return 0;
}
