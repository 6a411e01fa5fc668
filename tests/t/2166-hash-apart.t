# The hash of an image is made by another processor than what reads it, where there is
# one: memory of all kinds is what it was, nothing of that is left in the process that
# becomes of it, and one bit that is another one is found, with one processor or two.
# limit: 20
# shellcheck disable=SC2016,SC2086 # for another shell; words are wanted
. "${0%/*}/../lib/t.sh"
need cc taskset
[ "$(uname -m)" = x86_64 ] || skip_all 'images are of x86-64 only'
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
[ "$(nproc)" -gt 1 ] || skip_all 'there is one processor'

# apart IMAGE: writes that, and ends; what becomes of it says what is in its memory, and
# how many threads it is. One part is in single pages, one may not be read by anybody.
cat >"$T/apart.c" <<'C'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "mpi-wrappers/image/image.h"
enum { BYTES = 16 << 20, PAGE = 4096 };
static int others[1024];
static uint64_t value(uint64_t i) { return i * 88172645463325252u + 1; }
static uint64_t *fill(uint64_t step, int prot)
{
    uint64_t *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        exit(1);
    for (uint64_t at = 0; at < BYTES / 8; at += step * PAGE / 8)
        for (uint64_t i = at; i < at + PAGE / 8; i++)
            p[i] = value(i);
    mprotect(p, BYTES, prot);
    return p;
}
static int is_whole(uint64_t *p, uint64_t step)
{
    mprotect(p, BYTES, PROT_READ);
    for (uint64_t i = 0; i < BYTES / 8; i++)
        if (p[i] != (i / (PAGE / 8) % step ? 0 : value(i)))
            return 0;
    return 1;
}
int main(int argc, char **argv)
{
    struct image_ask ask = { .but_fds = others };
    uint64_t *all = fill(1, PROT_READ | PROT_WRITE), *closed = fill(1, PROT_NONE);
    uint64_t *pages = fill(2, PROT_READ | PROT_WRITE), *code = fill(3, PROT_READ | PROT_EXEC);
    char why[300], line[300];
    int fd, rc;
    FILE *f;
    for (fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            others[ask.nfds++] = fd;
    fd = open(argv[argc - 1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    rc = image_write(fd, &ask, why, sizeof(why));
    if (rc <= 0)
        return rc < 0 ? fprintf(stderr, "%s\n", why), 1 : 0;
    f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, "Threads:", 8) == 0)
            printf("%d threads, ", atoi(line + 8));
    printf("%s\n", is_whole(all, 1) && is_whole(closed, 1) && is_whole(pages, 2) &&
                   is_whole(code, 3) ? "whole" : "damaged");
    return 0;
}
C
cc -std=c11 -D_GNU_SOURCE -O2 -I"$top" -o "$T/apart" "$T/apart.c" "$build/pic/image.a" || exit 1
"$T/apart" "$T/img" || exit 1
bytes=$(stat -c %s "$T/img")
mkfifo "$T/way"

threads() { sed -n 's/^Threads:[^0-9]*//p' "/proc/$reader/status" 2>/dev/null; }
begins()        # COMMAND...: that reads what becomes of $T/from, half of which comes
{
    fresh out err
    "$@" hector-restore fd:9 9<>"$T/way" >"$T/out" 2>"$T/err" &
    reader=$!
    timeout 60 sh -c 'head -c "$1" "$2" >"$3"' sh $((bytes / 2)) "$T/from" "$T/way"
}
ends()          # the rest comes; what it says, and its status
{
    timeout 60 sh -c 'tail -c +"$1" "$2" >"$3"' sh $((bytes / 2 + 1)) "$T/from" "$T/way"
    status=0
    wait $reader || status=$?
    said="$status $(cat "$T/out" "$T/err")"
}

cp "$T/img" "$T/from"
begins
ok 'a thread makes the hash of what is read' wait_for '[ "$(threads)" = 2 ]'
ends
is "$said" '0 1 threads, whole' 'memory of all kinds is what it was, and it has gone then'
begins taskset -c "$first"
is "$(threads)" 1 'where there is one processor it is made by who reads'
ends
is "$said" '0 1 threads, whole' 'and all is as with two'

# A bit amid the memory.
at=$((bytes * 3 / 4))
was=$(od -An -tu1 -j $at -N 1 "$T/img")
# shellcheck disable=SC2059 # that is the byte
printf "\\$(printf %o $((was ^ 16)))" |
    dd of="$T/from" bs=1 seek=$at conv=notrunc 2>/dev/null
for how in '' "taskset -c $first"; do
    begins $how
    ends
    is "$status $(grep -c 'damaged: its memory' "$T/err")" '125 1' \
        "a bit that is another one is found${how:+, by one processor}"
done
done_testing
