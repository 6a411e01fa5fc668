/* adoptenv.c - the environment of an adopted launcher; see adoptenv.h. */
#include "redirector/start/adoptenv.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/str.h"
#include "proto/conf/preload.h"
#include "redirector/out/say.h"

#define LIBRARY "libhector.so"

static void adoptenv_add(struct adoptenv *e, const char *name, char *value)
{
    e->v[e->n].name = name;
    e->v[e->n++].value = value;
}

int adoptenv_make(struct adoptenv *e, const char *socket, uint64_t job,
                  const char *preload, const char *old_preload, bool export)
{
    struct str number = { 0 }, library = { 0 };
    bool more = old_preload && *old_preload;

    *e = (struct adoptenv){ 0 };
    str_addf(&number, "%llu", (unsigned long long)job);
    str_addf(&library, "%s%s%s", preload, more ? ":" : "",
             more ? old_preload : "");
    adoptenv_add(e, "HECTOR_SLAVE", strdup(socket));
    adoptenv_add(e, "HECTOR_JOB", str_take(&number));
    adoptenv_add(e, "LD_PRELOAD", str_take(&library));
    if (export)
        adoptenv_add(e, "OMPI_MCA_mca_base_env_list",
                     strdup("HECTOR_SLAVE;HECTOR_JOB;LD_PRELOAD"));
    for (size_t i = 0; i < e->n; i++)
        if (!e->v[i].value)
            return adoptenv_fini(e), -1;
    adoptenv_add(e, "HECTOR_RANK", NULL);       /* of a job we may be in */
    adoptenv_add(e, "HECTOR_NTASKS", NULL);
    return 0;
}

void adoptenv_fini(struct adoptenv *e)
{
    for (size_t i = 0; i < e->n; i++)
        free(e->v[i].value);
    e->n = 0;
}

char *adoptenv_script(const struct adoptenv *e)
{
    struct str s = { 0 };

    for (size_t i = 0; i < e->n; i++) {
        str_addf(&s, "%s %s", e->v[i].value ? "export" : "unset",
                 e->v[i].name);
        if (e->v[i].value) {
            str_add(&s, "=");
            str_add_quoted(&s, e->v[i].value);
        }
        str_add(&s, "\n");
    }
    return str_take(&s);
}

void adoptenv_socket(char name[ADOPTENV_SOCKET])
{
    uint8_t random[(ADOPTENV_SOCKET - 9) / 2];

    randombytes_buf(random, sizeof(random));
    strcpy(name, "@hector-");
    sodium_bin2hex(name + 8, 2 * sizeof(random) + 1, random, sizeof(random));
}

/* This host's own, for tasks here only. */
static int adoptenv_local(char *buf, struct runplace *place, struct err *err)
{
    if (!*place->dir && runplace_open(place, err))
        return -1;
    return preload_path(LIBRARY, place->dir, buf, err);
}

int adoptenv_library(char *buf, struct runplace *place, const char *socket,
                     char *link, struct err *err)
{
    *link = '\0';
    if (paths_library(LIBRARY, buf, PATHS_MAX, err))
        return err_prefix(err, "tasks cannot be adopted");
    if (!strpbrk(buf, " :\t\n") ||
        (socket && !preload_shared(LIBRARY, socket + 1, buf, link, err)))
        return 0;
    if (socket)
        say(SAY_ERROR, "tasks on other hosts run unwatched: the paths of "
            LIBRARY " and of the home have a blank or a colon");
    if (adoptenv_local(buf, place, err))
        return err_prefix(err, "tasks cannot be adopted");
    return 0;
}

bool adoptenv_may_export(char *const *argv, const char *old_list)
{
    static const char *const names[] = { "mpirun", "mpiexec", "orterun",
                                         "mpirun.openmpi", "mpiexec.openmpi" };
    const char *base = strrchr(argv[0], '/');
    bool known = false;

    base = base ? base + 1 : argv[0];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        known = known || strcmp(base, names[i]) == 0;
    for (size_t i = 1; known && argv[i]; i++)
        if (strcmp(argv[i], "-x") == 0 || strcmp(argv[i], "--x") == 0 ||
            strstr(argv[i], "mca_base_env_list"))
            return false;
    return known && !old_list;
}
