/* unwind.c - from the copy of a stack to the addresses of its frames.
 *
 * One Dwfl a process, with its modules where they are mapped; libdwfl asks
 * for registers and memory by callbacks. Invariant: copy is set only while
 * unwind_trace() runs. */
#include "slave/unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>
#include <elfutils/libdwfl.h>

struct unwind {
    pid_t pid;
    Dwfl *dwfl;                 /* owned */
    size_t vdso_bytes;
    bool attached;
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

/* ----------------------------------------------------------------- frames */

static bool add_frame(struct unwind *u, Dwarf_Addr pc, bool call)
{
    Dwfl_Module *mod = dwfl_addrmodule(u->dwfl, call && pc ? pc - 1 : pc);
    struct unwind_frame *f = &u->v[u->n];
    const char *path = NULL, *name;
    GElf_Addr bias = 0;

    if (u->n == u->max)
        return false;
    *f = (struct unwind_frame){ .address = pc, .call = call };
    if (mod && dwfl_module_getelf(mod, &bias)) {
        name = dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, &path,
                                NULL);
        f->path = path ? path : name;
        f->address = pc - bias;
    }
    u->n++;
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

unsigned unwind_trace(struct unwind *u, const struct halt_copy *copy,
                      struct unwind_frame *v, unsigned max)
{
    u->copy = copy;
    u->v = v;
    u->n = 0;
    u->max = max;
    if (u->attached && dwfl_addrmodule(u->dwfl, copy->pc))
        dwfl_getthread_frames(u->dwfl, u->pid, on_frame, u);
    u->copy = NULL;
    return u->n;
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
        return err_set(err, ENOMEM, "out of memory"), NULL;
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
    u->attached = dwfl_attach_state(u->dwfl, NULL, pid, &thread_callbacks, u);
    return u;
}

void unwind_destroy(struct unwind *u)
{
    if (!u)
        return;
    if (u->dwfl)
        dwfl_end(u->dwfl);
    free(u);
}
