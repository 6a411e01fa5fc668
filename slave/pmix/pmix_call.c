/* pmix_call.c - what runs on PMIx's own thread.
 *
 * The upcalls copy what they are given into a struct pmixd_call, queue it
 * under the project's one mutex, write the eventfd and return. They look at
 * nothing of the slave's but the queue.
 *
 * The library keeps infos and keys of publish, lookup and unpublish alive
 * until their callback, so those are borrowed; fence data becomes ours. */
#include "slave/pmix/pmix_call.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* PMIx's upcalls carry no argument of ours, so there is one queue. */
static struct {
    pthread_mutex_t lock;       /* for the other fields */
    struct pmixd_call *head, **tail;
    bool awake;                 /* the eventfd has been written */
    int fd;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .tail = &queue.head,
            .fd = -1 };

int pmix_call_open(struct err *err)
{
    queue.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return queue.fd < 0 ? err_sys(err, "eventfd") : queue.fd;
}

void pmix_call_close(void)
{
    struct pmixd_call *c, *next;

    for (c = pmix_call_take(); c; c = next) {
        next = c->next;
        pmix_call_free(c);
    }
    if (queue.fd >= 0)
        close(queue.fd);
    queue.fd = -1;
}

struct pmixd_call *pmix_call_take(void)
{
    struct pmixd_call *c;
    uint64_t count;

    pthread_mutex_lock(&queue.lock);
    c = queue.head;
    queue.head = NULL;
    queue.tail = &queue.head;
    if (queue.awake && read(queue.fd, &count, sizeof(count)) < 0)
        abort();                /* whoever sets awake has written */
    queue.awake = false;
    pthread_mutex_unlock(&queue.lock);
    return c;
}

static struct pmixd_call *call_new(enum pmix_call_kind kind,
                                   const pmix_proc_t *proc)
{
    struct pmixd_call *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    c->kind = kind;
    if (proc)
        c->proc = *proc;
    return c;
}

void pmix_call_free(struct pmixd_call *c)
{
    if (!c)
        return;
    free(c->procs);
    free(c->data);
    free(c->text);
    free(c);
}

static pmix_status_t post(struct pmixd_call *c)
{
    uint64_t one = 1;

    pthread_mutex_lock(&queue.lock);
    *queue.tail = c;
    queue.tail = &c->next;
    if (!queue.awake && write(queue.fd, &one, sizeof(one)) < 0)
        abort();                /* an eventfd that is read cannot be full */
    queue.awake = true;
    pthread_mutex_unlock(&queue.lock);
    return PMIX_SUCCESS;
}

static int copy_procs(struct pmixd_call *c, const pmix_proc_t *procs,
                      size_t n)
{
    c->procs = calloc(n ? n : 1, sizeof(*procs));
    if (!c->procs)
        return -1;
    if (n)
        memcpy(c->procs, procs, n * sizeof(*procs));
    c->nprocs = n;
    return 0;
}

static pmix_status_t up_connected(const pmix_proc_t *proc, void *object,
                                  pmix_info_t info[], size_t ninfo,
                                  pmix_op_cbfunc_t cb, void *cbdata)
{
    struct pmixd_call *c = call_new(PMIX_CALL_CONNECTED, proc);

    (void)object, (void)info, (void)ninfo;
    if (!c)
        return PMIX_ERR_NOMEM;
    c->op = cb;
    c->cbdata = cbdata;
    return post(c);
}

static pmix_status_t up_finalized(const pmix_proc_t *proc, void *object,
                                  pmix_op_cbfunc_t cb, void *cbdata)
{
    struct pmixd_call *c = call_new(PMIX_CALL_FINALIZED, proc);

    (void)object;
    if (!c)
        return PMIX_ERR_NOMEM;
    c->op = cb;
    c->cbdata = cbdata;
    return post(c);
}

static pmix_status_t up_abort(const pmix_proc_t *proc, void *object,
                              int status, const char msg[],
                              pmix_proc_t procs[], size_t nprocs,
                              pmix_op_cbfunc_t cb, void *cbdata)
{
    struct pmixd_call *c = call_new(PMIX_CALL_ABORT, proc);

    (void)object;
    if (!c || copy_procs(c, procs, procs ? nprocs : 0))
        return pmix_call_free(c), PMIX_ERR_NOMEM;
    c->status = status;
    c->text = msg ? strdup(msg) : NULL;
    c->op = cb;
    c->cbdata = cbdata;
    return post(c);
}

static pmix_status_t post_fence(const char *what, const pmix_proc_t procs[],
                                size_t nprocs, char *data, size_t bytes,
                                pmix_modex_cbfunc_t modex,
                                pmix_op_cbfunc_t op, void *cbdata)
{
    struct pmixd_call *c = call_new(PMIX_CALL_FENCE, nprocs ? procs : NULL);

    if (!c || copy_procs(c, procs, nprocs))
        return pmix_call_free(c), PMIX_ERR_NOMEM;
    c->what = what;
    c->data = data;
    c->bytes = bytes;
    c->modex = modex;
    c->op = op;
    c->cbdata = cbdata;
    return post(c);
}

static pmix_status_t up_fence(const pmix_proc_t procs[], size_t nprocs,
                              const pmix_info_t info[], size_t ninfo,
                              char *data, size_t bytes,
                              pmix_modex_cbfunc_t cb, void *cbdata)
{
    (void)info, (void)ninfo;
    return post_fence("fence", procs, nprocs, data, bytes, cb, NULL, cbdata);
}

static pmix_status_t up_connect(const pmix_proc_t procs[], size_t nprocs,
                                const pmix_info_t info[], size_t ninfo,
                                pmix_op_cbfunc_t cb, void *cbdata)
{
    (void)info, (void)ninfo;
    return post_fence("connect", procs, nprocs, NULL, 0, NULL, cb, cbdata);
}

static pmix_status_t up_disconnect(const pmix_proc_t procs[], size_t nprocs,
                                   const pmix_info_t info[], size_t ninfo,
                                   pmix_op_cbfunc_t cb, void *cbdata)
{
    (void)info, (void)ninfo;
    return post_fence("disconnect", procs, nprocs, NULL, 0, NULL, cb, cbdata);
}

/* A group of tasks that is given a context ID (contextid.h). Who asks for none, or
 * leaves, waits for nobody on other nodes. */
static pmix_status_t up_group(pmix_group_operation_t op, char *id,
                              const pmix_proc_t procs[], size_t nprocs,
                              const pmix_info_t info[], size_t ninfo,
                              pmix_info_cbfunc_t cb, void *cbdata)
{
    const pmix_byte_object_t *endpoints = NULL;
    struct pmixd_call *c;
    bool wanted = false;

    for (size_t i = 0; i < ninfo; i++)
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_ASSIGN_CONTEXT_ID) ||
            PMIX_CHECK_KEY(&info[i], PMIX_EMBED_BARRIER))
            wanted = wanted || PMIX_INFO_TRUE(&info[i]);
        else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_ENDPT_DATA))
            endpoints = &info[i].value.data.bo;
    if (op != PMIX_GROUP_CONSTRUCT || !wanted)
        return PMIX_OPERATION_SUCCEEDED;
    c = call_new(PMIX_CALL_GROUP, nprocs ? procs : NULL);
    if (!c || copy_procs(c, procs, nprocs) || !(c->text = strdup(id)))
        return pmix_call_free(c), PMIX_ERR_NOMEM;
    if (endpoints && endpoints->size) {
        c->data = malloc(endpoints->size);
        if (!c->data)
            return pmix_call_free(c), PMIX_ERR_NOMEM;
        memcpy(c->data, endpoints->bytes, endpoints->size);
        c->bytes = endpoints->size;
    }
    c->group = cb;
    c->cbdata = cbdata;
    return post(c);
}

static pmix_status_t up_modex(const pmix_proc_t *proc,
                              const pmix_info_t info[], size_t ninfo,
                              pmix_modex_cbfunc_t cb, void *cbdata)
{
    struct pmixd_call *c = call_new(PMIX_CALL_MODEX, proc);

    (void)info, (void)ninfo;
    if (!c)
        return PMIX_ERR_NOMEM;
    c->modex = cb;
    c->cbdata = cbdata;
    return post(c);
}

static pmix_status_t up_publish(const pmix_proc_t *proc,
                                const pmix_info_t info[], size_t ninfo,
                                pmix_op_cbfunc_t cb, void *cbdata)
{
    struct pmixd_call *c = call_new(PMIX_CALL_PUBLISH, proc);

    if (!c)
        return PMIX_ERR_NOMEM;
    c->info = info;
    c->ninfo = ninfo;
    c->op = cb;
    c->cbdata = cbdata;
    return post(c);
}

static pmix_status_t up_lookup(const pmix_proc_t *proc, char **keys,
                               const pmix_info_t info[], size_t ninfo,
                               pmix_lookup_cbfunc_t cb, void *cbdata)
{
    struct pmixd_call *c = call_new(PMIX_CALL_LOOKUP, proc);

    if (!c)
        return PMIX_ERR_NOMEM;
    c->keys = keys;
    c->info = info;
    c->ninfo = ninfo;
    c->lookup = cb;
    c->cbdata = cbdata;
    return post(c);
}

static pmix_status_t up_unpublish(const pmix_proc_t *proc, char **keys,
                                  const pmix_info_t info[], size_t ninfo,
                                  pmix_op_cbfunc_t cb, void *cbdata)
{
    struct pmixd_call *c = call_new(PMIX_CALL_UNPUBLISH, proc);

    (void)info, (void)ninfo;
    if (!c)
        return PMIX_ERR_NOMEM;
    c->keys = keys;
    c->op = cb;
    c->cbdata = cbdata;
    return post(c);
}

static pmix_status_t up_spawn(const pmix_proc_t *proc,
                              const pmix_info_t job_info[], size_t ninfo,
                              const pmix_app_t apps[], size_t napps,
                              pmix_spawn_cbfunc_t cb, void *cbdata)
{
    struct pmixd_call *c = call_new(PMIX_CALL_SPAWN, proc);

    (void)job_info, (void)ninfo, (void)cb, (void)cbdata;
    if (c) {
        c->text = napps && apps[0].cmd ? strdup(apps[0].cmd) : NULL;
        post(c);
    }
    return PMIX_ERR_NOT_SUPPORTED;
}

/* Events among the tasks of a node are PMIx's own affair; we have none of
 * our own to offer. */
static pmix_status_t up_register_events(pmix_status_t *codes, size_t n,
                                        const pmix_info_t info[],
                                        size_t ninfo, pmix_op_cbfunc_t cb,
                                        void *cbdata)
{
    (void)codes, (void)n, (void)info, (void)ninfo, (void)cb, (void)cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t up_deregister_events(pmix_status_t *codes, size_t n,
                                          pmix_op_cbfunc_t cb, void *cbdata)
{
    (void)codes, (void)n, (void)cb, (void)cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t up_notify(pmix_status_t code, const pmix_proc_t *source,
                               pmix_data_range_t range, pmix_info_t info[],
                               size_t ninfo, pmix_op_cbfunc_t cb,
                               void *cbdata)
{
    (void)code, (void)source, (void)range, (void)info, (void)ninfo;
    (void)cb, (void)cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

/* What is not here is answered "not supported" by the library itself. */
static pmix_server_module_t module = {
    .client_connected2 = up_connected,
    .client_finalized = up_finalized,
    .abort = up_abort,
    .fence_nb = up_fence,
    .direct_modex = up_modex,
    .publish = up_publish,
    .lookup = up_lookup,
    .unpublish = up_unpublish,
    .spawn = up_spawn,
    .connect = up_connect,
    .disconnect = up_disconnect,
    .group = up_group,
    .register_events = up_register_events,
    .deregister_events = up_deregister_events,
    .notify_event = up_notify,
};

static void answered(enum pmix_call_kind kind, pmix_status_t status,
                     void *cbdata)
{
    struct pmixd_call *c = call_new(kind, NULL);

    if (!c)
        abort();                /* the job would wait for ever */
    c->job = (uint64_t)(uintptr_t)cbdata;
    c->status = status;
    post(c);
}

void pmix_call_registered(pmix_status_t status, void *cbdata)
{
    answered(PMIX_CALL_REGISTERED, status, cbdata);
}

void pmix_call_deregistered(pmix_status_t status, void *cbdata)
{
    answered(PMIX_CALL_DEREGISTERED, status, cbdata);
}

void pmix_call_fetched(pmix_status_t status, char *data, size_t bytes,
                       void *cbdata)
{
    struct pmixd_call *c = cbdata;

    c->status = status;
    if (status == PMIX_SUCCESS && bytes) {
        c->data = malloc(bytes);
        if (c->data)
            memcpy(c->data, data, bytes);
        else
            c->status = PMIX_ERR_NOMEM;
        c->bytes = c->data ? bytes : 0;
    }
    post(c);
}

pmix_status_t pmix_call_start(pmix_info_t *info, size_t n)
{
    sigset_t all, before;
    pmix_status_t rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = PMIx_server_init(&module, info, n);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

struct pmixd_call *pmix_call_new_fetch(uint64_t job, uint64_t ticket,
                                       uint32_t node)
{
    struct pmixd_call *c = call_new(PMIX_CALL_FETCHED, NULL);

    if (!c)
        return NULL;
    c->job = job;
    c->ticket = ticket;
    c->node = node;
    return c;
}
