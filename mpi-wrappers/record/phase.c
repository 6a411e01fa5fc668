/* phase.c - which phase the program is in, see phase.h.
 *
 * Invariant: the description is complete before the page is published, and
 * does not change. */
#include "mpi-wrappers/record/phase.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/record/frames.h"
#include "mpi-wrappers/table/calls.h"

enum kind { NEVER, TAG, PCONTROL, CALL };
enum { ID_BYTES = 64 };         /* of a tag's text, that tell it from others */

static struct {
    enum kind kind;
    bool any;                   /* of tags: whatever its text */
    char text[PAGE_TEXT_MAX];   /* a tag's text, a file's name */
    size_t text_bytes;
    unsigned call;
    uint64_t offset;
    uint32_t every;
} rule;

atomic_uint phase_number;
static atomic_int label;
static atomic_uint marks;
static struct page_header *page;        /* borrowed */

/* Decimal or 0x..., up to the end of s; -1: it is not. */
static int number(const char *s, uint64_t *out)
{
    char *end;

    if (*s < '0' || *s > '9')
        return -1;
    errno = 0;
    *out = strtoull(s, &end, 0);
    return *end || errno ? -1 : 0;
}

/* MPI_Name[@FILE+OFFSET][:N] */
static int parse_call(char *s)
{
    char *site, *offset, *n = strrchr(s, ':');
    uint64_t every = 1;

    if (n) {
        *n++ = '\0';
        if (number(n, &every) || every == 0 || every > UINT32_MAX)
            return -1;
    }
    rule.every = (uint32_t)every;
    site = strchr(s, '@');
    if (site) {
        *site++ = '\0';
        offset = strrchr(site, '+');
        if (!offset || offset == site)
            return -1;
        *offset++ = '\0';
        if (number(offset, &rule.offset))
            return -1;
        rule.text_bytes = strlen(site);
        memcpy(rule.text, site, rule.text_bytes + 1);
    }
    rule.call = call_find(s);
    return rule.call ? 0 : -1;
}

static int parse(const char *what)
{
    char copy[PAGE_TEXT_MAX];

    if (strlen(what) >= sizeof(copy))
        return -1;
    strcpy(copy, what);
    if (strcmp(copy, "pcontrol") == 0) {
        rule.kind = PCONTROL;
    } else if (strcmp(copy, "tag") == 0) {
        rule.kind = TAG;
        rule.any = true;
    } else if (strncmp(copy, "tag:", 4) == 0) {
        rule.kind = TAG;
        rule.text_bytes = strlen(copy + 4);
        memcpy(rule.text, copy + 4, rule.text_bytes);
    } else if (strncmp(copy, "MPI_", 4) == 0 && parse_call(copy) == 0) {
        rule.kind = CALL;
    } else {
        return -1;
    }
    return 0;
}

int phase_start(struct page_header *h, const char *what)
{
    int saved = errno, rc = 0;

    memset(&rule, 0, sizeof(rule));
    page = h;
    if (what && *what)
        rc = parse(what);
    if (rc)
        rule.kind = NEVER;
    atomic_store_explicit(&h->phase_bad, rc != 0, memory_order_relaxed);
    errno = saved;
    return rc;
}

int32_t phase_label(void)
{
    return atomic_load_explicit(&label, memory_order_relaxed);
}

/* FNV-1a. */
static uint32_t hash(uint32_t h, const void *p, size_t n)
{
    for (const unsigned char *c = p; n--; c++)
        h = (h ^ *c) * 16777619u;
    return h;
}

/* Never 0. A marker that counts must not make one phase many. */
static uint32_t id_of(int32_t marker, const char *text, size_t text_bytes)
{
    uint32_t h = 2166136261u;

    if (text_bytes)
        h = hash(h, text, text_bytes < ID_BYTES ? text_bytes : ID_BYTES);
    else
        h = hash(h, &marker, sizeof(marker));
    return h ? h : 1;
}

static void begin(int32_t new_label, uint32_t id)
{
    uint32_t n;

    atomic_store_explicit(&label, new_label, memory_order_relaxed);
    atomic_store_explicit(&page->phase_id, id, memory_order_relaxed);
    n = atomic_fetch_add_explicit(&phase_number, 1, memory_order_relaxed);
    atomic_store_explicit(&page->phase, n + 1, memory_order_relaxed);
}

void phase_tagged(int32_t marker, const char *text, size_t text_bytes)
{
    if (rule.kind == TAG &&
        (rule.any || (text_bytes == rule.text_bytes &&
                      memcmp(text, rule.text, text_bytes) == 0)))
        begin(marker, id_of(marker, text, text_bytes));
}

void phase_pcontrol(int32_t level)
{
    if (rule.kind == PCONTROL)
        begin(level, id_of(level, NULL, 0));
}

bool phase_is_marked(unsigned call, const void *from)
{
    char path[4096];
    const char *base, *file;

    if (rule.kind != CALL || rule.call != call)
        return false;
    if (rule.text_bytes == 0)
        return true;
    base = frames_module(from, path, sizeof(path));
    if (!base && path[0] == '\0')
        return false;
    file = strrchr(path, '/');
    return (uintptr_t)from - (uintptr_t)base == rule.offset &&
           (strcmp(path, rule.text) == 0 ||
            strcmp(file ? file + 1 : path, rule.text) == 0);
}

void phase_marked(void)
{
    uint32_t n = atomic_fetch_add_explicit(&marks, 1, memory_order_relaxed);

    if (rule.every && (n + 1) % rule.every == 0)
        begin((int32_t)(n + 1), 0);
}
