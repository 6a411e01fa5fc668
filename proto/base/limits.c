/* limits.c - soft limits to the hard ones, and back; see limits.h. */
#include "proto/base/limits.h"

#include <signal.h>

void limits_lift(int resource, struct rlimit *was)
{
    struct rlimit all;

    if (getrlimit(resource, was)) {
        *was = (struct rlimit){ 0, 0 };
        return;
    }
    all = *was;
    all.rlim_cur = all.rlim_max;
    setrlimit(resource, &all);
}

void limits_restore(int resource, const struct rlimit *was)
{
    if (was->rlim_max)
        setrlimit(resource, was);
}

void limits_lift_file_size(struct rlimit *was)
{
    signal(SIGXFSZ, SIG_IGN);
    limits_lift(RLIMIT_FSIZE, was);
}
