/* soundness.c - is a proof a proof? Random programs in a model of MPI, looked
 * at by the policy that proves deadlocks; what is found is counted, and the
 * first counterexamples are printed as small as they get.
 *
 * usage: soundness [-l LOOKS] [-s SEED] [-p PARTS] [-m] [-n COUNT] [-k CALL]
 *                  [-1 SEED]
 *
 * LOOKS    how many looks (10000000)
 * SEED     of the first program; each one has the next number
 * PARTS    enum program_parts
 * -m       also prints deadlocks that are not proven
 * COUNT    of each kind so many are printed at most (5)
 * -k CALL  prints those only that have to do with it: "MPI_Recv"
 * -1 SEED  this program alone, and what is said of it
 *
 * The exit status is 1 if anything that was said was wrong. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/sim/tally.h"

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    static struct tally t;
    uint64_t looks = 10000000, seed = 1, only = 0;
    unsigned parts = PROGRAM_ALL, count = 5, wrong = 0, missed = 0;
    bool show_missed = false;
    const char *call = NULL;
    double begin = seconds();
    int c;

    while ((c = getopt(argc, argv, "l:s:p:mn:k:1:")) != -1)
        switch (c) {
        case 'l': looks = strtoull(optarg, NULL, 10); break;
        case 's': seed = strtoull(optarg, NULL, 10); break;
        case 'p': parts = (unsigned)atoi(optarg); break;
        case 'm': show_missed = true; break;
        case 'n': count = (unsigned)atoi(optarg); break;
        case 'k': call = optarg; break;
        case '1': only = strtoull(optarg, NULL, 10); break;
        default: return 2;
        }
    if (only) {
        tally_show(stdout, only, parts, show_missed);
        return 0;
    }
    for (; t.looks < looks; seed++) {
        enum tally_found found = tally_run(&t, seed, parts);

        if (call && strcmp(program_call(t.last_kind), call) != 0)
            continue;
        if (found == TALLY_WRONG && wrong++ < count)
            tally_show(stdout, seed, parts, false);
        if (found == TALLY_MISSED && show_missed && missed++ < count)
            tally_show(stdout, seed, parts, true);
    }
    tally_print(stdout, &t);
    printf("%.0f looks a second\n", (double)t.looks / (seconds() - begin));
    return t.wrong > 0;
}
