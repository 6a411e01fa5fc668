/* jobkeep.c - see jobkeep.h. */
#include "slave/move/jobkeep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/base/paths.h"
#include "proto/base/pipes.h"

struct jobkeep {
    struct jobkeep *next;
    uint64_t ticket;
    pid_t pid;
    int report, words;          /* owned: of its exec; what it says */
};

static void say_kept(const struct job *j, uint64_t ticket, const char *why)
{
    Hct__Kept m = HCT__KEPT__INIT;

    m.job = j->part.id;
    m.ticket = ticket;
    m.ok = !why;
    m.why = (char *)(uintptr_t)(why ? why : "");
    uplink_send(j->part.node->uplink, MESSAGE_KEPT, &m);
}

static void jobkeep_free(struct jobkeep *k)
{
    if (k->report >= 0)
        close(k->report);
    if (k->words >= 0)
        close(k->words);
    free(k);
}

/* What it reads, at its beginning; -1 with err. */
static int input_of(const struct job *j, const Hct__Keep *m, struct err *err)
{
    const ProtobufCBinaryData *b = &m->checkpoint;
    int fd;

    if (m->work != HCT__KEEP__WORK__SEAL)
        return fcntl(site_null(j->part.node->site), F_DUPFD_CLOEXEC, 3);
    fd = memfd_create("hector-checkpoint", MFD_CLOEXEC);
    if (fd < 0)
        return err_sys(err, "cannot make shared memory");
    if (b->len && (pwrite(fd, b->data, b->len, 0) != (ssize_t)b->len)) {
        close(fd);
        return err_sys(err, "cannot write to shared memory");
    }
    return fd;
}

static int start(struct job *j, struct jobkeep *k, char *const *argv, int in,
                 struct err *err)
{
    char *no_env[] = { NULL };
    struct exec_search search;
    struct launch_spec spec = {
        .search = &search, .env = no_env, .wdir = "/", .user = &j->user };

    if (exec_search_init(&search, argv, NULL, err))
        return -1;
    if (pipes_open(&k->words, &spec.fds[2], true)) {
        exec_search_fini(&search);
        return err_sys(err, "cannot make a pipe");
    }
    spec.fds[0] = in;
    spec.fds[1] = site_null(j->part.node->site);
    k->pid = launch_start(&spec, &k->report, err);
    close(spec.fds[2]);
    exec_search_fini(&search);
    return k->pid < 0 ? -1 : 0;
}

static int begin(struct job *j, struct jobkeep *k, const Hct__Keep *m,
                 struct err *err)
{
    static const char *const works[] = {
        [HCT__KEEP__WORK__BEGIN] = "begin", [HCT__KEEP__WORK__CHECK] = "check",
        [HCT__KEEP__WORK__SEAL] = "seal" };
    char program[PATHS_MAX], number[16], keep[16];
    char *argv[8] = { program };
    size_t n = 1;
    int in, rc;

    if ((unsigned)m->work >= sizeof(works) / sizeof(works[0]) || *m->dir != '/')
        return err_set(err, EPROTO, "Keep of work %d in %s", (int)m->work,
                       m->dir);
    if (paths_sibling("hector-keep", program, sizeof(program), err))
        return -1;
    snprintf(number, sizeof(number), "%u", m->number);
    argv[n++] = (char *)(uintptr_t)works[m->work];
    if (m->work == HCT__KEEP__WORK__BEGIN && j->plan->here == 0)
        argv[n++] = (char *)"--first";
    argv[n++] = m->dir;
    argv[n++] = number;
    if (m->work == HCT__KEEP__WORK__CHECK)
        argv[n++] = m->ranks;
    snprintf(keep, sizeof(keep), "%u", m->keep);
    if (m->work == HCT__KEEP__WORK__SEAL)
        argv[n++] = keep;
    in = input_of(j, m, err);
    if (in < 0)
        return -1;
    rc = start(j, k, argv, in, err);
    close(in);
    return rc;
}

int jobkeep_order(struct job *j, const Hct__Keep *m, struct err *err)
{
    struct jobkeep *k = calloc(1, sizeof(*k));
    struct err why = { 0 };

    if (!k)
        return err_memory(err);
    *k = (struct jobkeep){ .ticket = m->ticket, .report = -1, .words = -1 };
    if (!j->plan || begin(j, k, m, &why)) {
        say_kept(j, m->ticket, j->plan ? why.text : "it is not prepared");
        jobkeep_free(k);
        return 0;
    }
    k->next = j->keep;
    j->keep = k;
    return 0;
}

/* Its last words, or what can be said without any. */
static void take_words(const struct job *j, const struct jobkeep *k, int status,
                       char *to, size_t size)
{
    const char *node = j->part.node->name;
    char words[400];
    ssize_t n = read(k->words, words, sizeof(words) - 1);
    struct exec_report r;

    words[n > 0 ? n : 0] = '\0';
    words[strcspn(words, "\n")] = '\0';
    if (launch_report(k->report, &r) == 1)
        exec_sentence(&r, node, "hector-keep", "/", to, size);
    else if (*words)
        snprintf(to, size, "%s: %s", node, strncmp(words, "hector-keep: ", 13)
                                           ? words : words + 13);
    else if (WIFSIGNALED(status))
        snprintf(to, size, "%s: hector-keep was killed by signal %d", node,
                 WTERMSIG(status));
    else
        snprintf(to, size, "%s: hector-keep exited with code %d", node,
                 WEXITSTATUS(status));
}

bool jobkeep_reaped(struct job *j, pid_t pid, int status)
{
    struct jobkeep **at = &j->keep, *k;
    char why[600];

    while (*at && (*at)->pid != pid)
        at = &(*at)->next;
    k = *at;
    if (!k)
        return false;
    *at = k->next;
    if (status)
        take_words(j, k, status, why, sizeof(why));
    say_kept(j, k->ticket, status ? why : NULL);
    jobkeep_free(k);
    return true;
}

void jobkeep_drop(struct job *j)
{
    for (struct jobkeep *k; (k = j->keep); ) {
        j->keep = k->next;
        kill(-k->pid, SIGKILL);
        jobkeep_free(k);
    }
}
