# Memory that a program has in huge pages, since it has asked for them, it has in huge
# pages when it is made of an image, generation after generation; other memory is as it
# was, and what is in both.
# limit: 20
. "${0%/*}/../lib/t.sh"
need cc
[ "$(uname -m)" = x86_64 ] || skip_all 'images are of x86-64 only'
grep -q '\[madvise\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null ||
    skip_all 'huge pages are not for who asks for them on this machine'

# huge IMAGE: writes IMAGE.1, which goes on to write IMAGE.2, which says at last what
# kB of huge pages both memories had, each time.
cat >"$T/huge.c" <<'C'
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mpi-wrappers/image/image.h"
enum { BYTES = 16 << 20, WORDS = BYTES / 8 };
static int others[1024];
static unsigned long huge_kb(const void *at)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    unsigned long kb = 0, n;
    uint64_t start, end;
    char line[500];
    int here = 0;
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*4[-rwxsp] ", &start, &end) == 2)
            here = start <= (uintptr_t)at && (uintptr_t)at < end;
        else if (here && sscanf(line, "AnonHugePages: %lu", &n) == 1)
            kb += n;
    if (f)
        fclose(f);
    return kb;
}
static uint64_t *map(int huge)
{
    char *p = mmap(NULL, BYTES + (4 << 20), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p += (2 << 20) - ((uintptr_t)p & ((2 << 20) - 1));
    if (mprotect(p, BYTES, PROT_READ | PROT_WRITE) != 0)
        exit(1);
    if (huge)
        madvise(p, BYTES, MADV_HUGEPAGE);
    for (uint64_t i = 0; i < WORDS; i++)
        ((uint64_t *)p)[i] = i * 88172645463325252u + 1;
    return (uint64_t *)p;
}
static int is_whole(const uint64_t *p)
{
    for (uint64_t i = 0; i < WORDS; i++)
        if (p[i] != i * 88172645463325252u + 1)
            return 0;
    return 1;
}
int main(int argc, char **argv)
{
    struct image_ask ask = { .but_fds = others };
    uint64_t *large = map(1), *small = map(0);
    unsigned long had[3][2];
    char why[300], name[400];
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            others[ask.nfds++] = fd;
    for (int n = 0; n < 3; n++) {
        int fd, rc;
        had[n][0] = huge_kb(large);
        had[n][1] = huge_kb(small);
        if (n == 2)
            break;
        snprintf(name, sizeof(name), "%s.%d", argv[argc - 1], n + 1);
        fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        rc = image_write(fd, &ask, why, sizeof(why));
        if (rc < 0)
            return fprintf(stderr, "%s\n", why), 1;
        if (rc == 0)
            return printf("%lu %lu\n", had[n][0], had[n][1]) < 0;
    }
    printf("%lu %lu\n%s\n", had[2][0], had[2][1],
           is_whole(large) && is_whole(small) ? "whole" : "damaged");
    return 0;
}
C
cc -std=c11 -D_GNU_SOURCE -O2 -I"$top" -o "$T/huge" "$T/huge.c" "$build/pic/image.a" || exit 1
"$T/huge" "$T/img" >"$T/first" 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
read -r first other <"$T/first"
[ "$first" = 16384 ] || skip_all "the kernel gives $first kB of huge pages at first"
hector-restore "$T/img.1" >"$T/second" 2>>"$T/err"
hector-restore "$T/img.2" >"$T/third" 2>>"$T/err"
cat "$T/err" >&2
has() { [ "$(cat "$T/$1")" = "$(printf '%b' "$2")" ] || { cat "$T/$1" >&2; false; }; }

ok 'memory in huge pages is in huge pages in what is made of its image, other memory not' \
    has second "$first $other"
ok 'and in what is made of an image of that, with what is in it' \
    has third "$first $other\nwhole"
done_testing
