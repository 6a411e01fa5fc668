/* disposition.c - see disposition.h. */
#include "mpi-wrappers/swap/disposition.h"

#include <signal.h>
#include <stdbool.h>

#include "mpi-wrappers/inside/inside.h"

enum { DISPOSITIONS = 65 };

static struct {
    struct sigaction action;
    bool known, inside;         /* it is a function of the old one */
} saved[DISPOSITIONS];

void disposition_save(void)
{
    for (int i = 1; i < DISPOSITIONS; i++) {
        struct sigaction *a = &saved[i].action;

        saved[i].known = sigaction(i, NULL, a) == 0;
        saved[i].inside = a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN &&
                          inside_owns(*(void **)&a->sa_handler);
    }
}

void disposition_gone(void)
{
    struct sigaction none = { .sa_handler = SIG_DFL };

    for (int i = 1; i < DISPOSITIONS; i++)
        if (saved[i].known && i != SIGKILL && i != SIGSTOP)
            sigaction(i, saved[i].inside ? &none : &saved[i].action, NULL);
}

void disposition_come(void)
{
    for (int i = 1; i < DISPOSITIONS; i++)
        if (saved[i].known && !saved[i].inside && i != SIGKILL && i != SIGSTOP)
            sigaction(i, &saved[i].action, NULL);
}
