/* sorter.c - sorts keys that are spread over all tasks: neighbours exchange blocks
 * until nobody has changed anything, then keys go to their owners. FAULT chooses one
 * of its faults; the line that has it is marked by its number. What a step of a slice
 * costs was not chosen by it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 32, TASKS = 64, TAG_BASE = 300 };
enum kind { KIND_BLOCK, KIND_OWNED, KIND_LAST, KIND_COUNT, KIND_DONE };

struct sorter {
    int rank, size, phases;
    int *keys, *room;           /* on the heap */
    MPI_Comm half;
};

static int compare(const void *a, const void *b)
{
    const int *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

__attribute__((noinline)) static int tag_of(enum kind kind, int phase)
{
    switch (kind) {
    case KIND_BLOCK: return TAG_BASE + phase % 3;
    case KIND_OWNED: return TAG_BASE + 10;
#if FAULT == 1
    case KIND_LAST: return TAG_BASE + 20 + phase;               /*! 1 local */
#else
    case KIND_LAST: return TAG_BASE + 20;
#endif
    case KIND_COUNT: return TAG_BASE + 30;
    case KIND_DONE: return TAG_BASE + 40;
    }
    return TAG_BASE;
}

static struct sorter *create(void)
{
    struct sorter *s = calloc(1, sizeof(*s));

    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->size);
    MPI_Comm_split(MPI_COMM_WORLD, s->rank % 2, s->rank, &s->half);
    s->keys = malloc(KEYS * sizeof(*s->keys));
    s->room = malloc(2 * KEYS * sizeof(*s->room));
#if FAULT == 2
    s->phases = s->size + s->rank % 2;                          /*! 2 memory */
#else
    s->phases = s->size;
#endif
    for (int i = 0; i < KEYS; i++)
        s->keys[i] = s->rank ? KEYS + (i * 37 + s->rank * 101) % 997 : i;
    return s;
}

__attribute__((noinline)) static int exchange(struct sorter *s, int other,
                                              int phase)
{
    int changed;

    MPI_Sendrecv(s->keys, KEYS, MPI_INT, other, tag_of(KIND_BLOCK, phase),
                 s->room, KEYS, MPI_INT, other, tag_of(KIND_BLOCK, phase),
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(s->room + KEYS, s->keys, KEYS * sizeof(*s->keys));
    qsort(s->room, 2 * KEYS, sizeof(*s->room), compare);
    s->room += s->rank > other ? KEYS : 0;
    changed = memcmp(s->keys, s->room, KEYS * sizeof(*s->keys)) != 0;
    memcpy(s->keys, s->room, KEYS * sizeof(*s->keys));
    s->room -= s->rank > other ? KEYS : 0;
    return changed;
}

__attribute__((noinline)) static int phase_of(struct sorter *s, int phase)
{
#if FAULT == 3
    int odd = (phase + s->rank + (s->rank == 2 && phase > 1)) % 2;      /*! 3 local */
#else
    int odd = (phase + s->rank) % 2;
#endif
    int other = odd ? s->rank - 1 : s->rank + 1;

#if FAULT == 4
    if (other < 1 || other >= s->size)                          /*! 4 branch */
        return 0;
#else
    if (other < 0 || other >= s->size)
        return 0;
#endif
    return exchange(s, other, phase);
}

static int sort(struct sorter *s)
{
    int done = 0, sweeps = 0;

    qsort(s->keys, KEYS, sizeof(*s->keys), compare);
    while (!done) {
        int changed = 0, all = 0;

        for (int p = 0; p < s->phases; p++)
            changed += phase_of(s, p);
        MPI_Allreduce(&changed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#if FAULT == 5
        done = changed == 0;                                    /*! 5 local */
#else
        done = all == 0;
#endif
        sweeps++;
    }
    return sweeps;
}

/* Each key to the task that owns its range. */
static void deal(struct sorter *s)
{
    int to[TASKS] = { 0 }, from[TASKS] = { 0 };
    MPI_Request request[2 * TASKS];
    int n = 0;

    for (int i = 0; i < KEYS; i++)
        to[s->keys[i] * s->size / 1500]++;
    MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < s->size; k++) {
#if FAULT == 6
        int expected = to[k];                                   /*! 6 local */
#else
        int expected = from[k];
#endif

        if (expected)
            MPI_Irecv(s->room, 2 * KEYS, MPI_INT, k, tag_of(KIND_OWNED, 0),
                      MPI_COMM_WORLD, &request[n++]);
    }
    for (int k = 0; k < s->size; k++)
        if (to[k])
            MPI_Isend(s->keys, to[k], MPI_INT, k, tag_of(KIND_OWNED, 0),
                      MPI_COMM_WORLD, &request[n++]);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

/* The last one says how far everybody has come, along the line of tasks. */
static void finish(struct sorter *s, int sweeps)
{
    int so_far = 0;
#if FAULT == 7
    MPI_Comm comm = s->rank == 3 ? s->half : MPI_COMM_WORLD;    /*! 7 local */
#else
    MPI_Comm comm = MPI_COMM_WORLD;
#endif

    if (s->rank > 0)
        MPI_Recv(&so_far, 1, MPI_INT, s->rank - 1,
                 tag_of(KIND_LAST, s->rank - 1), MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    so_far += sweeps;
    if (s->rank + 1 < s->size)
        MPI_Ssend(&so_far, 1, MPI_INT, s->rank + 1,
                  tag_of(KIND_LAST, s->rank + 1), MPI_COMM_WORLD);
    MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    struct sorter *s;
    int sweeps;

    MPI_Init(&argc, &argv);
    s = create();
    sweeps = sort(s);
    deal(s);
    finish(s, sweeps);
    MPI_Comm_free(&s->half);
    MPI_Finalize();
    if (s->rank == 0)
        printf("%d sweeps\n", sweeps);
    free(s->keys);
    free(s->room);
    free(s);
    return 0;
}
