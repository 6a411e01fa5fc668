/* program.c - the program that tasks run which are not there. */
#include "slave/emulate/program.h"

#include <stdio.h>
#include <string.h>

#include "mpi-wrappers/table/calls.h"

enum { FRAMES = 4, GROUP = 8, SITE_BYTES = 1024, MILLION = 1000000 };

/* Where things are in the program, which is mapped where its file says. */
enum { AT_SITES = 0x10000, AT_GROUPS = 0x1000, AT_MAIN = 0x400, AT_START = 0x40,
       EACH = 64, END = 0x100000 };

static const uint16_t what[] = {
    CALL_Allreduce, CALL_Isend, CALL_Irecv, CALL_Waitall, CALL_Bcast,
    CALL_Sendrecv, CALL_Barrier, CALL_Alltoall,
};

uint32_t program_call(uint32_t site)
{
    return what[site % (sizeof(what) / sizeof(what[0]))];
}

uint64_t program_bytes(uint32_t site)
{
    uint32_t call = program_call(site);

    return call == CALL_Waitall || call == CALL_Barrier
        ? 0 : (uint64_t)SITE_BYTES * (site + 1);
}

bool program_slow(const struct emulate *e, uint32_t rank)
{
    uint64_t ppm = e->outliers_ppm;

    return (rank + 1ull) * ppm / MILLION > rank * ppm / MILLION;
}

static bool name_it(const struct sites *sites, struct names *names,
                    uint32_t frame)
{
    uint64_t at = sites->frame[frame].offset;
    struct name_of is = { .frame = frame, .function = "step",
                          .file = "/emulated/solver.c", .note = "" };
    char text[32];

    if (at == AT_START) {
        is.function = is.file = "";
        is.note = "what calls main";
    } else if (at == AT_MAIN) {
        is.function = "main";
        is.line = 8;
    } else if (at < AT_SITES) {
        is.line = 20 + (uint32_t)(at - AT_GROUPS) / EACH;
    } else {
        is.line = 100 + (uint32_t)(at - AT_SITES) / EACH;
        snprintf(text, sizeof(text), "phase_%u", (is.line - 100) / GROUP);
        is.function = text;
    }
    is.function_bytes = strlen(is.function);
    is.file_bytes = strlen(is.file);
    is.note_bytes = strlen(is.note);
    return names_add(names, &is);
}

int program_make(struct sites *sites, struct names *names, uint32_t nsites)
{
    struct state_module m = { .start = 1, .end = END, .id_bytes = 20,
                              .id = "hector-emulate/1",
                              .path = "/emulated/solver" };

    for (uint32_t i = 0; i < nsites; i++) {
        struct state_site s = { .call = program_call(i), .frames = FRAMES };

        s.frame[0] = AT_SITES + EACH * i;
        s.frame[1] = AT_GROUPS + EACH * (i / GROUP);
        s.frame[2] = AT_MAIN;
        s.frame[3] = AT_START;
        if (sites_find(sites, &s, &m, 1) != i)
            return -1;
    }
    for (uint32_t i = 0; i < sites->nframes; i++)
        if (!name_it(sites, names, i))
            return -1;
    return 0;
}
