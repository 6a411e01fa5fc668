/* bench_wake.c - what it takes to wake up at all: sleeps EVERY ms, again and
 * again, for SECONDS, and says how much processor time one time costs. It is the
 * limit for whoever looks at something that often.
 *
 *   bench_wake EVERY SECONDS: ns */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "proto/base/clock.h"

/* As the kernel accounts for it, with what it does before and after. */
static unsigned long long used_ns(void)
{
    unsigned long long ns = 0;
    FILE *f = fopen("/proc/self/schedstat", "r");

    if (!f || fscanf(f, "%llu", &ns) != 1)
        ns = 0;
    if (f)
        fclose(f);
    return ns;
}

int main(int argc, char **argv)
{
    uint64_t every_ns = argc == 3 ? (uint64_t)(atof(argv[1]) * 1e6) : 0;
    unsigned long n = every_ns ? (unsigned long)(atof(argv[2]) * 1e9) / every_ns
                               : 0;
    const struct timespec ts = {
        .tv_sec = (time_t)(every_ns / CLOCK_NS_PER_S),
        .tv_nsec = (long)(every_ns % CLOCK_NS_PER_S) };
    unsigned long long before;

    if (n == 0) {
        fprintf(stderr, "usage: bench_wake EVERY_MS SECONDS\n");
        return 2;
    }
    before = used_ns();
    for (unsigned long i = 0; i < n; i++)
        nanosleep(&ts, NULL);
    printf("%llu\n", (used_ns() - before) / n);
    return 0;
}
