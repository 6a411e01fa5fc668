/* restore_check.c - can this image become a process here? See restore_check.h. */
#include "mpi-wrappers/restore/restore_check.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "mpi-wrappers/image/image_cpu.h"
#include "mpi-wrappers/image/image_elf.h"
#include "mpi-wrappers/image/image_text.h"
#include "mpi-wrappers/image/sys.h"
#include "mpi-wrappers/restore/restore_files.h"
#include "mpi-wrappers/restore/restore_shape.h"

#define DAMAGED "is damaged: "
#define ANOTHER "; take another image"

static bool hash_is(const void *data, uint64_t bytes, const uint8_t *hash)
{
    struct image_blake3 s;
    uint8_t is[IMAGE_HASH];

    image_blake3_begin(&s, false);
    image_blake3_add(&s, data, bytes);
    image_blake3_end(&s, is);
    return memcmp(is, hash, IMAGE_HASH) == 0;
}

void restore_check_head(const struct restore *r)
{
    const struct image_head *h = &r->head;
    char version[24], ours[24];
    struct image_text t;

    if (memcmp(h->magic, IMAGE_MAGIC, sizeof(h->magic)) != 0)
        restore_refuse(r, "is no image of a process", NULL);
    if (h->version != IMAGE_VERSION) {
        image_text_begin(&t, version, sizeof(version));
        image_text_number(&t, h->version);
        image_text_begin(&t, ours, sizeof(ours));
        image_text_number(&t, IMAGE_VERSION);
        restore_refuse(r, "is an image of version ", version, ", and this "
                       "hector-restore knows version ", ours, " alone: use "
                       "the one of the Hector that wrote it", NULL);
    }
    if (h->bytes != sizeof(*h) ||
        !hash_is(h, offsetof(struct image_head, hash), h->hash) ||
        !restore_shape_fits(h))
        restore_refuse(r, DAMAGED "its head is not what was written" ANOTHER,
                       NULL);
}

void restore_check_tables(const struct restore *r)
{
    if (!hash_is(r->tables, r->head.tables_bytes, r->head.tables_hash))
        restore_refuse(r, DAMAGED "its tables are not what was written"
                       ANOTHER, NULL);
    if (!restore_shape_good(r))
        restore_refuse(r, DAMAGED "its tables make no sense" ANOTHER, NULL);
}

/* "4.19.0-21" is older than "5.10.0" and "4.19.1". */
static bool is_older(const char *release, const char *than)
{
    for (int i = 0; i < 3; i++) {
        uint64_t a = image_text_decimal(&release);
        uint64_t b = image_text_decimal(&than);

        if (a != b)
            return a < b;
        if (*release++ != '.' || *than++ != '.')
            break;
    }
    return false;
}

bool restore_check_here(const struct restore *r, struct cpu_set *cpu,
                        struct image_layout *l)
{
    uint64_t narrow = cpu_states(CPU_AVX) | 1;

    cpu_read(cpu);
    if (!image_cpu_layout(l))
        return false;
    for (size_t i = 0; r->narrow && i < cpu_nfeatures; i++)
        if (cpu_states(cpu_features[i].states) & ~narrow)
            cpu->has[cpu_features[i].word] &= ~(1u << cpu_features[i].bit);
    if (r->narrow)
        l->states &= narrow;
    return true;
}

static void check_machine(const struct restore *r)
{
    const struct image_head *h = &r->head;
    char why[192] = "of x86-64";
    struct image_layout layout;
    struct cpu_set here;
    struct utsname kernel;

    if (!restore_check_here(r, &here, &layout) ||
        !image_cpu_serves(&here, &layout, &h->cpu, why, sizeof(why)))
        restore_refuse(r, "needs a processor ", why, ": choose a node like the "
                       "one it was started on", NULL);
    sys(SYS_uname, &kernel);
    if (is_older(kernel.release, h->release))
        restore_refuse(r, "was made with Linux ", h->release, ", and this is "
                       "the older ", kernel.release, ": choose another node",
                       NULL);
}

static void check_user(const struct restore *r)
{
    char theirs[24], ours[24];
    struct image_text t;
    uint32_t user = (uint32_t)sys(SYS_geteuid);

    if (user == r->head.user)
        return;
    image_text_begin(&t, theirs, sizeof(theirs));
    image_text_number(&t, r->head.user);
    image_text_begin(&t, ours, sizeof(ours));
    image_text_number(&t, user);
    restore_refuse(r, "is of user ", theirs, ", and this is user ", ours,
                   ": only they can go on with it", NULL);
}

static void check_told(const struct restore *r)
{
    uint64_t bytes = strlen(r->tell);

    if (bytes && !r->head.told)
        restore_refuse(r, "does not want to be told anything (--tell)", NULL);
    if (bytes && bytes >= r->head.told_bytes)
        restore_refuse(r, "has no room for all that it shall be told (--tell)",
                       NULL);
}

static void check_mapped(const struct restore *r, const struct image_mapped *m,
                         bool contents)
{
    const char *name = r->names + m->name;
    int fd = sys_open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    uint8_t id[IMAGE_BUILD_ID];
    struct stat st;
    char buf[32];
    bool same;

    if (fd < 0)
        restore_refuse(r, "needs ", name, ", but ",
                       restore_error(fd, buf, sizeof(buf)),
                       ": put it back, or choose another node", NULL);
    sys(SYS_fstat, fd, &st);
    if (!contents)
        same = (uint64_t)st.st_size >= m->bytes;
    else if (m->id_bytes)
        same = (uint64_t)st.st_size == m->bytes &&
               image_elf_id(fd, id, sizeof(id)) == m->id_bytes &&
               memcmp(id, m->id, m->id_bytes) == 0;
    else
        same = (uint64_t)st.st_size == m->bytes &&
               st.st_mtim.tv_sec == m->changed_s &&
               (uint32_t)st.st_mtim.tv_nsec == m->changed_ns;
    sys_close(fd);
    if (!same)
        restore_refuse(r, "needs ", name, " as it was, and it has changed: put "
                       "the same one back, or choose another node", NULL);
}

/* Is any of its mappings private, so that what is in the file matters? */
static bool needs_contents(const struct restore *r, size_t index)
{
    for (size_t i = 0; i < r->head.nregions; i++)
        if (r->regions[i].mapped == (int32_t)index &&
            r->regions[i].kind == IMAGE_FILE)
            return true;
    return false;
}

static void check_fd(const struct restore *r, const struct image_fd *f)
{
    const char *name = r->names + f->name;
    struct stat st;
    char buf[32];
    long rc;

    if (f->kind != IMAGE_FD_FILE)
        return;
    rc = sys(SYS_newfstatat, AT_FDCWD, name, &st, 0);
    if (rc < 0)
        restore_refuse(r, "had opened ", name, ", but ",
                       restore_error(rc, buf, sizeof(buf)), ": put it back",
                       NULL);
    if ((st.st_mode & S_IFMT) != f->type)
        restore_refuse(r, "had opened ", name, ", which is something else now: "
                       "put it back", NULL);
    if (f->type == S_IFREG && f->offset > (int64_t)st.st_size &&
        (uint64_t)f->offset <= f->bytes)
        restore_refuse(r, "had opened ", name, ", which is shorter now than "
                       "what was read or written then: put it back", NULL);
    if (r->cut && restore_files_written(f) && (uint64_t)st.st_size < f->bytes)
        restore_refuse(r, "had written to ", name, ", which is shorter now than "
                       "it was then: put it back", NULL);
}

void restore_check_place(const struct restore *r)
{
    const char *directory = r->names + r->head.directory;
    struct stat st;

    check_machine(r);
    check_user(r);
    check_told(r);
    for (size_t i = 0; i < r->head.nmapped; i++)
        check_mapped(r, &r->mapped[i], needs_contents(r, i));
    for (size_t i = 0; i < r->head.nfds; i++)
        check_fd(r, &r->fds[i]);
    if (sys(SYS_newfstatat, AT_FDCWD, directory, &st, 0) < 0 ||
        !S_ISDIR(st.st_mode))
        restore_refuse(r, "ran in ", directory, ", which is not there: make it "
                       "again", NULL);
}

void restore_check_tail(struct restore *r)
{
    struct image_blake3 all;
    struct image_tail tail;
    uint8_t hash[IMAGE_HASH];
    uint64_t bytes = r->bytes + sizeof(tail);
    char more;

    all = r->hash.sum;
    restore_read(r, &tail, sizeof(tail));
    image_blake3_add(&all, &tail, offsetof(struct image_tail, hash));
    image_blake3_end(&all, hash);
    if (memcmp(tail.magic, IMAGE_TAIL, sizeof(tail.magic)) != 0 ||
        tail.bytes != bytes || memcmp(tail.hash, hash, sizeof(hash)) != 0)
        restore_refuse(r, DAMAGED "its memory is not what was written" ANOTHER,
                       NULL);
    if (r->plain && sys_read_all(r->fd, &more, 1) != 0)
        restore_refuse(r, DAMAGED "it goes on behind its end" ANOTHER, NULL);
}
