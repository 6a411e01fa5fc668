/* stopper.c - brings a running job to stand again and again, at random moments, as
 * the master does: with its own stop_step(), on the pages of the tasks, which it
 * finds among the descriptors of slaves whose HECTOR_T is its own.
 *
 * While the job stands it is looked at whether that is so. At the end FILE is made,
 * and one line tells how it went.
 *
 * With STOPPER_SWAP in the environment all take another MPI library each time.
 *
 * usage: stopper TASKS STOPS MIN_MS MAX_MS SEED [FILE] */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "master/move/stop.h"
#include "mpi-wrappers/page.h"

enum { TASKS = 64, WAIT_S = 60, STOPS = 10000 };
#define LOAD(f) atomic_load_explicit(&(f), memory_order_acquire)

static struct task {
    struct page_header *page;
    struct page_stop *stop;
    struct stop_comm comms[PAGE_STOP_COMMS];
} tasks[TASKS];
static struct stop_task looked[TASKS];
static uint32_t ntasks;

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void nap(uint64_t ns)
{
    struct timespec t = { (time_t)(ns / 1000000000u),
                          (long)(ns % 1000000000u) };

    nanosleep(&t, NULL);
}

/* ---------------------------------------------------------------- the pages */

static bool is_ours(const char *pid)
{
    char path[300], text[65536];
    const char *wanted = getenv("HECTOR_T");
    size_t n;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%s/environ", pid);
    f = fopen(path, "r");
    if (!f)
        return false;
    n = fread(text, 1, sizeof(text) - 1, f);
    text[n] = '\0';
    fclose(f);
    for (char *p = text; p < text + n; p += strlen(p) + 1)
        if (strncmp(p, "HECTOR_T=", 9) == 0)
            return wanted && strcmp(p + 9, wanted) == 0;
    return false;
}

static void take_page(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct page_header *h;
    struct stat st;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_size > 65536) {
        h = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                 fd, 0);
        if (h != MAP_FAILED && h->magic == PAGE_MAGIC && h->rank < ntasks &&
            !tasks[h->rank].page) {
            tasks[h->rank].page = h;
            tasks[h->rank].stop = (struct page_stop *)(void *)
                ((char *)h + page_stop_at(h->slots, h->calls, h->ring_bytes));
        } else if (h != MAP_FAILED) {
            munmap(h, (size_t)st.st_size);
        }
    }
    close(fd);
}

static void look_for_pages(void)
{
    char path[600], to[300];
    DIR *all = opendir("/proc"), *fds;
    struct dirent *e, *d;

    while (all && (e = readdir(all))) {
        if (e->d_name[0] < '0' || e->d_name[0] > '9' || !is_ours(e->d_name))
            continue;
        snprintf(path, sizeof(path), "/proc/%s/fd", e->d_name);
        fds = opendir(path);
        while (fds && (d = readdir(fds))) {
            ssize_t n;

            snprintf(path, sizeof(path), "/proc/%s/fd/%s", e->d_name,
                     d->d_name);
            n = readlink(path, to, sizeof(to) - 1);
            if (n > 0 && (to[n] = '\0', strstr(to, "/memfd:")))
                take_page(path);
        }
        if (fds)
            closedir(fds);
    }
    if (all)
        closedir(all);
}

static bool all_there(void)
{
    for (uint32_t i = 0; i < ntasks; i++)
        if (!tasks[i].page || !LOAD(tasks[i].stop->signal))
            return false;
    return true;
}

/* ------------------------------------------------------------------- a look */

static void look_at(uint32_t rank)
{
    struct stop_task *k = &looked[rank];
    struct page_stop *p = tasks[rank].stop;
    pid_t pid = (pid_t)LOAD(tasks[rank].page->pid);
    uint32_t n;

    *k = (struct stop_task){ .comms = tasks[rank].comms };
    k->order = LOAD(p->order);
    k->where = (enum stop_where)LOAD(p->where);
    k->peer = LOAD(p->peer);
    k->unfinished = LOAD(p->unfinished);
    k->sent = LOAD(p->sent);
    k->received = LOAD(p->received);
    k->calls = LOAD(p->calls);
    n = LOAD(p->comms);
    for (uint32_t i = 0; i < n && i < PAGE_STOP_COMMS; i++) {
        struct stop_comm *c = &tasks[rank].comms[k->ncomms];

        c->id = LOAD(p->comm[i].id);
        c->entered = LOAD(p->comm[i].entered);
        c->target = LOAD(p->comm[i].target);
        c->size = LOAD(p->comm[i].size);
        if (!c->id)
            continue;
        if (k->where == STOP_AT_HELD && LOAD(p->gate) == i)
            k->gate = k->ncomms;
        k->ncomms++;
    }
    if (kill(pid, 0) != 0 && errno == ESRCH)
        k->where = STOP_AT_GONE;
}

static void look(struct stop_look *in)
{
    for (uint32_t i = 0; i < ntasks; i++)
        look_at(i);
    in->now_ns = now_ns();
    in->number++;
    in->tasks = looked;
    in->ntasks = ntasks;
}

/* ------------------------------------------------------------------- orders */

static void obey(const struct stop_orders *o)
{
    for (uint32_t i = 0; i < ntasks; i++) {
        struct page_stop *p = tasks[i].stop;

        for (uint32_t r = 0; r < o->nraises; r++)
            for (uint32_t c = 0; c < LOAD(p->comms); c++)
                if (LOAD(p->comm[c].id) == o->raises[r].comm &&
                    LOAD(p->comm[c].target) < o->raises[r].number)
                    atomic_store(&p->comm[c].target, o->raises[r].number);
        atomic_store(&p->word, (uint32_t)o->want);
        atomic_store(&p->order, o->number);
    }
    for (uint32_t s = 0; s < o->nsignals; s++) {
        uint32_t i = o->signals[s];

        syscall(SYS_tgkill, LOAD(tasks[i].page->pid), LOAD(tasks[i].stop->tid),
                LOAD(tasks[i].stop->signal));
    }
}

static void tell_all(enum page_stop_word word)
{
    for (uint32_t i = 0; i < ntasks; i++) {
        atomic_store(&tasks[i].stop->word, (uint32_t)word);
        atomic_store(&tasks[i].stop->order, (uint64_t)0);
    }
}

static bool any_frozen(void)
{
    for (uint32_t i = 0; i < ntasks; i++)
        if (LOAD(tasks[i].stop->where) == PAGE_AT_FROZEN)
            return true;
    return false;
}

static void show(void)
{
    for (uint32_t i = 0; i < ntasks; i++) {
        struct page_stop *p = tasks[i].stop;

        fprintf(stderr, "%u: pid %u where %u peer %d gate %u sent %lu received "
                "%lu unfinished %u kept %lu put off %u:", i,
                LOAD(tasks[i].page->pid), LOAD(p->where), LOAD(p->peer), LOAD(p->gate),
                (unsigned long)LOAD(p->sent), (unsigned long)LOAD(p->received),
                LOAD(p->unfinished), (unsigned long)LOAD(p->kept),
                LOAD(p->put_off));
        for (uint32_t c = 0; c < LOAD(p->comms); c++)
            if (LOAD(p->comm[c].id))
                fprintf(stderr, " %lx:%lu/%lu of %u",
                        (unsigned long)LOAD(p->comm[c].id) & 0xffff,
                        (unsigned long)LOAD(p->comm[c].entered),
                        (unsigned long)LOAD(p->comm[c].target),
                        LOAD(p->comm[c].size));
        fprintf(stderr, "\n");
    }
}

/* ------------------------------------------------------------------- a stop */

static uint64_t took_ns[STOPS], kept;
static uint32_t pushed, tried, retreats;

/* Nothing moves, and what was sent is there. */
static void check_still(struct stop_look *in)
{
    uint64_t sent[3], received[3];

    kept = 0;
    for (int k = 0; k < 3; k++) {
        look(in);
        sent[k] = received[k] = 0;
        for (uint32_t i = 0; i < ntasks; i++) {
            if (looked[i].where != STOP_AT_FROZEN || looked[i].unfinished) {
                show();
                printf("not ok: %u does not stand\n", i);
                exit(1);
            }
            sent[k] += looked[i].sent;
            received[k] += looked[i].received;
        }
        nap(1000000);
    }
    for (uint32_t i = 0; i < ntasks; i++)
        kept += LOAD(tasks[i].stop->kept);
    if (sent[0] != received[0] || sent[0] != sent[2] ||
        received[0] != received[2]) {
        show();
        printf("not ok: %lu sent, %lu received, later %lu, %lu\n",
               (unsigned long)sent[0], (unsigned long)received[0],
               (unsigned long)sent[2], (unsigned long)received[2]);
        exit(1);
    }
}

/* A new generation of the job. */
static void swap_all(void)
{
    static uint32_t generation;
    uint64_t until = now_ns() + WAIT_S * (uint64_t)1000000000u;

    generation++;
    for (uint32_t i = 0; i < ntasks; i++) {
        atomic_store(&tasks[i].stop->swap, (uint32_t)PAGE_SWAP_NONE);
        atomic_store(&tasks[i].stop->wanted, generation);
    }
    tell_all(PAGE_STOP_SWAP);
    for (uint32_t i = 0; i < ntasks; i++)
        while (LOAD(tasks[i].stop->swap) != PAGE_SWAP_UP ||
               LOAD(tasks[i].stop->generation) != generation) {
            if (now_ns() > until ||
                LOAD(tasks[i].stop->swap) == PAGE_SWAP_FAILED) {
                show();
                printf("not ok: %u has no generation %u: swap %u, %s\n", i,
                       generation, LOAD(tasks[i].stop->swap), tasks[i].stop->why);
                fflush(stdout);
                exit(1);
            }
            nap(1000000);
        }
}

/* Did it stand? If not it has come to its end. */
static bool stop_once(uint64_t *ns)
{
    const struct stop_options options = { .limit_ns = 20000000000u };
    struct stop *s = stop_create(ntasks, PAGE_STOP_COMMS, &options, NULL);
    struct stop_look in = { 0 };
    const struct stop_orders *o;
    uint64_t begun = now_ns(), wait;
    bool stood;

    do {
        look(&in);
        o = stop_step(s, &in);
        obey(o);
        wait = o->wake_ns > in.now_ns ? o->wake_ns - in.now_ns : 0;
        if (o->wake_ns)
            nap(wait > 100000 ? 100000 : wait);
    } while (o->wake_ns);
    *ns = now_ns() - begun;
    pushed += o->pushed;
    tried += o->tried;
    retreats += o->retreats;
    stood = o->state == STOP_STOPPED;
    if (stood) {
        check_still(&in);
        if (getenv("STOPPER_SWAP"))
            swap_all();
    } else if (o->why.reason != STOP_WHY_FINALIZED &&
               o->why.reason != STOP_WHY_GONE) {
        char text[STOP_WHY_TEXT];

        show();
        printf("not ok: given up: %s\n", stop_why_text(text, &o->why));
        tell_all(PAGE_STOP_RUN);
        exit(1);
    }
    tell_all(PAGE_STOP_RUN);
    while (any_frozen())
        nap(50000);
    stop_destroy(s);
    return stood;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    uint64_t until = now_ns() + WAIT_S * (uint64_t)1000000000u, all_kept = 0;
    int stops, n = 0;
    double least, most;
    uint32_t put_off = 0;

    if (argc < 6)
        return 2;
    ntasks = (uint32_t)atoi(argv[1]);
    stops = atoi(argv[2]);
    least = atof(argv[3]) * 1e6;
    most = atof(argv[4]) * 1e6;
    srand((unsigned)atoi(argv[5]));
    if (ntasks > TASKS || stops > STOPS)
        return 2;
    do {
        look_for_pages();
        nap(5000000);
    } while (!all_there() && now_ns() < until);
    if (!all_there()) {
        printf("not ok: there are no pages\n");
        return 1;
    }
    while (n < stops) {
        nap((uint64_t)(least + (most - least) * (rand() % 1000) / 1000));
        if (!stop_once(&took_ns[n]))
            break;
        all_kept += kept;
        n++;
    }
    if (argc > 6)
        close(open(argv[6], O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    for (uint32_t i = 0; i < ntasks; i++)
        put_off += LOAD(tasks[i].stop->put_off);
    qsort(took_ns, (size_t)n, sizeof(*took_ns), by_size);
    printf("%d stops: median %.1f ms, longest %.1f ms, %lu messages kept, "
           "%u + %u pushed, %u retreats, %u put off\n", n,
           n ? (double)took_ns[n / 2] / 1e6 : 0,
           n ? (double)took_ns[n - 1] / 1e6 : 0, (unsigned long)all_kept,
           pushed, tried, retreats, put_off);
    return 0;
}
