/* attach.c - registration with the slave, see the end of page.h.
 *
 * Runs inside the application's MPI_Init, so it is careful with everything
 * that is not ours: no output, no signal, no descriptor left open or
 * inherited, no longer than was allowed, and errno comes back as it was. */
#include "mpi-wrappers/record/attach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi-wrappers/dial.h"
#include "mpi-wrappers/record/ring.h"
#include "mpi-wrappers/table/calls.h"

/* The first of these variables that holds a number; none if there is none. */
static uint64_t env_number(const char *const *names, uint64_t none)
{
    for (; *names; names++) {
        const char *s = getenv(*names);
        char *end;
        unsigned long long v;

        if (!s || *s < '0' || *s > '9')
            continue;
        errno = 0;
        v = strtoull(s, &end, 10);
        if (*end == '\0' && errno == 0)
            return v;
    }
    return none;
}

void attach_who(struct attach_who *who)
{
    static const char *const job[] = { "HECTOR_JOB", NULL };
    static const char *const rank[] = { "HECTOR_RANK", "OMPI_COMM_WORLD_RANK",
        "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", NULL };
    static const char *const ntasks[] = { "HECTOR_NTASKS",
        "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL };

    who->job = env_number(job, 0);
    who->rank = (uint32_t)env_number(rank, UINT32_MAX);
    who->ntasks = (uint32_t)env_number(ntasks, 0);
}

static void fill_hello(struct page_hello *hello, const char *mpi)
{
    struct attach_who who;

    attach_who(&who);
    memset(hello, 0, sizeof(*hello));
    hello->magic = PAGE_MAGIC;
    hello->major = PAGE_MAJOR;
    hello->minor = PAGE_MINOR;
    hello->job = who.job;
    hello->rank = who.rank;
    hello->ntasks = who.ntasks;
    hello->pid = (uint32_t)getpid();
    if (mpi) {                  /* "Open MPI v4.1.4, package: ..." */
        size_t n = strcspn(mpi, ",\n");

        memcpy(hello->mpi, mpi, n < sizeof(hello->mpi) ? n
                                                       : sizeof(hello->mpi) - 1);
    }
}

int attach_check(struct attach *a, struct page_header *page, size_t bytes)
{
    uint32_t ring = page->ring_bytes;

    if (page->magic != PAGE_MAGIC || page->major != PAGE_MAJOR ||
        page->bytes > bytes || page->slots < 1 ||
        page->slots > PAGE_SLOTS || page->calls < CALL_END ||
        page->calls > PAGE_CALLS || ring < RING_BYTES_MIN ||
        (ring & (ring - 1)) != 0 ||
        page_bytes(page->slots, page->calls, ring) > page->bytes)
        return EPROTO;
    *a = (struct attach){ .page = page, .bytes = bytes, .slots = page->slots,
                          .calls = page->calls, .ring_bytes = ring,
                          .what = page->what };
    return 0;
}

static int map_page(struct attach *a, int memfd, uint64_t bytes)
{
    struct stat st;
    void *p;
    int code;

    if (bytes < page_bytes(1, CALL_END, RING_BYTES_MIN) || bytes > SIZE_MAX / 2)
        return EPROTO;
    if (fstat(memfd, &st) != 0)
        return errno;
    if ((uint64_t)st.st_size < bytes)   /* or reading past it would kill us */
        return EPROTO;
    p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    if (p == MAP_FAILED)
        return errno;
    code = attach_check(a, p, bytes);
    if (code)
        munmap(p, bytes);
    return code;
}

bool attach_wanted(void)
{
    const char *path = getenv("HECTOR_SLAVE");

    return path && *path;
}

int attach_open(struct attach *a, const char *mpi, int limit_ms)
{
    const char *path = getenv("HECTOR_SLAVE");
    struct page_hello hello;
    struct page_grant grant;
    int saved = errno, memfd = -1, code;

    if (!attach_wanted())
        return ENOENT;
    fill_hello(&hello, mpi);
    code = dial(path, &hello, sizeof(hello), &grant, sizeof(grant), &memfd,
                limit_ms);
    if (!code && grant.magic != PAGE_MAGIC)
        code = EPROTO;
    if (!code && grant.status)
        code = (int)grant.status;
    if (!code && memfd < 0)
        code = EPROTO;
    if (!code)
        code = map_page(a, memfd, grant.bytes);
    if (memfd >= 0)
        close(memfd);
    errno = saved;
    return code;
}
