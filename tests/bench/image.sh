#!/bin/sh
# image.sh - how long it takes to write a process with so much memory as an
# image, and until the next one goes on from there, against dd(1), which copies
# as many bytes. All in memory (/dev/shm), medians:
#
#   image of 100 MB: 100.1 MB, written in 0.25 s, restored in 0.28 s; dd 0.17 s,
#   ratios 1.47 and 1.65 (median of 5)
#
# And how fast a product of matrices is in the process that was made, and reads from all
# over 256 MB that are in huge pages, against before in the same one; beside it the same
# of a process that goes on after its image, which is what the machine is good for. The
# median, and where it lies with a probability of 95 % (order statistics); processor
# time, the best of many rounds, since others use the machine:
#
#   vectors: 1.001 of the speed before, 95 % in 0.998 .. 1.003; without 1.000, 95 % in
#   0.997 .. 1.002 (21 pairs)
#
# usage: image.sh BUILD [RUNS] [MB...]
set -eu
build=$1 runs=${2:-5} pairs=21
[ $# -lt 2 ] || shift
shift
[ $# -gt 0 ] || set -- 5 100 1024
here=$(cd "${0%/*}/../.." && pwd)
. "${0%/*}/../lib/spread.sh"
dir=$(mktemp -d /dev/shm/image-XXXXXX)
trap 'rm -rf "$dir"' EXIT
trap 'exit 143' TERM INT

# Says how long image_write() took, or since when it is restored.
cat >"$dir/large.c" <<'EOF'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "mpi-wrappers/image/image.h"
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static int others[1024];
int main(int argc, char **argv)
{
    struct image_ask ask = { .but_fds = others };
    size_t n = (size_t)atoi(argv[argc - 2]) << 17;
    uint64_t *a = malloc(n * sizeof(*a)), x = 88172645463325252u;
    char why[300];
    double began;
    int fd, rc;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        a[i] = x;
    }
    for (fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            others[ask.nfds++] = fd;
    fd = open(argv[argc - 1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    began = now();
    rc = image_write(fd, &ask, why, sizeof(why));
    if (rc < 0)
        return fprintf(stderr, "image.sh: %s\n", why), 1;
    printf("%.6f\n", rc ? now() : now() - began);
    return a[n - 1] != x;
}
EOF
cc -std=c11 -D_GNU_SOURCE -O2 -I"$here" -o "$dir/large" "$dir/large.c" \
    "$build/pic/image.a"
# Blocks of a product of matrices that stay in the cache, with vectors as long as
# they come; or single words of memory.
cat >"$dir/speed.c" <<'EOF'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "mpi-wrappers/image/image.h"
enum { N = 192, ROUNDS = 150, READS = 20000, BYTES = 256 << 20, HUGE = 2 << 20 };
static double a[N][N], b[N][N], c[N][N];
static uint64_t *words;
static int others[1024];
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static void vectors(void)
{
    for (int i = 0; i < N; i++)
        for (int l = 0; l < N; l++)
            for (int j = 0; j < N; j++)
                c[i][j] += a[i][l] * b[l][j];
}
static void reads(void)
{
    static uint64_t x = 1;
    for (int i = 0; i < READS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        x += words[(x >> 33) % (BYTES / 8)]++;
    }
}
static double best(void (*f)(void))
{
    double least = 1e9;
    for (int k = 0; k < ROUNDS; k++) {
        double s = now();
        f();
        s = now() - s;
        least = s < least ? s : least;
    }
    return least;
}
int main(int argc, char **argv)
{
    struct image_ask ask = { .but_fds = others };
    void (*f)(void) = strcmp(argv[1], "vectors") == 0 ? vectors : reads;
    double before;
    char why[300], *p;
    int rc;
    for (int i = 0; i < N * N; i++)
        a[i / N][i % N] = i % 7, b[i / N][i % N] = i % 5;
    if (f == reads) {
        p = mmap(NULL, BYTES + HUGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            return 1;
        p += HUGE - (uintptr_t)p % HUGE;
        madvise(p, BYTES, MADV_HUGEPAGE);
        memset(p, 1, BYTES);
        words = (uint64_t *)(void *)p;
    }
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            others[ask.nfds++] = fd;
    before = best(f);
    rc = image_write(open(argv[argc - 1], O_WRONLY | O_CREAT | O_TRUNC |
                          O_CLOEXEC, 0600), &ask, why, sizeof(why));
    if (rc < 0)
        return fprintf(stderr, "image.sh: %s\n", why), 1;
    printf("%s %.4f\n", rc ? "made" : "control", before / best(f));
    return c[5][5] < 0;
}
EOF
cc -std=c11 -D_GNU_SOURCE -O3 -march=native -I"$here" -o "$dir/speed" \
    "$dir/speed.c" "$build/pic/image.a"
# On the same clock: from before the command until it says when it went on.
cat >"$dir/clock.c" <<'EOF'
#include <stdio.h>
#include <time.h>
int main(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return printf("%.6f\n", (double)t.tv_sec + (double)t.tv_nsec * 1e-9) < 0;
}
EOF
cc -O2 -o "$dir/clock" "$dir/clock.c"
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
since() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.6f\n", b - a }'; }

for mb; do
    for f in write read dd_takes; do : >"$dir/$f"; done
    i=0
    while [ $i -lt "$runs" ]; do
        rm -f "$dir/img" "$dir/dd"
        "$dir/large" "$mb" "$dir/img" >>"$dir/write"
        blocks=$(($(stat -c %s "$dir/img") / 262144))
        a=$("$dir/clock")
        dd if="$dir/img" of="$dir/dd" bs=256k count=$blocks 2>/dev/null
        since "$a" "$("$dir/clock")" >>"$dir/dd_takes"
        a=$("$dir/clock")
        "$build/bin/hector-restore" "$dir/img" >"$dir/went"
        since "$a" "$(cat "$dir/went")" >>"$dir/read"
        i=$((i + 1))
    done
    echo "$mb $(stat -c %s "$dir/img") $(median "$dir/write")" \
        "$(median "$dir/read") $(median "$dir/dd_takes") $runs" | awk '{
            printf "image of %d MB: %.1f MB, written in %.3f s, restored in %.3f s; ",
                $1, $2 / 1048576, $3, $4
            printf "dd %.3f s, ratios %.2f and %.2f (median of %d)\n",
                $5, $3 / $5, $4 / $5, $6 }'
done

for what in vectors huge; do
    : >"$dir/ratios"
    i=0
    while [ $i -lt $pairs ]; do
        rm -f "$dir/img"
        "$dir/speed" $what "$dir/img" >>"$dir/ratios"
        "$build/bin/hector-restore" "$dir/img" >>"$dir/ratios"
        i=$((i + 1))
    done
    name=$what
    [ $what = vectors ] || name='memory in huge pages'
    echo "$name: $(spread made "$dir/ratios" 'of the speed before');" \
        "without $(spread control "$dir/ratios" '') ($pairs pairs)"
done
