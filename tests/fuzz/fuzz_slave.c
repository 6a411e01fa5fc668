/* fuzz_slave.c - a master says anything to the jobs of a slave, in any order,
 * while tasks report, exit and PMIx calls up: no order is followed that its
 * job's state does not allow, and nothing is left when the jobs are gone.
 *
 * Peer 0 is the master; it has said Welcome. A special step is a fact: of
 * PMIx, of a task that asks for its page, of one that has died. Processes,
 * signals and PMIx itself are played here: nothing is ever forked. */
#include "tests/fuzz/peers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "proto/link/refused.h"
#include "slave/gather/gather.h"
#include "slave/jobs/jobs.h"
#include "slave/launch/launch.h"
#include "slave/move/jobmove.h"
#include "slave/orders.h"
#include "slave/proc/sweep.h"
#include "slave/yield/yield.h"

enum { FIRST_PID = 10000, CALLS = 64 };

struct world {
    struct node node;
    struct jobs *jobs;
    struct gather gather;
    struct uplink_conf conf;
    struct reduce_conf reduce_conf;
    struct uplink_ops ops;
    struct peers peers;
};

static int listening;
static char where[64];
static pid_t pids;              /* given out */

/* ------------------------------------------------------------ played parts */

int kill(pid_t pid, int sig)
{
    (void)sig;
    assert(pid < -1 || pid > 1);
    return 0;
}

/* Nor is the rank of any process changed. */
int setpriority(__priority_which_t which, id_t who, int nice)
{
    (void)which, (void)nice;
    assert(who > 1);
    return 0;
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
    (void)policy, (void)param;
    assert(pid > 1);
    return 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    (void)size, (void)set;
    assert(pid > 1);
    return 0;
}

void launch_init(void)
{
}

int launch_user_init(struct launch_user *u, uid_t uid, gid_t gid,
                     struct err *err)
{
    *u = (struct launch_user){ .uid = uid, .gid = gid };
    return uid == geteuid() ? 0 : err_set(err, EPERM, "another user");
}

int launch_user_copy(struct launch_user *to, const struct launch_user *u)
{
    *to = *u;
    return 0;
}

void launch_user_fini(struct launch_user *u)
{
    (void)u;
}

pid_t launch_start(const struct launch_spec *s, int *report, struct err *err)
{
    int fds[2];

    assert(s->wdir && s->env && s->search);
    if (pids % 8 == 7)
        return pids++, err_set(err, EAGAIN, "cannot make a process");
    assert(!pipe2(fds, O_CLOEXEC | O_NONBLOCK));
    close(fds[1]);
    *report = fds[0];
    return FIRST_PID + pids++;
}

int launch_report(int report, struct exec_report *r)
{
    (void)report, (void)r;
    return 0;
}

/* No process looks names up. */
void names_ask(struct names *n, struct event_base *base,
               const struct sites *s, const struct launch_user *user,
               bool calm)
{
    (void)base, (void)user, (void)calm;
    n->known = s->nframes;
}

bool names_settled(struct names *n, const struct sites *s)
{
    return n->known == s->nframes;
}

const char *name_text(const struct names *n, uint32_t at)
{
    (void)n, (void)at;
    return "";
}

void names_fini(struct names *n)
{
    n->known = 0;
}

int sweep_init(void)
{
    return 0;
}

size_t sweep_signal(const struct sweep_job *job, int sig)
{
    (void)job, (void)sig;
    return 0;
}

void sweep_each(const struct sweep_job *job,
                void (*f)(void *arg, pid_t pid, size_t task), void *arg)
{
    (void)job, (void)f, (void)arg;
}

/* PMIx: what is open is answered once. */
struct pmixd { int open; };
struct pmixd_call { bool open; };
static struct pmixd server;
static struct pmixd_call calls[CALLS];
const int pmixd_not_found = -46, pmixd_not_supported = -47, pmixd_gone = -1;

const char *pmixd_version(void)
{
    return "4";
}

struct pmixd *pmixd_open(struct event_base *base, const char *node,
                         const struct site *site, uint64_t wait_ns,
                         const struct pmixd_ops *ops,
                         void *arg, struct err *err)
{
    (void)base, (void)node, (void)site, (void)wait_ns, (void)ops, (void)arg;
    (void)err;
    return &server;
}

enum pmixd_health pmixd_health(const struct pmixd *p)
{
    (void)p;
    return PMIXD_SOUND;
}

void pmixd_close(struct pmixd *p)
{
    (void)p;
}

int pmixd_register(struct pmixd *p, const struct plan *plan,
                   const char *job_dir, struct err *err)
{
    (void)p, (void)job_dir, (void)err;
    assert(plan->ntasks && plan->nspace[0]);
    return 0;
}

void pmixd_deregister(struct pmixd *p, uint64_t job, bool torn)
{
    (void)torn;
    (void)p, (void)job;
}

void pmixd_keep_only(struct pmixd *p, uint64_t job, uint32_t serial)
{
    (void)p, (void)job, (void)serial;
}

int pmixd_setup_env(struct pmixd *p, uint64_t job, uint32_t rank,
                    struct env *env, struct err *err)
{
    (void)p, (void)job, (void)rank, (void)env, (void)err;
    return 0;
}

void pmixd_drain(struct pmixd *p)
{
    (void)p;
}

void pmixd_answer(struct pmixd_call *c, int status)
{
    (void)status;
    assert(c->open);
    c->open = false;
}

void pmixd_answer_data(struct pmixd_call *c, int status, const void *data,
                       size_t bytes)
{
    assert(data || !bytes);
    pmixd_answer(c, status);
}

void pmixd_answer_lookup(struct pmixd_call *c, int status,
                         const struct pmixd_item *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert(items[i].key && items[i].nspace);
    pmixd_answer(c, status);
}

int pmixd_fetch(struct pmixd *p, uint64_t job, uint32_t rank, uint64_t ticket,
                uint32_t to_node, struct err *err)
{
    (void)p, (void)job, (void)ticket, (void)to_node;
    return rank % 2 ? 0 : err_set(err, ESRCH, "no such task");
}

/* ------------------------------------------------------------------- facts */

static struct pmixd_call *new_call(void)
{
    for (int i = 0; i < CALLS; i++)
        if (!calls[i].open) {
            calls[i].open = true;
            return &calls[i];
        }
    return NULL;
}

static void call_up(struct world *w, uint8_t what, uint64_t job, uint32_t rank)
{
    static char *const keys[] = { (char *)"port", NULL };
    struct pmixd_item item = { .key = "port", .value = "v", .bytes = 1 };
    struct pmixd_call *c = new_call();

    if (!c)
        return;
    switch (what % 5) {
    case 0:
        jobs_pmix_ops.fence(w->jobs, c, job, "fence", "all", "data", 4);
        break;
    case 1:
        jobs_pmix_ops.modex(w->jobs, c, job, rank);
        break;
    case 2:
        jobs_pmix_ops.publish(w->jobs, c, job, rank, &item, 1, true,
                              "session");
        break;
    case 3:
        jobs_pmix_ops.unpublish(w->jobs, c, job, rank, keys);
        break;
    case 4:
        jobs_pmix_ops.lookup(w->jobs, c, job, keys, true, 5);
    }
}

static void ask_for_page(struct world *w, uint64_t job, uint32_t rank)
{
    struct page_hello hello = { .magic = PAGE_MAGIC, .major = PAGE_MAJOR,
                                .job = job, .rank = rank };
    struct registry_peer peer = { .pid = getpid(), .uid = getuid() };
    struct err err;
    int fd = jobs_grant(w->jobs, &hello, &peer, &err);

    if (fd >= 0)
        close(fd);
}

static void fact(struct world *w, const struct step *s)
{
    static const struct reap_usage usage;
    uint64_t job = s->n > 0 ? s->body[0] % 4 : 1;
    uint32_t rank = s->n > 1 ? s->body[1] % 8 : 0;
    uint8_t more = s->n > 2 ? s->body[2] : 0;

    switch (s->who % 8) {
    case 0:
        jobs_pmix_ops.registered(w->jobs, job, more == 9 ? "no" : NULL);
        break;
    case 1:
        jobs_pmix_ops.connected(w->jobs, job, rank);
        break;
    case 2:
        jobs_pmix_ops.finalized(w->jobs, job, rank);
        break;
    case 3:
        jobs_pmix_ops.aborted(w->jobs, job, rank, more, "bad", "");
        break;
    case 4:
        ask_for_page(w, job, rank);
        break;
    case 5:
        jobs_reaped(w->jobs, FIRST_PID + (pid_t)rank,
                    more % 2 ? SIGSEGV : W_EXITCODE(more, 0), &usage);
        break;
    case 6:
        call_up(w, more, job, rank);
        break;
    case 7:
        jobs_tell(w->jobs);
    }
}

/* ------------------------------------------------------------------- world */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    listening = peers_listen(where);
    setenv("TMPDIR", peers_dir, 1);
    unsetenv("XDG_RUNTIME_DIR");
    return 0;
}

static void on_uplink(void *arg)
{
    (void)arg;
}

static void on_gone(void *arg, const struct err *why)
{
    (void)arg, (void)why;
}

static void send_up(void *arg, enum message_type type, const void *msg)
{
    uplink_send(((struct world *)arg)->node.uplink, type, msg);
}

static void world_open(struct world *w)
{
    static const struct conn_conf conn;
    struct err err;

    pids = 0;
    memset(calls, 0, sizeof(calls));
    refused_reset();
    assert(!node_init(&w->node, event_base_new(), "n0", &conn, &err));
    peers_open(&w->peers, w->node.base);
    w->jobs = jobs_create(&w->node, on_uplink, w, &err);
    w->node.yields = yields_open(w->node.base, w->jobs, &err);
    w->gather = (struct gather){ .jobs = w->jobs };
    w->node.hook = &jobmove_hook;
    node_serve_pmix(&w->node, &jobs_pmix_ops, w->jobs, 0);
    w->conf = (struct uplink_conf){ .addresses = where, .name = "n0",
        .mpi = "4", .conn = &conn, .lost_ns = UINT64_MAX };
    w->ops = (struct uplink_ops){ .routes = orders_routes,
        .nroutes = orders_nroutes, .routes_arg = w->jobs,
        .joined = on_uplink, .lost = on_uplink, .gone = on_gone };
    w->node.uplink = uplink_open(w->node.base, &w->conf, &w->ops, w, &err);
    w->node.exchange = exchange_create(w->node.uplink, &err);
    w->reduce_conf = (struct reduce_conf){
        .links = { .conn = &conn, .name = "n0", .dir = peers_dir },
        .kinds = gather_kinds, .nkinds = gather_nkinds, .arg = &w->gather,
        .send = send_up, .send_arg = w };
    w->node.reduce = reduce_open(w->node.base, &w->reduce_conf, &err);
    assert(w->jobs && w->node.yields && w->node.uplink && w->node.exchange &&
           w->node.reduce);
    peers_welcome(&w->peers, 0, listening);
}

static void world_close(struct world *w)
{
    struct event_base *base = w->node.base;

    reduce_close(w->node.reduce);
    yields_close(w->node.yields);
    jobs_destroy(w->jobs);
    node_close(&w->node);
    for (int i = 0; i < CALLS; i++)
        assert(!calls[i].open);         /* each was answered */
    uplink_close(w->node.uplink, on_uplink, NULL);
    peers_close(&w->peers);
    node_fini(&w->node);
    event_base_free(base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct step v[STEP_MAX];
    struct world w = { 0 };
    size_t n = steps_parse(v, data, size);

    world_open(&w);
    for (size_t i = 0; i < n; i++) {
        if (v[i].what == STEP_SPECIAL)
            fact(&w, &v[i]);
        else
            peers_step(&w.peers, 0, &v[i]);
        peers_turn(&w.peers);
    }
    world_close(&w);
    return 0;
}
