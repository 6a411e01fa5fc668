/* world.c - one adopted world on this node.
 *
 * Invariants: a ring is read only when the world's job is known, as its
 * records carry the number. TaskExited is the last word on a task and is said
 * when its process is gone, its ring empty and every record committed. */
#include "slave/jobs/world.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/str.h"
#include "slave/page/tally.h"
#include "slave/proc/procstate.h"
#include "slave/proc/reap.h"
#include "slave/vault/vault.h"

struct world *world_create(const struct world_owner *owner, const char *name,
                           const struct part_ops *ops)
{
    struct world *w = calloc(1, sizeof(*w));

    if (!w)
        return NULL;
    w->part = (struct part){ .ops = ops, .node = owner->node,
                             .user = owner->user };
    w->owner = owner;
    w->name = strdup(name);
    return w->name ? w : (free(w), NULL);
}

static void signal_task(const struct adopted *a, int sig)
{
    if (!a->task.over)
        syscall(SYS_pidfd_send_signal, a->pidfd, sig, NULL, 0);
}

static void prioritize(struct adopted *a, const struct schedule *s)
{
    if (a->task.over || !s->asked)
        return;
    vault_shares(a->task.tally.records.ledger, a->task.pid);
    schedule_process(s, a->task.pid);
    task_shares(&a->task, s);
    if (a->taken)
        task_tell(&a->task, a->world->owner->node, a->world->part.id);
}

void world_prioritize(struct world *w, const struct schedule *s)
{
    for (struct adopted *a = w->tasks; a; a = a->next)
        prioritize(a, s);
}

/* As far as the kernel lets us. */
static void give_back(const struct adopted *a)
{
    const struct priority none = { 0 };
    struct schedule back;

    if (!a->task.share.applied)
        return;
    back = *a->world->owner->schedule;
    schedule_want(&back, &none);
    schedule_process(&back, a->task.pid);
}

/* Whom nobody watches any more goes on: nobody could let it. */
static void adopted_free(struct adopted *a)
{
    if (a->task.held && !a->task.by_others)
        signal_task(a, SIGCONT);
    if (!a->task.over)
        give_back(a);
    if (a->gone)
        event_free(a->gone);
    if (a->pidfd >= 0)
        close(a->pidfd);
    task_fini(&a->task);
    origin_fini(&a->origin);
    free(a);
}

void world_destroy(struct world *w)
{
    if (!w)
        return;
    while (w->tasks) {
        struct adopted *a = w->tasks;

        w->tasks = a->next;
        adopted_free(a);
    }
    account_fini(&w->account);
    free(w->name);
    free(w);
}

void world_drop(struct adopted *a)
{
    for (struct adopted **at = &a->world->tasks; *at; at = &(*at)->next)
        if (*at == a) {
            *at = a->next;
            break;
        }
    adopted_free(a);
}

struct adopted *world_find(const struct world *w, uint32_t rank)
{
    for (struct adopted *a = w->tasks; a && a->task.rank <= rank; a = a->next)
        if (a->task.rank == rank)
            return a;
    return NULL;
}

/* ---------------------------------------------------------------- reading */

static struct tally_sink sink_of(struct world *w)
{
    struct node *node = w->part.node;

    return reading_sink(node->reading, node->uplink, &w->account.sites,
                        &w->losses_told, w->owner->streams);
}

static void sample_process(const struct node *node, struct task *t)
{
    struct sample_proc proc = { 0 };
    struct sample_page page;

    if (t->over || sample_proc_read(t->pid, true, &proc))
        return;
    tally_counters(&t->tally, &node->ticks, &page);
    sample_split_add(&t->tally.split, proc.cpu_ns, page.in_ns, page.out_ns);
    t->user_ns = proc.cpu_ns;   /* nobody tells us the parts */
    if (proc.rss_bytes > t->max_rss_bytes)
        t->max_rss_bytes = proc.rss_bytes;
}

void world_use(struct part *p, struct task *t, struct sample_proc *out)
{
    sample_process(p->node, t);
    out->cpu_ns = t->user_ns;
    out->rss_bytes = t->max_rss_bytes;
}

/* What the page says of MPI_Init, the world, and MPI_Finalize. */
static void read_state(struct adopted *a)
{
    const struct page_header *h = (const void *)a->task.tally.page;
    struct task *t = &a->task;
    uint32_t state = atomic_load_explicit(&h->state, memory_order_acquire);
    struct task_given given = { t->rank, a->ntasks, NULL };

    task_check_world(t, &given);
    if (state >= PAGE_STATE_RUNNING && !(t->facts & TASK_CONNECTED))
        task_connected(t);
    if (state >= PAGE_STATE_DONE && !(t->facts & TASK_FINALIZED)) {
        /* There may be no later time to. */
        sample_process(a->world->part.node, t);
        task_finalized(t);
    }
}

/* Its costs have been told, with names. */
static bool accounted(struct adopted *a)
{
    struct account_of o = part_account(&a->world->part);
    struct tally *w = &a->task.tally;

    if (!a->accounted)
        account_tell(&o, &w, 1);
    a->accounted = true;
    return account_close(&o);
}

/* Whether the last word on a task that is gone can be said. */
static bool finished(struct adopted *a)
{
    const struct tally *w = &a->task.tally;

    return a->task.over && !tally_pending(w) && records_empty(&w->records) &&
           accounted(a);
}

/* Its parent, who is told, is another: we see it now and then, while it stands at
 * each reading. */
static void see_stood(struct adopted *a)
{
    struct task *t = &a->task;
    int stands = t->over ? -1 : procstate_stands(t->pid, &a->stood_cpu_ns);

    if (stands >= 0 && task_stood(t, stands ? SIGTSTP : 0) && a->taken)
        task_tell(t, a->world->owner->node, a->world->part.id);
}

void world_see(struct world *w)
{
    for (struct adopted *a = w->tasks; a; a = a->next)
        see_stood(a);
}

static long read_task(struct adopted *a, const struct tally_sink *sink)
{
    const struct world_owner *o = a->world->owner;
    struct str *lines = reading_lines(o->node->reading);
    struct task *t = &a->task;
    long found;

    read_state(a);
    if (t->by_others)
        see_stood(a);
    if (!a->taken) {            /* the master may take its time to say so */
        tally_beat(&t->tally);
        return 0;
    }
    found = tally_read(&t->tally, sink);
    if (o->streams && lines->n) {
        streams_say(o->streams, o->here, HCT__STREAM__STREAM_STDTIM,
                    str_text(lines), lines->n);
        str_reset(lines);
    }
    if (finished(a))
        t->facts |= TASK_EXITED;
    if (t->facts != t->told)
        task_tell(t, o->node, a->world->part.id);
    return found;
}

long world_read(struct world *w)
{
    struct tally_sink sink = sink_of(w);
    long found = 0;

    /* The tasks wait for who reads the lines. */
    if (w->owner->streams && streams_congested(w->owner->streams))
        sink.hold = true;
    for (struct adopted *a = w->tasks; a; a = a->next)
        if (!(a->task.told & TASK_EXITED))
            found += read_task(a, &sink);
    return found;
}

bool world_has_pages(const struct world *w)
{
    for (const struct adopted *a = w->tasks; a; a = a->next)
        if (!(a->task.told & TASK_EXITED))
            return true;
    return false;
}

bool world_is_over(const struct world *w)
{
    return !world_has_pages(w);
}

/* ------------------------------------------------------- coming and going */

/* Its parent is told; we may be. MPI's own words for what it failed in are many,
 * and none of ours. */
static void note_end(struct task *t, int status)
{
    struct str in_init = { 0 };

    if (!(t->facts & TASK_CONNECTED)) {
        str_addf(&in_init, "ended in MPI_Init of %.*s",
                 (int)strcspn(t->mpi, ",\n"), t->mpi);
        t->why = str_take(&in_init);
    }
    t->untold = status < 0;
    if (t->untold)
        return;
    if (WIFSIGNALED(status)) {
        t->sig = WTERMSIG(status);
        t->core = WCOREDUMP(status);
    } else {
        t->code = WEXITSTATUS(status);
    }
}

static void on_gone(evutil_socket_t fd, short what, void *arg)
{
    struct adopted *a = arg;
    const struct world_owner *o = a->world->owner;

    (void)fd, (void)what;
    event_del(a->gone);
    ticks_update(&o->node->ticks);
    read_state(a);
    /* Whoever has a page has entered MPI. */
    if (!(a->task.facts & TASK_FINALIZED))
        a->task.nconnected = a->task.nfinalized + 1;
    a->task.over = true;
    vault_shares(a->task.tally.records.ledger, 0);
    note_end(&a->task, reap_other(a->pidfd, a->task.pid));
    account_end(&a->task.tally);
    a->task.exited_ns = clock_wall_ns();
    log_info("world", "gone session=%llu rank=%u pid=%d",
             (unsigned long long)o->session, a->task.rank, (int)a->task.pid);
    world_read(a->world);
    o->moved(o->arg);
}

/* The process waits for our answer, so its number is its own still. */
static int tally_process(struct adopted *a, struct err *err)
{
    a->pidfd = (int)syscall(SYS_pidfd_open, a->task.pid, 0);
    if (a->pidfd < 0)
        return err_sys(err, "cannot watch process %d", (int)a->task.pid);
    a->gone = event_new(a->world->owner->node->base, a->pidfd,
                        EV_READ | EV_PERSIST, on_gone, a);
    if (!a->gone || event_add(a->gone, NULL))
        return err_memory(err);
    return 0;
}

int world_add(struct world *w, const struct page_hello *hello, pid_t pid,
              struct origin *origin, struct err *err)
{
    struct adopted *a = calloc(1, sizeof(*a)), **at = &w->tasks;
    const struct world_owner *o = w->owner;
    struct tally_sink sink = sink_of(w);
    int fd;

    if (!a) {
        origin_fini(origin);
        return err_memory(err);
    }
    a->world = w;
    a->pidfd = -1;
    a->origin = *origin;
    task_init(&a->task, w->part.id ? w->part.id : o->session, hello->rank,
              reading_window(o->node->reading));
    a->task.pid = pid;
    fd = tally_process(a, err) ? -1
         : tally_attach(&a->task.tally, pid, hello->ntasks, &sink, err);
    if (fd < 0) {
        adopted_free(a);
        return -1;
    }
    a->ntasks = hello->ntasks;
    task_new_program(&a->task, hello->mpi, sizeof(hello->mpi));
    a->at_ns = a->task.init_ns = clock_wall_ns();
    a->task.facts = TASK_IN_INIT;
    if (hello->ntasks > w->part.ntasks)
        w->part.ntasks = hello->ntasks;
    while (*at && (*at)->task.rank < hello->rank)
        at = &(*at)->next;
    a->next = *at;
    *at = a;
    log_info("world", "registered session=%llu rank=%u pid=%d world=%s",
             (unsigned long long)o->session, hello->rank, (int)pid, w->name);
    prioritize(a, o->schedule);
    world_ask(a);
    return fd;
}

void world_ask(struct adopted *a)
{
    const struct world *w = a->world;
    Hct__Adopt m = HCT__ADOPT__INIT;

    m.job = w->owner->session;
    m.world = w->name;
    m.ntasks = w->part.ntasks;
    m.rank = a->task.rank;
    m.pid = (uint32_t)a->task.pid;
    m.at_ns = a->at_ns;
    m.name = (char *)str_text(&a->origin.name);
    m.command = (char *)str_text(&a->origin.command);
    m.known = w->part.id;
    a->taken = false;
    a->task.told = 0;
    a->world->account.names_sent = 0;
    uplink_send(w->owner->node->uplink, MESSAGE_ADOPT, &m);
}

/* Also after a reconnection: whatever got lost on the way is said again. */
void world_take(struct adopted *a, uint64_t job)
{
    struct task *t = &a->task;
    struct records_out out = reading_out(a->world->part.node->uplink);
    struct tally *w = &t->tally;
    struct account_of o;

    a->world->part.id = t->tally.job = t->tally.records.job = job;
    a->taken = true;
    t->told = 0;
    t->held_news = t->held_ns != 0;
    t->share_news = t->share.applied;
    records_resend(&t->tally.records, &out);
    profile_forget_sent(&t->tally.profile);
    o = part_account(&a->world->part);
    account_tell(&o, &w, 1);
    task_tell(t, a->world->owner->node, job);
}

/* ---------------------------------------------------------------- signals */

static void hold_task(struct adopted *a, bool held)
{
    if (a->task.over)
        return;
    task_held(&a->task, held);
    a->task.by_others = false;
    vault_stop(a->task.tally.records.ledger, held ? a->task.pid : 0);
    if (a->taken)
        task_tell(&a->task, a->world->owner->node, a->world->part.id);
}

void world_signal(struct world *w, const struct taskset *set, int sig,
                  bool dying)
{
    for (struct adopted *a = w->tasks; a; a = a->next)
        if (taskset_has(set, a->task.rank)) {
            a->dying |= dying;
            if (sig == SIGCONT)
                task_go_on(&a->task);
            signal_task(a, sig);
            if (sig == SIGSTOP || sig == SIGCONT)
                hold_task(a, sig == SIGSTOP);
        }
}

void world_kill_dying(struct world *w)
{
    for (struct adopted *a = w->tasks; a; a = a->next)
        if (a->dying)
            signal_task(a, SIGKILL);
}
