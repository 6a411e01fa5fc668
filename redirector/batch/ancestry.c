/* ancestry.c - see ancestry.h. Who does not want to be seen, as with hidepid of
 * proc(5), ends the search. */
#include "redirector/batch/ancestry.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ANCESTRY_MAX = 64, ANCESTRY_NAME = 64 };

/* Its name, which may have brackets in it, and its parent; 0: it is not seen. */
static int ancestry_look(int pid, char name[ANCESTRY_NAME])
{
    char path[48], text[512], *from, *to;
    int parent = 0;
    FILE *f;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    f = fopen(path, "re");
    if (!f)
        return 0;
    n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    text[n] = '\0';
    from = strchr(text, '(');
    to = strrchr(text, ')');
    if (!from || !to || sscanf(to + 1, " %*c %d", &parent) != 1)
        return 0;
    *to = '\0';
    snprintf(name, ANCESTRY_NAME, "%s", from + 1);
    return parent;
}

bool ancestry_find(bool (*is)(void *arg, const char *name), void *arg)
{
    char name[ANCESTRY_NAME];
    int pid = getppid();

    for (int i = 0; i < ANCESTRY_MAX && pid > 0; i++) {
        *name = '\0';
        pid = ancestry_look(pid, name);
        if (*name && is(arg, name))
            return true;
    }
    return false;
}
