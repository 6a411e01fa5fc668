/* walltime.c - see walltime.h. */
#include "redirector/batch/walltime.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

uint64_t walltime_seconds(const char *text)
{
    static const unsigned times[] = { 1, 60, 3600, 86400 };
    enum { PARTS = sizeof(times) / sizeof(times[0]) };
    uint64_t v[PARTS], s = 0;
    int n = 0;
    char *end;

    for (;; text = end + 1) {
        if (!isdigit((unsigned char)*text) || n == PARTS)
            return 0;
        v[n++] = strtoull(text, &end, 10);
        if (*end != ':')
            break;
    }
    if (*end && !strchr(", \t\n", *end))
        return 0;
    for (int i = 0; i < n; i++)
        s += v[i] * times[n - 1 - i];
    return s;
}
