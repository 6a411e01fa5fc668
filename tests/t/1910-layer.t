# Programs of all kinds do with our libmpi.so.40 before an Open MPI in a namespace
# what they do without it, and Hector sees of them what it always sees.
# limit: 60
# shellcheck disable=SC2016 # for another shell
. "${0%/*}/../lib/t.sh"
need_moves
need mpicc

ln -s "$build/lib/hector" "$T/layer"    # LD_PRELOAD takes no blank
export LAYER="$T/layer/libmpi.so.40"
with=$T/with            # PROGRAM...: with it, behind what is preloaded already
printf '#!/bin/sh
LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$LAYER" exec "$@"\n' >"$with"
chmod +x "$with"

same()          # TASKS PROGRAM...: the same status and output
{
    n=$1
    shift
    run hector-run -n "$n" --oversubscribe "$@"
    before="$status $(sort "$T/out" "$T/err")"
    run hector-run -n "$n" --oversubscribe "$with" "$@"
    is "$status $(sort "$T/out" "$T/err")" "$before" "${1##*/}"
}

# It is there at all: the program's MPI is ours, Open MPI's is another one.
cat >"$T/which.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    char line[4096], *at;
    int libraries = 0;
    Dl_info info;
    FILE *f;
    MPI_Init(&argc, &argv);
    dladdr((void *)PMPI_Send, &info);
    f = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof(line), f))
        if (strstr(line, "r-xp") && (at = strrchr(line, '/')) &&
            strncmp(at, "/libmpi.so.40", 13) == 0)
            libraries++;
    printf("%s %d\n", info.dli_fname, libraries);
    return MPI_Finalize();
}
C
mpicc -o "$T/which" "$T/which.c" -ldl
run hector-run -n 1 "$with" "$T/which"
is "$status $(cat "$T/out")" "0 $LAYER 2" 'there are two libraries of MPI'

# What PMIx sends is not kept until the other end has confirmed what was before.
cat >"$T/hurry.c" <<'C'
#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
int main(int argc, char **argv)
{
    int all = 0, slow = 0;
    MPI_Init(&argc, &argv);
    for (int fd = 3; fd < 1024; fd++) {
        struct sockaddr_storage peer;
        socklen_t size = sizeof(peer), one = sizeof(int);
        int at_once;
        if (getpeername(fd, (void *)&peer, &size) ||
            getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &at_once, &one))
            continue;
        all++;
        slow += !at_once;
    }
    printf("%d %d\n", all > 0, slow);
    return MPI_Finalize();
}
C
mpicc -o "$T/hurry" "$T/hurry.c"
run hector-run -n 1 "$with" "$T/hurry"
is "$status $(cat "$T/out")" '0 1 0' 'what its connections are given is sent at once'

same 4 "$APPS/handles" "$T/file"
[ ! -x "$APPS/fhandles" ] || same 4 "$APPS/fhandles"
same 4 "$APPS/state"
same 4 "$APPS/comms"
same 2 "$APPS/names"
same 2 "$APPS/stencil" 16 5
for p in fhello fcomms f08 tag_usempi; do
    [ ! -x "$APPS/$p" ] || same 4 "$APPS/$p"
done
: >"$T/enough"
[ ! -x "$APPS/fwhere" ] || same 3 "$APPS/fwhere" "$T/enough"
same 1 sh -c 'echo no MPI at all; exit 3'
same 1 "$APPS/exits" 0 exit 5

# What mpicxx links, used or not.
if command -v mpicxx >/dev/null; then
    printf '#include <mpi.h>
        int main() { MPI::Init(); MPI::COMM_WORLD.Barrier(); MPI::Finalize(); }' >"$T/bindings.cc"
    mpicxx -w -Wl,--no-as-needed -o "$T/bindings" "$T/bindings.cc" && same 2 "$T/bindings"
fi

# Threads that the program makes call MPI at the same time, and come and go.
cat >"$T/threads.c" <<'C'
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static int rank, size, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *talk(void *arg)
{
    int tag = *(int *)arg, in, n = 0;
    MPI_Request r[2];
    for (int i = 0; i < 200; i++) {
        MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(&i, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        n += in;
    }
    pthread_mutex_lock(&lock);
    sum += n;
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(int argc, char **argv)
{
    int level, tags[4] = { 1, 2, 3, 4 };
    pthread_t t[4];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 4; i++)
            pthread_create(&t[i], NULL, talk, &tags[i]);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
    }
    printf("%d %d\n", level == MPI_THREAD_MULTIPLE, sum);
    return MPI_Finalize();
}
C
mpicc -pthread -o "$T/threads" "$T/threads.c"
same 2 "$T/threads"

# Hector finds what it finds: by identities of communicators, by pairs of tasks,
# by the amount that a message has.
for p in recv-ring orders amount-gather; do
    set=stuck
    "$build/deadlocks/stuck" | cut -f 1 | grep -qx "$p" || set=stuck_counts
    run hector-run -n 4 --oversubscribe --on-hang kill --policy hang "$with" \
        "$build/deadlocks/$set" "$p"
    is "$status" 123 "$p: the job is ended"
    like "$T/err" 'deadlocked \(100 % sure' '... with a proof'
done

# A limit on address space: the layer takes a part of it.
run sh -c 'ulimit -v 600000; exec "$@"' sh hector-run -n 2 --oversubscribe "$with" \
    "$APPS/hello"
is "$status|$(out | sort | tr '\n' ' ')" '0|task 0 of 2 task 1 of 2 ' \
    'little address space is enough'

mkdir "$T/alone"
cp "$LAYER" "$T/alone"
LAYER=$T/alone/libmpi.so.40
run hector-run -n 1 "$with" "$APPS/hello"
is "$status" 125 'without its other half: 125'
like "$T/err" 'hector: MPI cannot be loaded for a task that can be moved: .*libhector-inside' \
    '... in words'
done_testing
