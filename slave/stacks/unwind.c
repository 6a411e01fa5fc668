/* unwind.c - from the copy of a stack to the addresses of its frames.
 *
 * One Dwfl a process, with its modules where they are mapped. What is found out
 * about an address of it is kept: which file's it is, and the row of the
 * unwinding tables that leads on from there (cfirow.h). A stack all of whose
 * addresses have such rows is walked here; any other one by libdwfl, from its
 * beginning, which asks for registers and memory by callbacks. Both find the
 * same. Invariant: copy is set only while unwind_trace() runs. */
#include "slave/stacks/unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>
#include <elfutils/libdwfl.h>

#include "proto/base/array.h"
#include "proto/base/idtable.h"
#include "slave/stacks/cfirow.h"

enum { SPOTS_MAX = 1 << 16 };

/* How an address was come to; it decides which instruction counts. */
enum how {
    BY_CALL,                    /* walked to: a call returns to it */
    EXACT,                      /* walked to: interrupted there */
    TOLD_CALL, TOLD_EXACT,      /* the same, as libdwfl or the task has it */
};

struct spot {
    uint64_t pc;
    enum how how;
    struct unwind_frame frame;
    bool has_row;               /* else it is libdwfl's */
    struct cfirow row;
};

struct unwind {
    pid_t pid;
    Dwfl *dwfl;                 /* owned */
    size_t vdso_bytes;
    bool attached, slow;
    uint64_t quick;             /* stacks that were walked */
    struct spot *spots;         /* owned */
    size_t nspots, cap_spots;
    struct idtable by_pc;
    const struct halt_copy *copy;       /* borrowed */
    struct unwind_frame *v;
    unsigned n, max;
};

static const char deleted[] = " (deleted)";

/* ------------------------------------------------------------------ files */

/* The image of the kernel's own library is the same in all processes. */
static int find_vdso(size_t bytes, Elf **elfp)
{
    char *image = (char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);

    if (image && bytes)
        *elfp = elf_memory(image, bytes);
    return -1;                  /* no descriptor */
}

/* A program that was built anew while it runs is there under this name. */
static int find_deleted(pid_t pid, const char *name, char **file_name)
{
    char path[40], is[4096];
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    n = readlink(path, is, sizeof(is) - 1);
    is[n > 0 ? n : 0] = '\0';
    if (strcmp(is, name) != 0)
        return -1;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        *file_name = strdup(path);
    return fd;
}

static bool is_deleted(const char *name)
{
    size_t n = strlen(name), m = sizeof(deleted) - 1;

    return n > m && strcmp(name + n - m, deleted) == 0;
}

static int find_elf(Dwfl_Module *mod, void **data, const char *name,
                    Dwarf_Addr base, char **file_name, Elf **elfp)
{
    const struct unwind *u = *data;

    if (strcmp(name, "[vdso]") == 0)
        return find_vdso(u->vdso_bytes, elfp);
    if (name[0] != '/')
        return -1;
    if (is_deleted(name))
        return find_deleted(u->pid, name, file_name);
    return dwfl_linux_proc_find_elf(mod, data, name, base, file_name, elfp);
}

/* Unwinding needs what is loaded only. */
static int find_debuginfo(Dwfl_Module *mod, void **data, const char *name,
                          Dwarf_Addr base, const char *file_name,
                          const char *link, GElf_Word crc, char **found)
{
    (void)mod, (void)data, (void)name, (void)base, (void)file_name;
    (void)link, (void)crc, (void)found;
    return -1;
}

static const Dwfl_Callbacks file_callbacks = {
    .find_elf = find_elf, .find_debuginfo = find_debuginfo,
};

/* ---------------------------------------------------------------- threads */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
    struct unwind *u = arg;

    (void)dwfl;
    if (*thread)
        return 0;
    *thread = u;
    return u->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
    (void)dwfl, (void)tid;
    *thread = arg;
    return true;
}

static bool read_live(const struct unwind *u, Dwarf_Addr at, Dwarf_Word *out)
{
    struct iovec local = { out, sizeof(*out) };
    struct iovec remote = { (void *)(uintptr_t)at, sizeof(*out) };

    return process_vm_readv(u->pid, &local, 1, &remote, 1, 0) ==
           sizeof(*out);
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *out, void *arg)
{
    const struct unwind *u = arg;
    const struct halt_copy *c = u->copy;

    (void)dwfl;
    if (c && at >= c->sp && at - c->sp <= c->bytes &&
        c->bytes - (at - c->sp) >= sizeof(*out)) {
        memcpy(out, c->stack + (at - c->sp), sizeof(*out));
        return true;
    }
    return read_live(u, at, out);
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
    const struct halt_copy *c = ((struct unwind *)arg)->copy;

    if (!c || c->nregs > HALT_REGS)
        return false;
    dwfl_thread_state_register_pc(thread, c->pc);
    return dwfl_thread_state_registers(thread, 0, c->nregs, c->regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
    .next_thread = next_thread, .get_thread = get_thread,
    .memory_read = memory_read, .set_initial_registers = set_registers,
};

/* ------------------------------------------------------------------ spots */

/* Which row of the tables: that of the instruction that was interrupted, or of
 * the call before it. */
static void find_row(struct spot *s, Dwfl_Module *mod)
{
    Dwarf_Addr pc = s->how == EXACT ? s->pc : s->pc - 1, bias;
    Dwarf_CFI *cfi = dwfl_module_eh_cfi(mod, &bias);
    Dwarf_Frame *frame = NULL;

    if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame)) {
        cfi = dwfl_module_dwarf_cfi(mod, &bias);
        if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame))
            return;
    }
    s->has_row = cfirow_make(&s->row, frame);
    free(frame);
}

static void locate(const struct unwind *u, struct spot *s)
{
    bool call = s->how == TOLD_CALL || (s->how == BY_CALL && !s->row.signal);
    Dwarf_Addr pc = call && s->pc ? s->pc - 1 : s->pc;
    Dwfl_Module *mod = dwfl_addrmodule(u->dwfl, pc);
    const char *path = NULL, *name;
    GElf_Addr bias = 0;

    s->frame = (struct unwind_frame){ .address = s->pc, .call = call };
    if (mod && dwfl_module_getelf(mod, &bias)) {
        name = dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, &path,
                                NULL);
        s->frame.path = path ? path : name;
        s->frame.address = s->pc - bias;
    }
}

static void make_spot(const struct unwind *u, struct spot *s)
{
    Dwfl_Module *mod = NULL;

    if (s->how == BY_CALL || s->how == EXACT)
        mod = dwfl_addrmodule(u->dwfl, s->how == EXACT ? s->pc : s->pc - 1);
    if (mod)
        find_row(s, mod);
    locate(u, s);
}

/* Valid until the next call; NULL: no memory, or there are too many. */
static struct spot *get_spot(struct unwind *u, uint64_t pc, enum how how)
{
    uint64_t hash = idtable_mix(pc, how);
    size_t i = idtable_first(&u->by_pc, hash);
    uint32_t id;
    struct spot *s;

    for (; (id = idtable_at(&u->by_pc, hash, &i)) != IDTABLE_NONE; i++)
        if (u->spots[id].pc == pc && u->spots[id].how == how)
            return &u->spots[id];
    if (u->nspots == SPOTS_MAX ||
        array_reserve(&u->spots, &u->cap_spots, u->nspots + 1) ||
        idtable_add(&u->by_pc, hash, (uint32_t)u->nspots))
        return NULL;
    s = &u->spots[u->nspots];
    *s = (struct spot){ .pc = pc, .how = how };
    make_spot(u, s);
    s->frame.number = (uint32_t)u->nspots++;
    return s;
}

/* ----------------------------------------------------------------- frames */

static bool add_frame(struct unwind *u, uint64_t pc, bool call)
{
    enum how how = call ? TOLD_CALL : TOLD_EXACT;
    struct spot *s, one = { .pc = pc, .how = how };

    if (u->n == u->max)
        return false;
    s = get_spot(u, pc, how);
    if (!s) {
        make_spot(u, &one);
        one.frame.number = UNWIND_NO_NUMBER;
        s = &one;
    }
    u->v[u->n++] = s->frame;
    return true;
}

static int on_frame(Dwfl_Frame *frame, void *arg)
{
    struct unwind *u = arg;
    bool activation;
    Dwarf_Addr pc;

    if (!dwfl_frame_pc(frame, &pc, &activation) || pc == 0 ||
        !add_frame(u, pc, !activation))
        return DWARF_CB_ABORT;
    return DWARF_CB_OK;
}

static bool read_word(void *arg, uint64_t at, uint64_t *out)
{
    return memory_read(NULL, at, out, arg);
}

/* False: libdwfl has to do it. */
static bool walk(struct unwind *u)
{
    const struct halt_copy *c = u->copy;
    struct cfi_regs regs = { .set = (1u << CFIROW_REGS) - 1 };
    uint64_t pc = c->pc;
    enum how how = EXACT;

    if (u->slow || c->nregs != CFIROW_REGS)
        return false;
    memcpy(regs.v, c->regs, sizeof(regs.v));
    while (u->n < u->max) {
        struct spot *s = get_spot(u, pc, how);

        if (!s || !s->has_row)
            return false;
        u->v[u->n++] = s->frame;
        if (!cfirow_step(&s->row, &regs, read_word, u))
            break;
        how = s->row.signal ? EXACT : BY_CALL;
        pc = regs.v[CFIROW_REGS - 1];
    }
    return true;
}

static void walk_slowly(struct unwind *u)
{
    u->n = 0;
    if (!u->attached) {
        u->attached = true;
        dwfl_attach_state(u->dwfl, NULL, u->pid, &thread_callbacks, u);
    }
    dwfl_getthread_frames(u->dwfl, u->pid, on_frame, u);
}

unsigned unwind_trace(struct unwind *u, const struct halt_copy *copy,
                      struct unwind_frame *v, unsigned max)
{
    u->copy = copy;
    u->v = v;
    u->n = 0;
    u->max = max;
    if (dwfl_addrmodule(u->dwfl, copy->pc)) {
        if (walk(u))
            u->quick++;
        else
            walk_slowly(u);
    }
    u->copy = NULL;
    return u->n;
}

void unwind_slowly(struct unwind *u)
{
    u->slow = true;
}

uint64_t unwind_quick(const struct unwind *u)
{
    return u->quick;
}

unsigned unwind_addresses(struct unwind *u, const uint64_t *pc, unsigned n,
                          struct unwind_frame *v, unsigned max)
{
    u->v = v;
    u->n = 0;
    u->max = max;
    for (unsigned i = 0; i < n && pc[i]; i++)
        if (!add_frame(u, pc[i], i > 0))
            break;
    return u->n;
}

/* ------------------------------------------------------------------- life */

/* libdwfl reports files only. */
static void report_vdso(struct unwind *u, const char *maps)
{
    const char *line = strstr(maps, "[vdso]");
    unsigned long long start, end;

    while (line && line > maps && line[-1] != '\n')
        line--;
    if (!line || sscanf(line, "%llx-%llx", &start, &end) != 2 || end <= start)
        return;
    u->vdso_bytes = end - start;
    dwfl_report_module(u->dwfl, "[vdso]", start, end);
}

static int set_owner(Dwfl_Module *mod, void **data, const char *name,
                   Dwarf_Addr base, void *arg)
{
    (void)mod, (void)name, (void)base;
    *data = arg;
    return DWARF_CB_OK;
}

struct unwind *unwind_create(pid_t pid, const char *maps, struct err *err)
{
    struct unwind *u = calloc(1, sizeof(*u));
    FILE *f = NULL;
    int rc = -1;

    if (!u)
        return err_memory(err), NULL;
    u->pid = pid;
    u->dwfl = dwfl_begin(&file_callbacks);
    if (u->dwfl && *maps)
        f = fmemopen((void *)maps, strlen(maps), "r");
    if (f) {
        dwfl_report_begin(u->dwfl);
        rc = dwfl_linux_proc_maps_report(u->dwfl, f);
        fclose(f);
        report_vdso(u, maps);
        dwfl_report_end(u->dwfl, NULL, NULL);
    }
    if (rc) {
        unwind_destroy(u);
        return err_set(err, EINVAL, "nothing is mapped in process %d",
                       (int)pid), NULL;
    }
    dwfl_getmodules(u->dwfl, set_owner, u, 0);
    return u;
}

void unwind_destroy(struct unwind *u)
{
    if (!u)
        return;
    if (u->dwfl)
        dwfl_end(u->dwfl);
    idtable_fini(&u->by_pc);
    free(u->spots);
    free(u);
}
