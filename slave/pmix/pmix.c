/* pmix.c - the PMIx server that the tasks of this node talk to.
 *
 * All of this runs on the event loop; what PMIx says on its own thread comes
 * through pmix_call.c. Calls into the library that shift to that thread are
 * made with a callback, so the loop never waits for it, except in open and
 * close. */
#include "slave/pmix/pmix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmix.h>
#include <pmix_server.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/str.h"
#include "proto/link/timer.h"
#include "slave/pmix/admission.h"
#include "slave/pmix/contextid.h"
#include "slave/pmix/pmix_call.h"
#include "slave/pmix/pmix_log.h"
#include "slave/pmix/pmix_nspace.h"

const int pmixd_not_found = PMIX_ERR_NOT_FOUND;
const int pmixd_not_supported = PMIX_ERR_NOT_SUPPORTED;
const int pmixd_gone = PMIX_ERR_LOST_CONNECTION;

/* Asked for by the leak checker of a sanitized build: what the library keeps
 * until the process ends is not ours. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libpmix.so\nleak:libhwloc.so\n";
}

struct nspace {
    struct nspace *next;        /* of one job the latest first */
    uint64_t job;
    uint32_t serial;            /* as in the plan */
    char name[PMIX_MAX_NSLEN + 1];
    uint32_t ntasks;
    uint32_t here;              /* our node in the job */
    uid_t uid;
    pmix_info_t *info;          /* owned, until PMIx has read it */
    size_t ninfo;
    size_t waiting;             /* callbacks until it is registered */
    int status;
};

struct pmixd {
    const struct pmixd_ops *ops;
    void *arg;
    struct nspace *nspaces;     /* owned */
    struct event *wake;         /* owned */
    struct pmix_log *log;       /* owned */
    struct admission *admission; /* owned; NULL: everybody gets through */
    struct event *late;         /* owned: pending while an answer is due */
    uint64_t wait_ns;
    uint32_t groups;            /* that were to have a context ID */
    size_t leaving;             /* namespaces that are being deregistered */
    enum pmixd_health health;   /* torn: see pmixd_deregister() */
};

static struct nspace *nspace_of_job(const struct pmixd *p, uint64_t job)
{
    for (struct nspace *n = p->nspaces; n; n = n->next)
        if (n->job == job)
            return n;
    return NULL;
}

static struct nspace *nspace_of(const struct pmixd *p, const char *name)
{
    for (struct nspace *n = p->nspaces; n; n = n->next)
        if (!strncmp(n->name, name, PMIX_MAX_NSLEN))
            return n;
    return NULL;
}

/* ------------------------------------------------- does it answer at all? */

static bool owes(const struct pmixd *p)
{
    for (const struct nspace *n = p->nspaces; n; n = n->next)
        if (n->waiting)
            return true;
    return p->leaving != 0;
}

/* After something was asked, or answered: the time begins anew. */
static void tally_late(struct pmixd *p)
{
    if (p->health != PMIXD_STUCK && owes(p))
        timer_set(p->late, p->wait_ns);
    else
        event_del(p->late);
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
    struct pmixd *p = arg;

    (void)fd, (void)what;
    pmixd_drain(p);             /* it may be us who were late */
    if (event_pending(p->late, EV_TIMEOUT, NULL) || !owes(p))
        return;
    p->health = PMIXD_STUCK;
    log_warn("pmix", "the PMIx library has not answered for %.0f s: this "
             "process is of no use for other jobs", (double)p->wait_ns / 1e9);
    p->ops->stuck(p->arg);
}

enum pmixd_health pmixd_health(const struct pmixd *p)
{
    return p ? p->health : PMIXD_SOUND;
}

/* ------------------------------------------------------- what it says to us */

static void run_connected(struct pmixd *p, struct pmixd_call *c)
{
    struct nspace *n = nspace_of(p, c->proc.nspace);

    if (n && c->proc.rank < n->ntasks)
        p->ops->connected(p->arg, n->job, c->proc.rank);
    pmixd_answer(c, n ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND);
}

static void run_finalized(struct pmixd *p, struct pmixd_call *c)
{
    struct nspace *n = nspace_of(p, c->proc.nspace);

    if (n && c->proc.rank < n->ntasks)
        p->ops->finalized(p->arg, n->job, c->proc.rank);
    pmixd_answer(c, PMIX_SUCCESS);
}

/* The ranks of n among the participants, as text; "all" or a set. False if
 * somebody of another namespace is among them. */
static bool participants(const struct nspace *n, const struct pmixd_call *c,
                         struct str *text)
{
    struct taskset set = { 0 };
    bool all = false, ours = true;
    int len;

    for (size_t i = 0; i < c->nprocs; i++) {
        ours = ours && !strncmp(c->procs[i].nspace, n->name, PMIX_MAX_NSLEN);
        if (c->procs[i].rank == PMIX_RANK_WILDCARD)
            all = true;
        else if (c->procs[i].rank < n->ntasks)
            taskset_add(&set, c->procs[i].rank, c->procs[i].rank);
        else
            ours = false;
    }
    if (all || taskset_count(&set) == n->ntasks) {
        str_add(text, "all");
    } else if (set.n) {
        len = taskset_format(&set, NULL, 0);
        char *buf = malloc((size_t)len + 1);

        if (buf)
            taskset_format(&set, buf, (size_t)len + 1);
        str_add(text, buf ? buf : "all");
        free(buf);
    }
    taskset_fini(&set);
    return ours;
}

static void run_abort(struct pmixd *p, struct pmixd_call *c)
{
    struct nspace *n = nspace_of(p, c->proc.nspace);
    struct str ranks = { 0 };

    if (n && c->proc.rank < n->ntasks) {
        if (!participants(n, c, &ranks) ||
            !strcmp(str_text(&ranks), "all"))
            str_reset(&ranks);
        p->ops->aborted(p->arg, n->job, c->proc.rank, c->status,
                        c->text ? c->text : "", str_text(&ranks));
    }
    str_fini(&ranks);
    pmixd_answer(c, PMIX_SUCCESS);
}

static void run_fence(struct pmixd *p, struct pmixd_call *c)
{
    struct nspace *n = nspace_of(p, c->proc.nspace);
    struct str ranks = { 0 };

    if (!n)
        pmixd_answer(c, PMIX_ERR_NOT_FOUND);
    else if (!participants(n, c, &ranks))       /* two jobs together */
        pmixd_answer(c, PMIX_ERR_NOT_SUPPORTED);
    else
        p->ops->fence(p->arg, c, n->job, c->what, str_text(&ranks), c->data,
                      c->bytes);
    str_fini(&ranks);
}

/* A fence of its members, to which each node brings a context ID. */
static void run_group(struct pmixd *p, struct pmixd_call *c)
{
    struct nspace *n = nspace_of(p, c->proc.nspace);
    struct str ranks = { 0 }, what = { 0 }, data = { 0 };

    if (!n) {
        pmixd_answer(c, PMIX_ERR_NOT_FOUND);
    } else if (!participants(n, c, &ranks)) {       /* two jobs together */
        pmixd_answer(c, PMIX_ERR_NOT_SUPPORTED);
    } else {
        str_addf(&what, "group %s", c->text);
        contextid_pack(&data, n->here, ++p->groups, c->data, c->bytes);
        p->ops->fence(p->arg, c, n->job, str_text(&what), str_text(&ranks),
                      str_text(&data), data.n);
    }
    str_fini(&data);
    str_fini(&what);
    str_fini(&ranks);
}

static void run_modex(struct pmixd *p, struct pmixd_call *c)
{
    struct nspace *n = nspace_of(p, c->proc.nspace);

    if (n && c->proc.rank < n->ntasks)
        p->ops->modex(p->arg, c, n->job, c->proc.rank);
    else
        pmixd_answer(c, PMIX_ERR_NOT_FOUND);
}

static const char *range_name(pmix_data_range_t range)
{
    switch (range) {
    case PMIX_RANGE_NAMESPACE: return "namespace";
    case PMIX_RANGE_LOCAL:     return "local";
    case PMIX_RANGE_GLOBAL:    return "global";
    default:                   return "session";
    }
}

/* A value as bytes that another server of ours can unpack; NULL if not. */
static char *pack_value(const pmix_value_t *value, size_t *bytes)
{
    pmix_byte_object_t packed = { 0 };
    pmix_data_buffer_t buf;
    pmix_status_t rc;

    PMIX_DATA_BUFFER_CONSTRUCT(&buf);
    rc = PMIx_Data_pack(NULL, &buf, (void *)value, 1, PMIX_VALUE);
    if (rc == PMIX_SUCCESS)
        rc = PMIx_Data_unload(&buf, &packed);
    PMIX_DATA_BUFFER_DESTRUCT(&buf);
    *bytes = packed.size;
    return rc == PMIX_SUCCESS ? packed.bytes : NULL;
}

static void run_publish(struct pmixd *p, struct pmixd_call *c)
{
    struct nspace *n = nspace_of(p, c->proc.nspace);
    struct pmixd_item *items = calloc(c->ninfo ? c->ninfo : 1,
                                      sizeof(*items));
    const char *range = "session";
    size_t got = 0, bad = 0;
    bool once = false;

    for (size_t i = 0; items && i < c->ninfo; i++) {
        const pmix_info_t *info = &c->info[i];

        if (!strcmp(info->key, PMIX_PERSISTENCE))
            once = info->value.data.persist == PMIX_PERSIST_FIRST_READ;
        else if (!strcmp(info->key, PMIX_RANGE))
            range = range_name(info->value.data.range);
        else if (strncmp(info->key, "pmix.", 5)) {
            items[got].key = info->key;
            items[got].value = pack_value(&info->value, &items[got].bytes);
            bad += !items[got].value;
            got++;
        }
    }
    if (n && items && got && !bad)
        p->ops->publish(p->arg, c, n->job, c->proc.rank, items, got, once,
                        range);
    else
        pmixd_answer(c, n ? PMIX_ERR_BAD_PARAM : PMIX_ERR_NOT_FOUND);
    for (size_t i = 0; i < got; i++)
        free((void *)items[i].value);
    free(items);
}

static void run_lookup(struct pmixd *p, struct pmixd_call *c)
{
    struct nspace *n = nspace_of(p, c->proc.nspace);
    uint64_t timeout_ns = 0;
    bool wait = false;

    for (size_t i = 0; i < c->ninfo; i++) {
        if (!strcmp(c->info[i].key, PMIX_WAIT))
            wait = true;
        else if (!strcmp(c->info[i].key, PMIX_TIMEOUT) &&
                 c->info[i].value.data.integer > 0)
            timeout_ns = CLOCK_NS_PER_S *
                         (uint64_t)c->info[i].value.data.integer;
    }
    if (n && c->keys)
        p->ops->lookup(p->arg, c, n->job, c->keys, wait, timeout_ns);
    else
        pmixd_answer(c, PMIX_ERR_NOT_FOUND);
}

static void run_unpublish(struct pmixd *p, struct pmixd_call *c)
{
    struct nspace *n = nspace_of(p, c->proc.nspace);

    if (n)
        p->ops->unpublish(p->arg, c, n->job, c->proc.rank, c->keys);
    else
        pmixd_answer(c, PMIX_ERR_NOT_FOUND);
}

static void run_spawn(struct pmixd *p, struct pmixd_call *c)
{
    struct nspace *n = nspace_of(p, c->proc.nspace);

    if (n)
        p->ops->refused(p->arg, n->job, c->proc.rank,
                        c->text ? c->text : "a program");
    pmix_call_free(c);
}

static void run_fetched(struct pmixd *p, struct pmixd_call *c)
{
    p->ops->fetched(p->arg, c->job, c->ticket, c->node, c->status, c->data,
                    c->bytes);
    pmix_call_free(c);
}

static void run_registered(struct pmixd *p, struct pmixd_call *c)
{
    struct nspace *n = nspace_of_job(p, c->job);

    if (c->status != PMIX_SUCCESS && n && !n->status)
        n->status = c->status;
    if (n && --n->waiting == 0) {
        PMIX_INFO_FREE(n->info, n->ninfo);
        n->info = NULL;
        p->ops->registered(p->arg, n->job, n->status
                           ? PMIx_Error_string(n->status) : NULL);
    }
    tally_late(p);
    pmix_call_free(c);
}

static void run_deregistered(struct pmixd *p, struct pmixd_call *c)
{
    p->leaving--;
    tally_late(p);
    pmix_call_free(c);
}

void pmixd_drain(struct pmixd *p)
{
    static void (*const run[PMIX_CALL_KINDS])(struct pmixd *,
                                              struct pmixd_call *) = {
        [PMIX_CALL_CONNECTED] = run_connected,
        [PMIX_CALL_FINALIZED] = run_finalized,
        [PMIX_CALL_ABORT] = run_abort,
        [PMIX_CALL_FENCE] = run_fence,
        [PMIX_CALL_GROUP] = run_group,
        [PMIX_CALL_MODEX] = run_modex,
        [PMIX_CALL_PUBLISH] = run_publish,
        [PMIX_CALL_LOOKUP] = run_lookup,
        [PMIX_CALL_UNPUBLISH] = run_unpublish,
        [PMIX_CALL_SPAWN] = run_spawn,
        [PMIX_CALL_FETCHED] = run_fetched,
        [PMIX_CALL_REGISTERED] = run_registered,
        [PMIX_CALL_DEREGISTERED] = run_deregistered,
    };
    struct pmixd_call *next;

    for (struct pmixd_call *c = pmix_call_take(); c; c = next) {
        next = c->next;
        run[c->kind](p, c);
    }
}

static void on_wake(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    pmixd_drain(arg);
}

const char *pmixd_version(void)
{
    /* "OpenPMIx 4.2.2 (PMIx Standard: ...)" */
    static char text[32];
    const char *p = strpbrk(PMIx_Get_version(), "0123456789");

    snprintf(text, sizeof(text), "%.*s", p ? (int)strcspn(p, " ,(") : 1,
             p ? p : "?");
    return text;
}

/* How hwloc finds the topology. A plugin of it asks ten X displays for graphics
 * cards, and the name service for "localhost" each time: no task needs either,
 * and a slow name service costs seconds here. What is on the PCI bus says which
 * network card is near: where all of them are for TCP nobody asks, and reading
 * the bus takes longer than all else that is done here, since each word of it
 * is a trap in a virtual machine. */
static void choose_discovery(bool fast_fabric)
{
    setenv("HWLOC_COMPONENTS", fast_fabric ? "-gl" : "-gl,-pci,-linux:pci", 0);
}

static int start_server(const char *node, const struct site *site,
                        struct err *err)
{
    const char *dir = site_dir(site);
    char nspace[PMIX_MAX_NSLEN + 1];
    pmix_info_t info[7];
    pmix_rank_t rank = 0;
    pmix_status_t rc;
    bool yes = true;
    size_t n = 0;

    snprintf(nspace, sizeof(nspace), "hector-slave.%s", node);
    PMIX_INFO_LOAD(&info[n++], PMIX_SERVER_NSPACE, nspace, PMIX_STRING);
    PMIX_INFO_LOAD(&info[n++], PMIX_SERVER_RANK, &rank, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&info[n++], PMIX_SERVER_TMPDIR, dir, PMIX_STRING);
    PMIX_INFO_LOAD(&info[n++], PMIX_SYSTEM_TMPDIR, dir, PMIX_STRING);
    PMIX_INFO_LOAD(&info[n++], PMIX_HOSTNAME, node, PMIX_STRING);
    PMIX_INFO_LOAD(&info[n++], PMIX_SERVER_SHARE_TOPOLOGY, &yes, PMIX_BOOL);
    choose_discovery(site_fast_fabric(site));
    /* Not by way of shared memory: its locks are held by tasks as well, and
     * one that is killed while it has one blocks this server for ever. */
    setenv("PMIX_MCA_gds", "hash", 0);
    admission_expect();
    rc = pmix_call_start(info, n);
    for (size_t i = 0; i < n; i++)
        PMIX_INFO_DESTRUCT(&info[i]);
    return rc == PMIX_SUCCESS ? 0
         : err_set(err, EIO, "the PMIx server does not start: %s",
                   PMIx_Error_string(rc));
}

/* Of the tasks that may connect, and of the slave itself. */
static bool pmixd_may_connect(void *arg, uid_t uid)
{
    const struct pmixd *p = arg;
    const struct nspace *n = p->nspaces;

    while (n && n->uid != uid)
        n = n->next;
    return n || uid == geteuid();
}

static void pmixd_free(struct pmixd *p)
{
    if (p->wake)
        event_free(p->wake);
    timer_free(p->late);
    pmix_call_close();
    pmix_log_close(p->log);
    free(p);
}

struct pmixd *pmixd_open(struct event_base *base, const char *node,
                         const struct site *site, uint64_t wait_ns,
                         const struct pmixd_ops *ops, void *arg,
                         struct err *err)
{
    struct pmixd *p = calloc(1, sizeof(*p));
    struct err why;
    int fd, rc;

    if (!p)
        return err_memory(err), NULL;
    p->ops = ops;
    p->arg = arg;
    p->wait_ns = wait_ns;
    fd = pmix_call_open(err);
    if (fd < 0)
        return free(p), NULL;
    p->wake = event_new(base, fd, EV_READ | EV_PERSIST, on_wake, p);
    p->late = evtimer_new(base, on_late, p);
    if (!p->wake || !p->late || event_add(p->wake, NULL)) {
        err_memory(err);
        return pmixd_free(p), NULL;
    }
    p->log = pmix_log_open(base, err);
    if (!p->log)
        return pmixd_free(p), NULL;
    rc = start_server(node, site, err);
    pmix_log_started(p->log);
    if (!rc) {
        log_debug("pmix", "server started version=%s", pmixd_version());
        p->admission = admission_open(base, pmixd_may_connect, p, &why);
        if (!p->admission)
            log_warn("pmix", "strangers may keep tasks from their PMIx server: "
                     "%s", why.text);
        return p;
    }
    pmixd_free(p);
    return NULL;
}

static void nspace_free(struct nspace *n)
{
    if (n->info)
        PMIX_INFO_FREE(n->info, n->ninfo);
    free(n);
}

void pmixd_close(struct pmixd *p)
{
    struct nspace *next;

    if (!p)
        return;
    event_del(p->late);
    event_del(p->wake);
    if (p->health != PMIXD_SOUND)       /* its thread goes with the process */
        return;
    admission_close(p->admission);
    PMIx_server_finalize();
    for (struct nspace *n = p->nspaces; n; n = next) {
        next = n->next;
        nspace_free(n);
    }
    pmixd_free(p);
}

/* Count a step that will call back; one that is done at once does not. */
static int step(struct nspace *n, pmix_status_t rc)
{
    if (rc == PMIX_SUCCESS)
        n->waiting++;
    return rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED ? 0 : rc;
}

int pmixd_register(struct pmixd *p, const struct plan *plan,
                   const char *job_dir, struct err *err)
{
    const struct taskset *here = &plan_here(plan)->ranks;
    struct nspace *n = calloc(1, sizeof(*n));
    void *arg = (void *)(uintptr_t)plan->job;
    pmix_proc_t proc;
    int rc;

    if (!n)
        return err_memory(err);
    n->job = plan->job;
    n->serial = plan->serial;
    n->ntasks = plan->ntasks;
    n->here = (uint32_t)plan->here;
    n->uid = plan->uid;
    PMIX_LOAD_NSPACE(n->name, plan->nspace);
    if (pmix_nspace_info(plan, job_dir, &n->info, &n->ninfo, err))
        return nspace_free(n), -1;
    rc = step(n, PMIx_server_register_nspace(plan->nspace,
                  (int)taskset_count(here), n->info, n->ninfo,
                  pmix_call_registered, arg));
    for (int64_t r = -1; !rc && (r = taskset_next(here, r)) >= 0; ) {
        PMIX_LOAD_PROCID(&proc, plan->nspace, (pmix_rank_t)r);
        rc = step(n, PMIx_server_register_client(&proc, plan->uid, plan->gid,
                      NULL, pmix_call_registered, arg));
    }
    if (rc)
        return nspace_free(n), err_set(err, EIO, "PMIx does not take the "
                                       "job: %s", PMIx_Error_string(rc));
    n->next = p->nspaces;
    p->nspaces = n;
    tally_late(p);
    if (!n->waiting)
        p->ops->registered(p->arg, n->job, NULL);
    return 0;
}

/* When a client goes while PMIx answers its first words, PMIx (4.2, mended in
 * later ones) releases its record of that rank once too often: what frees the
 * list with it waits for ever for a lock in memory that is something else by
 * now. So it may when clients go that are in a fence: each that goes may end it
 * once more, and its record is released by each. Such a list is left to the end
 * of the process, which is to be soon, and so is the library's thread. */
static void nspace_leave(struct pmixd *p, struct nspace *n, bool torn)
{
    if (!torn && p->health != PMIXD_STUCK) {
        p->leaving++;
        PMIx_server_deregister_nspace(n->name, pmix_call_deregistered, NULL);
    }
    if (n->waiting)
        n->info = NULL;         /* the library may be reading it */
    tally_late(p);
    nspace_free(n);
}

void pmixd_deregister(struct pmixd *p, uint64_t job, bool torn)
{
    struct nspace **at = &p->nspaces, *n;

    if (torn && p->health == PMIXD_SOUND)
        p->health = PMIXD_TORN;
    while ((n = *at))
        if (n->job == job) {
            *at = n->next;
            nspace_leave(p, n, torn);
        } else {
            at = &n->next;
        }
}

void pmixd_keep_only(struct pmixd *p, uint64_t job, uint32_t serial)
{
    struct nspace **at = &p->nspaces, *n;

    while ((n = *at))
        if (n->job == job && n->serial != serial) {
            *at = n->next;
            nspace_leave(p, n, false);
        } else {
            at = &n->next;
        }
}

int pmixd_setup_env(struct pmixd *p, uint64_t job, uint32_t rank,
                    struct env *env, struct err *err)
{
    struct nspace *n = nspace_of_job(p, job);
    pmix_proc_t proc;
    pmix_status_t rc;

    if (!n)
        return err_set(err, ENOENT, "job %llu is not registered with PMIx",
                       (unsigned long long)job);
    PMIX_LOAD_PROCID(&proc, n->name, rank);
    rc = PMIx_server_setup_fork(&proc, &env->v);
    return rc == PMIX_SUCCESS ? 0
         : err_set(err, EIO, "PMIx prepares no environment: %s",
                   PMIx_Error_string(rc));
}

int pmixd_fetch(struct pmixd *p, uint64_t job, uint32_t rank,
                uint64_t ticket, uint32_t to_node, struct err *err)
{
    struct nspace *n = nspace_of_job(p, job);
    struct pmixd_call *c;
    pmix_proc_t proc;
    pmix_status_t rc;

    if (!n)
        return err_set(err, ENOENT, "job %llu is not registered with PMIx",
                       (unsigned long long)job);
    c = pmix_call_new_fetch(job, ticket, to_node);
    if (!c)
        return err_memory(err);
    PMIX_LOAD_PROCID(&proc, n->name, rank);
    rc = PMIx_server_dmodex_request(&proc, pmix_call_fetched, c);
    if (rc == PMIX_SUCCESS)
        return 0;
    pmix_call_free(c);
    return err_set(err, EIO, "PMIx: %s", PMIx_Error_string(rc));
}
