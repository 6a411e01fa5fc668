/* restore_say.c - the sentences of hector-restore, and where its bytes come
 * from: see restore.h. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "mpi-wrappers/image/image_text.h"
#include "mpi-wrappers/image/sys.h"
#include "mpi-wrappers/restore/restore.h"

void restore_refuse(const struct restore *r, const char *first, ...)
{
    char line[1024];
    struct image_text t;
    va_list more;

    image_text_begin(&t, line, sizeof(line) - 1);
    if (r->report < 0) {
        image_text_add(&t, "hector-restore: ");
        image_text_add(&t, r->name);
        image_text_add(&t, ": ");
    }
    va_start(more, first);
    for (const char *s = first; s; s = va_arg(more, const char *))
        image_text_add(&t, s);
    va_end(more);
    if (r->report < 0)
        *t.at++ = '\n';
    sys(SYS_write, r->report < 0 ? 2 : r->report, line, t.at - line);
    for (;;)
        sys(SYS_exit_group, RESTORE_REFUSED);
}

const char *restore_error(long rc, char *buf, size_t size)
{
    struct image_text t;

    switch (-rc) {
    case ENOENT: return "there is no such file";
    case EACCES: return "it is not allowed";
    case EPERM:  return "it is not permitted";
    case ENOMEM: return "there is no memory for it";
    case EEXIST: return "something is there";
    case EBADF:  return "it is not open";
    case EINVAL: return "the kernel does not take it";
    case ENOSYS: return "this kernel cannot do it";
    case EMFILE: return "too many open files";
    }
    image_text_begin(&t, buf, size);
    image_text_add(&t, "error ");
    image_text_number(&t, (uint64_t)-rc);
    return buf;
}

/* In parts, so that the hash finds them where the processor has them at hand. */
void restore_read(struct restore *r, void *to, uint64_t bytes)
{
    enum { PART = 256 << 10 };
    char *p = to, buf[32];

    while (bytes) {
        size_t part = bytes < PART ? bytes : PART;
        long n = sys_read_all(r->fd, p, part);

        if (n < 0)
            restore_refuse(r, "cannot be read: ",
                           restore_error(n, buf, sizeof(buf)), NULL);
        if ((size_t)n < part)
            restore_refuse(r, "ends too early: it was cut off, or whoever "
                           "wrote it did not finish; take another image", NULL);
        restore_hash_add(&r->hash, p, part);
        r->bytes += part;
        p += part;
        bytes -= part;
    }
}

void restore_skip(struct restore *r, uint64_t bytes)
{
    for (uint64_t part; bytes; bytes -= part) {
        part = bytes < RESTORE_SCRATCH ? bytes : RESTORE_SCRATCH;
        restore_read(r, r->scratch, part);
    }
}
