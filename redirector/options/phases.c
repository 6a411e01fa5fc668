/* phases.c - the grammar of --phase, see hector-run(1). */
#include "redirector/options/phases.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 4095 };       /* PAGE_TEXT_MAX of the tasks' library */

static const char *const calls[] = {
#define CALL_KIND(name, number, sends) name,
#include "call_kinds.inc"
#undef CALL_KIND
};
enum { NCALLS = sizeof(calls) / sizeof(calls[0]) };

static bool is_number(const char *s, uint64_t max)
{
    char *end;
    uint64_t n;

    if (*s < '0' || *s > '9')
        return false;
    errno = 0;
    n = strtoull(s, &end, 0);
    return *end == '\0' && errno == 0 && n <= max;
}

static int check_function(const char *name, size_t n, struct err *err)
{
    for (unsigned i = 0; i < NCALLS; i++)
        if (strlen(calls[i]) == n && strncmp(calls[i], name, n) == 0)
            return 0;
    return err_set(err, EINVAL, "--phase: MPI has no function %.*s",
                   n < 60 ? (int)n : 60, name);
}

int phases_check(const char *text, struct err *err)
{
    const char *every = strrchr(text, ':'), *site = strchr(text, '@');
    const char *plus = site ? strrchr(site, '+') : NULL;
    size_t n = site ? (size_t)(site - text) : every ? (size_t)(every - text)
                                                    : strlen(text);
    char offset[32];
    size_t digits;

    if (strlen(text) > TEXT_MAX)
        return err_set(err, EINVAL, "--phase: more than %d bytes", TEXT_MAX);
    if (strcmp(text, "tag") == 0 || strncmp(text, "tag:", 4) == 0 ||
        strcmp(text, "pcontrol") == 0)
        return 0;
    if (strncmp(text, "MPI_", 4) != 0)
        return err_set(err, EINVAL, "--phase: \"%.60s\" is not tag, tag:TEXT, "
                       "pcontrol or a function as MPI_Barrier", text);
    if (every && (!is_number(every + 1, UINT32_MAX) ||
                  strtoull(every + 1, NULL, 0) == 0))
        return err_set(err, EINVAL, "--phase: \"%.60s\" is not how many calls "
                       "a phase has", every + 1);
    if (site) {
        digits = plus ? every ? (size_t)(every - plus) : strlen(plus) : 0;
        if (!plus || plus == site + 1 || digits < 2 ||
            digits > sizeof(offset))
            return err_set(err, EINVAL, "--phase: \"%.60s\" is not a call "
                           "site, as solver+0x1234", site + 1);
        memcpy(offset, plus + 1, digits - 1);
        offset[digits - 1] = '\0';
        if (!is_number(offset, UINT64_MAX))
            return err_set(err, EINVAL, "--phase: \"%.60s\" is not an offset",
                           plus + 1);
    }
    return check_function(text, n, err);
}
