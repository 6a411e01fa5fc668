/* placename.c - see placename.h. */
#include "master/places/placename.h"

#include <stdlib.h>
#include <string.h>

struct placename placename_parse(const char *text)
{
    const char *open = strrchr(text, '('), *colon = strrchr(text, ':');
    struct placename p = { 0 };

    if (strncmp(text, "in ", 3) != 0)
        return p;
    text += 3;
    p.function = open && open > text + 1
                     ? strndup(text, (size_t)(open - text) - 1)
                     : strdup(text);
    if (!open || !colon || colon < open)
        return p;
    p.file = strndup(open + 1, (size_t)(colon - open) - 1);
    p.line = (uint32_t)strtoul(colon + 1, NULL, 10);
    return p;
}
