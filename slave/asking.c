/* asking.c - tasks that tell their stack themselves. */
#include "slave/asking.h"

#include <stdlib.h>

struct asking {
    asking_answer_f *answer;
    void (*moved)(void *arg);
    void *arg;
};

struct asking *asking_create(asking_answer_f *answer, void (*moved)(void *arg),
                             void *arg)
{
    struct asking *a = calloc(1, sizeof(*a));

    if (a) {
        a->answer = answer;
        a->moved = moved;
        a->arg = arg;
    }
    return a;
}

void asking_destroy(struct asking *a)
{
    free(a);
}

int asking_add(struct asking *a, uint32_t position, pid_t pid, char *page)
{
    (void)a, (void)position, (void)pid, (void)page;
    return -1;
}

bool asking_open(struct asking *a)
{
    (void)a;
    return false;
}

void asking_end(struct asking *a, char (*notes)[STACKER_NOTE])
{
    (void)a, (void)notes;
}

void asking_forget(struct asking *a, const char *page)
{
    (void)a, (void)page;
}
