# What the tasks that a verdict names have printed, and not written yet, is told
# with it: of a line that is not finished, of a block, of a buffer of the program's
# own, of a program that is linked statically; and nothing where there is nothing.
# limit: 60
# shellcheck disable=SC2016 # what is quoted is awk
. "${0%/*}/../lib/t.sh"
need mpicc

cat >printer.c <<'END'
/* printer HOW: rank 1 prints, and sleeps for ever; rank 0 waits for it */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char own[100000];
    const char *how = argc > 1 ? argv[1] : "";
    int rank, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(how, "own") == 0)
        setvbuf(stdout, own, _IOFBF, sizeof(own));
    if (strcmp(how, "none") == 0)
        setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 0; i < 50; i++)
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1) {
        printf("step 1 of 3\nstep 2 of 3\nstep\t3");
        if (strcmp(how, "long") == 0)
            for (int i = 0; i < 60; i++)
                printf(" %d.", i);
        if (strcmp(how, "all") == 0)
            puts(""), fflush(stdout);
        MPI_Recv(&sum, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o printer printer.c || skip_all 'mpicc cannot build'

hung()          # [OPTION...] PROGRAM HOW: what was told of the buffer
{
    run hector-run -n 2 --oversubscribe --on-hang kill "$@"
    [ "$status" = 123 ] || echo "status $status"
    sed -n 's/^hector:   task 1 on [^ ]* has printed, but not written yet: //p' \
        "$T/err"
}
is "$(hung ./printer)" '"step\x093"' 'a line that is not finished'
is "$(out)" "$(printf 'step 1 of 3\nstep 2 of 3')" '... the others were written'
is "$(awk '/is deadlocked/ { on = 1 } on && /has printed/ { print last }
    { last = $2 " " $3 }' "$T/err" | head -n 1)" 'task 1' \
    '... told behind the lines about the tasks'
run hector why 1
like "$T/out" '^ *task 1 on [^ ]* has printed, but not written yet: "step.x093"$' \
    '... and recorded'
is "$(hung --buffer block ./printer)" '"step 2 of 3", "step\x093"' \
    'a block: its last two lines'
is "$(hung ./printer own)" '"step 2 of 3", "step\x093"' 'a buffer of its own'
is "$(hung ./printer long | sed 's/ [0-9. ]* 58/ 58/')" '"... 58. 59."' \
    'the end of a long line'
is "$(hung ./printer none)$(hung ./printer all)" '' 'nothing, where there is nothing'

# Without the symbol in the program, and without permission to read it.
mpicc -g -fPIC -pie -Wl,-z,nocopyreloc -mno-direct-extern-access -o free \
    printer.c 2>/dev/null || mpicc -g -fPIC -pie -o free printer.c
is "$(hung ./free)" '"step\x093"' 'a program without a copy of stdout'
done_testing
