/* tool.c - what all commands of hector need. */
#include "master/hector/core/tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/core/burial.h"
#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "proto/base/str.h"
#include "proto/conf/settings.h"

int tool_complain(int status, const char *fmt, ...)
{
    char text[2000], line[4000];
    va_list ap;

    fflush(stdout);
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    str_visible(line, sizeof(line), text, strlen(text));
    fprintf(stderr, "hector: %s\n", line);
    return status;
}

int tool_answer(const struct str *out, int status)
{
    if (str_failed(out))
        status = tool_complain(TOOL_FAILED, "out of memory");
    else
        fwrite(str_text(out), 1, out->n, stdout);
    return fflush(stdout)
           ? tool_complain(TOOL_FAILED, "cannot write: %s", strerror(errno))
           : status;
}

/* The order is hector-run's: --db, $HECTOR_DB, hector.conf, the default. */
static int find_database(const struct tool *t, char *path, size_t size,
                         struct err *err)
{
    const char *given = getenv("HECTOR_DB");
    struct settings s;
    int rc;

    if (t->db) {
        rc = snprintf(path, size, "%s", t->db);
    } else if (given && *given) {
        return paths_database(path, size, err);
    } else {
        rc = settings_load(&s, err);
        if (rc == 0 && !*s.db)
            rc = paths_database(path, size, err);
        else if (rc == 0)
            rc = snprintf(path, size, "%s", s.db);
        settings_fini(&s);
    }
    if (rc >= (int)size)
        return err_set(err, ENAMETOOLONG, "the name of the database is too "
                       "long");
    return rc < 0 ? -1 : 0;
}

struct store *tool_open_store(const struct tool *t)
{
    char path[PATHS_MAX];
    struct store *st;
    struct err err;

    st = find_database(t, path, sizeof(path), &err) ? NULL
       : store_open_readonly(path, &err);
    if (st)
        burial_of_dead(st, path, clock_wall_ns());
    else
        tool_complain(TOOL_FAILED, "%s", err.text);
    return st;
}
