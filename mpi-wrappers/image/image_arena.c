/* image_arena.c - memory for the tables: see image_arena.h.
 *
 * A quarter of it is for names. The rest is taken from front to back. */
#include "mpi-wrappers/image/image_arena.h"

#include <string.h>
#include <sys/mman.h>

#include "mpi-wrappers/image/sys.h"

int image_arena_open(struct image_arena *a, size_t bytes)
{
    long at = sys(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at < 0 && at > -4096) {
        a->at = NULL;
        return -ENOMEM;
    }
    *a = (struct image_arena){ .at = (char *)at, .bytes = bytes };
    image_arena_reset(a);
    return 0;
}

void image_arena_close(struct image_arena *a)
{
    if (a->at)
        sys(SYS_munmap, a->at, a->bytes);
    a->at = NULL;
}

void image_arena_reset(struct image_arena *a)
{
    a->name_bytes = 0;
    a->name_room = a->bytes / 4;
    a->used = a->name_room;
}

void *image_arena_take(struct image_arena *a, size_t bytes)
{
    char *p = a->at + a->used;

    bytes = (bytes + 63) & ~63ul;
    if (bytes > a->bytes - a->used)
        return NULL;
    a->used += bytes;
    memset(p, 0, bytes);
    return p;
}

uint64_t image_arena_name(struct image_arena *a, const char *name)
{
    size_t n = strlen(name) + 1, at = a->name_bytes;

    if (n > a->name_room - at)
        return (uint64_t)-1;
    memcpy(a->at + at, name, n);
    a->name_bytes += n;
    return at;
}

const char *image_arena_names(const struct image_arena *a)
{
    return a->at;
}

char *image_arena_slurp(struct image_arena *a, const char *path, long *rc)
{
    char *text = a->at + a->used;
    size_t room = a->bytes - a->used;

    *rc = room > 1 ? sys_slurp(path, text, room) : -ENOMEM;
    if (*rc >= 0 && (size_t)*rc + 1 >= room)
        *rc = -ENOMEM;
    if (*rc < 0)
        return NULL;
    a->used += ((size_t)*rc + 64) & ~63ul;
    return text;
}
