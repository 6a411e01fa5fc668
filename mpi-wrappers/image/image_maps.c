/* image_maps.c - what /proc/PID/maps says: see image_maps.h. */
#include "mpi-wrappers/image/image_maps.h"

#include <string.h>
#include <sys/mman.h>

#include "mpi-wrappers/image/image_text.h"

/* The kernel writes a newline in a name as \012. */
static void unescape(char *name)
{
    char *to = name;

    for (; *name; name++)
        if (image_text_begins(name, "\\012")) {
            *to++ = '\n';
            name += 3;
        } else {
            *to++ = *name;
        }
    *to = '\0';
}

static const char *blanks(const char *p)
{
    while (*p == ' ')
        p++;
    return p;
}

static const char *word(const char *p)
{
    while (*p && *p != ' ' && *p != '\n')
        p++;
    return blanks(p);
}

/* 55d0-55d4 r-xp 00001000 fe:00 1234      /usr/bin/name */
int image_maps_next(char **text, struct image_map *m)
{
    const char *p = *text;
    char *end;

    if (!*p)
        return 0;
    m->start = image_text_hex(&p);
    if (*p++ != '-')
        return -1;
    m->end = image_text_hex(&p);
    if (*p++ != ' ' || strnlen(p, 5) < 5 || p[4] != ' ' || m->end <= m->start)
        return -1;
    m->prot = (p[0] == 'r' ? PROT_READ : 0) | (p[1] == 'w' ? PROT_WRITE : 0) |
              (p[2] == 'x' ? PROT_EXEC : 0);
    m->shared = p[3] == 's';
    p += 5;
    m->offset = image_text_hex(&p);
    p = word(word(blanks(p)));          /* the device, the inode */
    m->name = *text + (p - *text);
    end = strchr(m->name, '\n');
    *text = end ? end + 1 : m->name + strlen(m->name);
    if (end)
        *end = '\0';
    unescape(m->name);
    return 1;
}

static enum image_map_kind of_file(const struct image_map *m)
{
    const char *name = m->name;
    bool gone = image_text_ends(name, " (deleted)");

    if (image_text_begins(name, "/SYSV"))
        return IMAGE_MAP_SYSV;
    if (image_text_begins(name, "/dev/zero"))
        return m->shared ? IMAGE_MAP_ANON_SHARED : IMAGE_MAP_ANON;
    if ((image_text_begins(name, "/dev/") &&
         !image_text_begins(name, "/dev/shm/")) ||
        image_text_begins(name, "/[aio]") ||
        image_text_begins(name, "/anon_hugepage"))
        return IMAGE_MAP_DEVICE;
    if (gone)
        return m->shared ? IMAGE_MAP_OTHERS : IMAGE_MAP_GONE;
    return m->shared ? IMAGE_MAP_FILE_SHARED : IMAGE_MAP_FILE;
}

enum image_map_kind image_maps_kind(const struct image_map *m)
{
    const char *name = m->name;

    if (*name == '/')
        return of_file(m);
    if (*name == '\0' || strcmp(name, "[heap]") == 0 ||
        image_text_begins(name, "[anon:"))
        return IMAGE_MAP_ANON;
    if (image_text_begins(name, "[anon_shmem:"))
        return IMAGE_MAP_ANON_SHARED;
    if (strcmp(name, "[stack]") == 0)
        return IMAGE_MAP_STACK;
    if (strcmp(name, "[vdso]") == 0)
        return IMAGE_MAP_VDSO;
    if (image_text_begins(name, "[vvar"))
        return IMAGE_MAP_VVAR;
    if (strcmp(name, "[vsyscall]") == 0)
        return IMAGE_MAP_FIXED;
    return IMAGE_MAP_DEVICE;            /* [uprobes], anon_inode:..., socket: */
}

/* What is left of r when everything below start is cut off. */
static void cut_below(struct image_region *r, uint64_t start)
{
    if (r->kind == IMAGE_FILE || r->kind == IMAGE_FILE_SHARED)
        r->offset += start - r->start;
    r->start = start;
}

void image_maps_without(struct image_region *regions, size_t *n,
                        uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < *n; i++) {
        struct image_region *r = &regions[i];

        if (r->end <= start || end <= r->start)
            continue;
        if (r->start < start && end < r->end) {         /* two are left */
            memmove(r + 1, r, (*n - i) * sizeof(*r));
            (*n)++;
            r[0].end = start;
            cut_below(&r[1], end);
            return;
        }
        if (r->start < start) {
            r->end = start;
        } else if (end < r->end) {
            cut_below(r, end);
        } else {
            (*n)--;
            memmove(r, r + 1, (*n - i) * sizeof(*r));
            i--;
        }
    }
}
