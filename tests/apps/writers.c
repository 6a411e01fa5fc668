/* writers.c - output by groups, as a program does it that hangs now and then:
 * here it hangs each time (PDI, section 5.1, tells of such a case).
 *
 * Tasks 0-3 and 4-7 are groups, and one task writes what all of a group have.
 * That need not be a member: task 1 writes for the second group, and is a
 * member of the first. A writer asks each member for its data and takes it;
 * while it waits for that, it does its duty as a member, when its own writer
 * asks.
 *
 * Two outputs follow each other, and overlap: task 0 asks for the small one
 * while task 1 is still busy with the large one. Tags are fixed, so task 1
 * takes that for a question about the large one, and answers it once more.
 * When it comes to the small one, it waits for a question that it has taken
 * already.
 *
 *   writers FIXED       1: each output has tags of its own, and all ends
 * well */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MEMBERS = 4, TASKS = 8, ASK = 11, DATA = 12, NUMBER = 13, BYTES = 64,
       LARGE, SMALL };

static int rank, fixed;

static int tag(int what, int output)
{
    return fixed ? what + 100 * output : what;
}

static int writer_of(int group)
{
    return group;               /* task 0, and task 1, which is none of its own */
}

static int is_asked(int from, int what)
{
    int there;

    MPI_Iprobe(from, what, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    return there;
}

/* As a member. */
static void answer(int writer, int output)
{
    char data[BYTES] = { 0 };
    int question;

    MPI_Recv(&question, 1, MPI_INT, writer, tag(ASK, output), MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Send(data, BYTES, MPI_CHAR, writer, tag(DATA, output), MPI_COMM_WORLD);
}

/* What the last task has in the large one is ready late: when task 0 is so
 * far. */
static void make_ready(int output)
{
    int number;

    if (rank == TASKS - 1 && output == LARGE)
        MPI_Recv(&number, 1, MPI_INT, 0, NUMBER, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* As a writer, which has a writer of its own, too. How often has it
 * answered? */
static int collect(int group, int output)
{
    int own = writer_of(rank / MEMBERS), answered = 0;
    char data[BYTES];

    for (int m = MEMBERS * group; m < MEMBERS * (group + 1); m++) {
        if (m == rank)
            continue;
        MPI_Send(&output, 1, MPI_INT, m, tag(ASK, output), MPI_COMM_WORLD);
        if (rank == 0 && output == SMALL && m == 1)
            MPI_Send(&m, 1, MPI_INT, TASKS - 1, NUMBER, MPI_COMM_WORLD);
        for (int there = 0; !there; ) {
            there = is_asked(m, tag(DATA, output));
            if (own != rank && is_asked(own, tag(ASK, output))) {
                answer(own, output);    /* about this one? */
                answered++;
            }
        }
        MPI_Recv(data, BYTES, MPI_CHAR, m, tag(DATA, output), MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    return answered;
}

static void put_out(int output)
{
    int own = writer_of(rank / MEMBERS), answered = 0;

    make_ready(output);
    for (int group = 0; group < TASKS / MEMBERS; group++)
        if (writer_of(group) == rank)
            answered = collect(group, output);
    if (own != rank && !answered)
        answer(own, output);
}

int main(int argc, char **argv)
{
    int tasks;

    MPI_Init(&argc, &argv);
    fixed = argc > 1 && atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    if (tasks != TASKS) {
        fprintf(stderr, "writers: %d tasks are wanted\n", TASKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    put_out(LARGE);
    put_out(SMALL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("writers: ok");
    MPI_Finalize();
    return 0;
}
