/* kept.c - the packed Checkpoint of a job, as the master gives it to hector-keep:
 * by its number and the bytes of each task's image; a rank of its own before a
 * colon, for who does not count from 0.
 *
 * usage: kept NUMBER [RANK:]BYTES... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hct.pb-c.h"

int main(int argc, char **argv)
{
    Hct__Checkpoint c = HCT__CHECKPOINT__INIT;
    uint8_t *bytes;
    size_t n;

    if (argc < 2)
        return 2;
    c.job = 7;
    c.number = (uint32_t)strtoul(argv[1], NULL, 10);
    c.n_tasks = c.ntasks = (uint32_t)argc - 2;
    c.tasks = calloc((size_t)argc, sizeof(*c.tasks));
    for (size_t i = 0; i < c.n_tasks; i++) {
        const char *word = argv[i + 2], *colon = strchr(word, ':');
        Hct__TaskMoved *t = malloc(sizeof(*t));

        hct__task_moved__init(t);
        t->kind = HCT__TASK_MOVED__KIND__SAVED;
        t->rank = colon ? (uint32_t)strtoul(word, NULL, 10) : (uint32_t)i;
        t->image_bytes = strtoull(colon ? colon + 1 : word, NULL, 10);
        c.tasks[i] = t;
    }
    bytes = malloc(hct__checkpoint__get_packed_size(&c) + 1);
    n = hct__checkpoint__pack(&c, bytes);
    return fwrite(bytes, 1, n, stdout) != n || fflush(stdout);
}
