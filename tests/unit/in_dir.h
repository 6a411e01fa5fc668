/* in_dir.h - a directory of the test's own, made before its tests and removed,
 * empty again, after them. */
#ifndef IN_DIR_H
#define IN_DIR_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[32];

static inline int in_dir_set_up(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/hct-unit.XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static inline int in_dir_tear_down(void **state)
{
    (void)state;
    return rmdir(dir);
}

#endif
