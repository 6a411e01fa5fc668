/* page_here.h - the page of the task that asks, found among its mappings. */
#ifndef PAGE_HERE_H
#define PAGE_HERE_H

#include <stdio.h>
#include <string.h>

/* NULL: it has none. */
static inline void *page_here(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[4096];
    unsigned long from = 0;

    while (f && fgets(line, sizeof(line), f))
        if (strstr(line, "hector-page") && sscanf(line, "%lx-", &from) == 1)
            break;
    if (f)
        fclose(f);
    return (void *)from;
}

#endif
