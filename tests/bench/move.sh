#!/bin/sh
# move.sh - how long a job stands while a task with so much memory goes from one
# simulated host to another, as a task that stays sees it, against what that may
# take: 0.6 s, and 1.2 times what a program takes that sends as many bytes from one
# host to the other, just before. Links of 1 and of 10 Gbit/s, and as they are: then
# both hosts share the processors of one machine, and the image is made, hashed, sealed,
# passed on, opened, hashed and taken by turns. Medians:
#
#   move of 100 MB: the job stood for 0.47 s, 106 MB sent alone 0.06 s, limit 0.67 s,
#   ratio 0.70 (median of 3)
#     link of 1767 MB/s, the image took 1.9 times as long as that, 0.1 MB came to the
#     master
#   move of 16 tasks of 5 MB: ...
#
# then the parts of the last move of each size, how long a program takes that only
# touches so much memory (on a virtual machine that gives memory back to its host the
# first touch is dear; "again" is just after), and the speed of a product of
# matrices in a task that has moved, against that before, in processor time:
#
#   vectors: 1.001 of the speed before
#
# Nothing that it has started outlives it, whatever ends it.
#
# usage: move.sh BUILD            RUNS=3 SIZES='5 100 1024' in the environment
# shellcheck disable=SC2016 # wait_for expands
if [ $# -gt 0 ]; then
    HECTOR_BUILD=$(cd "$1" && pwd)
    export HECTOR_BUILD
fi
. "${0%/*}/../lib/t.sh"
hosts 2
need mpicc sqlite3
runs=${RUNS:-3} sizes=${SIZES:-5 100 1024}

# Fills so much memory in each task but the first, says so, and passes a number
# around until a file is there. Task 0 says how long the longest round has taken,
# the last one how quick it is at first, and at the end.
cat >"$T/large.c" <<'C'
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
enum { N = 192, ROUNDS = 150 };
static double a[N][N], b[N][N], c[N][N];
static double spent(void)       /* others use the machine, too */
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double best(void)
{
    double least = 1e9;
    for (int k = 0; k < ROUNDS; k++) {
        double s = spent();
        for (int i = 0; i < N; i++)
            for (int l = 0; l < N; l++)
                for (int j = 0; j < N; j++)
                    c[i][j] += a[i][l] * b[l][j];
        s = spent() - s;
        least = s < least ? s : least;
    }
    return least;
}
int main(int argc, char **argv)
{
    size_t n = argc > 2 ? (size_t)atoi(argv[2]) << 17 : 0;
    uint64_t *v, x = 88172645463325252u;
    double quick = 0, longest = 0, last;
    int rank, size, stop = 0, in = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    n = rank ? n : 0;
    v = malloc(n * sizeof(*v) + 8);
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        v[i] = x;
    }
    for (int i = 0; i < N * N; i++)
        a[i / N][i % N] = i % 7, b[i / N][i % N] = i % 5;
    if (rank == size - 1)
        quick = best();
    MPI_Barrier(MPI_COMM_WORLD);
    printf("begun\n");
    fflush(stdout);
    last = MPI_Wtime();
    while (!stop) {
        double now;
        stop = rank == 0 && access(argv[1], F_OK) == 0;
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 7, &in, 1, MPI_INT,
                     (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        now = MPI_Wtime();
        longest = now - last > longest ? now - last : longest;
        last = now;
        usleep(1000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1)
        printf("vectors %.4f\n", quick / best());
    if (rank == 0)
        printf("longest %.4f\n", longest);
    if (n && v[n - 1] != x)
        printf("damaged\n");
    return MPI_Finalize();
}
C
mpicc -D_GNU_SOURCE -O3 -march=native -o "$T/large" "$T/large.c" || exit 1
# sender PORT: takes all that comes, and sends a byte back; sender PORT ADDRESS
# BYTES: sends that, and says how long it took until the byte was there.
cat >"$T/sender.c" <<'C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static char piece[256 << 10];
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
int main(int argc, char **argv)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((unsigned short)atoi(argv[1])) };
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    double began;
    memset(piece, 'x', sizeof(piece));
    if (argc < 4) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
        if (bind(fd, (void *)&at, sizeof(at)) || listen(fd, 4))
            return perror("sender"), 1;
        puts("listens");
        fflush(stdout);
        for (int to; (to = accept(fd, NULL, NULL)) >= 0; close(to)) {
            while (read(to, piece, sizeof(piece)) > 0)
                ;
            if (write(to, "", 1) != 1)
                return 1;
        }
        return 1;
    }
    inet_pton(AF_INET, argv[2], &at.sin_addr);
    began = now();
    if (connect(fd, (void *)&at, sizeof(at)))
        return perror("sender"), 1;
    for (long long left = atoll(argv[3]), n; left > 0; left -= n)
        if ((n = write(fd, piece, left < (long long)sizeof(piece) ? (size_t)left
                                                                  : sizeof(piece))) <= 0)
            return perror("sender"), 1;
    shutdown(fd, SHUT_WR);
    if (read(fd, piece, 1) != 1)
        return 1;
    return printf("%.6f\n", now() - began) < 0;
}
C
cc -O2 -o "$T/sender" "$T/sender.c" || exit 1
cat >"$T/touch.c" <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double touch(size_t bytes)
{
    double began = now();
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    began = now() - began;
    if (p == MAP_FAILED)
        exit(1);
    munmap(p, bytes);
    return began;
}
int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? (size_t)atoi(argv[1]) << 20 : 0;
    double first = touch(bytes);
    return printf("%.2f s, again %.2f s\n", first, touch(bytes)) < 0;
}
C
cc -O2 -o "$T/touch" "$T/touch.c" || exit 1
start sender mortal sh "$AGENT" n2 "$T/sender" 7000
wait_for 'grep -q listens "$T/sender.log"'

to_master()     # bytes so far; the bridge counts none that goes from host to host
{
    awk '$1 == "lan:" { print $2 }' /proc/net/dev
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# MB TASKS LINK: those tasks from n1 to n2, once
one_move()
{
    rm -f "$T/enough"
    fresh out err
    mortal hector-run -q --policy none --launch-agent "$AGENT" -H n1:64,n2:64 -n $(($2 + 1)) \
        --oversubscribe --migratable "$T/large" "$T/enough" "$1" </dev/null \
        >"$T/out" 2>"$T/err" &
    runner=$!
    wait_for '[ "$(grep -c begun "$T/out")" = '$(($2 + 1))' ] ||
        ! kill -0 $runner 2>/dev/null'
    job=$(sql 'SELECT max(job) FROM jobs')
    before=$(to_master)
    hector migrate "$job.1-$2" n2 >"$T/migrate" 2>&1 || cat "$T/migrate"
    echo $(($(to_master) - before)) >>"$T/passed"
    : >"$T/enough"
    wait $runner || { echo "move.sh: the job failed"; cat "$T/out" "$T/err"; exit 1; }
    ! grep -q damaged "$T/out" || { echo "move.sh: the memory is another one"; exit 1; }
    sed -n 's/^longest //p' "$T/out" >>"$T/longest"
    sed -n 's/^vectors //p' "$T/out" >>"$T/vectors"
    bytes=$(sql "SELECT image_bytes FROM moves WHERE job = $job")
    sql "SELECT image_ns / 1e9 FROM moves WHERE job = $job" >>"$T/image"
    on n1 "$T/sender" 7000 10.66.0.2 "$bytes" >>"$T/alone"
}
moves()         # MB TASKS LINK
{
    for f in longest alone passed image; do : >"$T/$f"; done
    i=0
    while [ $i -lt "$runs" ]; do
        one_move "$@"
        i=$((i + 1))
    done
    fixed=0.6 what="$1 MB"
    [ "$2" = 1 ] || fixed=2 what="$2 tasks of $1 MB"
    # said by this shell, which ends when nobody reads it
    said=$(echo "$bytes $(median "$T/longest") $(median "$T/alone") $(median "$T/image")" \
        "$(median "$T/passed")" |
        awk -v fixed=$fixed -v what="$what$3" -v runs="$runs" '{
            limit = fixed + 1.2 * $3
            printf "move of %s: the job stood for %.2f s, %.0f MB sent alone %.2f s, ",
                what, $2, $1 / 1e6, $3
            printf "limit %.2f s, ratio %.2f (median of %d)\n", limit, $2 / limit, runs
            printf "  link of %.0f MB/s, the image took %.1f times as long as that, ",
                $1 / $3 / 1e6, $4 / $3
            printf "%.1f MB came to the master\n", $5 / 1e6 }')
    echo "$said"
    said=$(hector why "$job" | grep '^  ')
    echo "$said"
}

: >"$T/vectors"
for mb in $sizes; do moves "$mb" 1 ''; done
moves 5 16 ''
for gbit in 10 1; do
    for h in n1 n2; do
        on "$h" tc qdisc replace dev eth0 root tbf rate ${gbit}gbit burst 2mb \
            latency 50ms 2>"$T/tc" || gbit=
    done
    if [ -z "$gbit" ]; then
        echo "move: no slower link, $(cat "$T/tc")"
        break
    fi
    for mb in $sizes; do moves "$mb" 1 " at $gbit Gbit/s"; done
done
for mb in $sizes; do
    echo "memory of $mb MB touched: $("$T/touch" "$mb")"
done
echo "vectors: $(median "$T/vectors") of the speed before"
t_stop_started
