# A slave that is told to end while it starts does so in order; one that dies
# without a job has no last words that are worth waiting for.
# limit: 60
# shellcheck disable=SC2154 # $started is t.sh's
. "${0%/*}/../lib/t.sh"

# The guard's child is slow, and told to end before it can do anything.
cat >"$T/early.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>
pid_t fork(void)
{
    pid_t pid = ((pid_t (*)(void))dlsym(RTLD_NEXT, "fork"))();
    if (pid == 0) {
        kill(getppid(), SIGTERM);
        usleep(200000);
    }
    return pid;
}
END
cc -shared -fPIC -o "$T/early.so" "$T/early.c" -ldl

for how in --private -v; do
    run env LD_PRELOAD="$T/early.so" \
        hector-slave -d $how --master "unix:$T/nobody" --name n1
    is "$status" 0 "told to end while it starts ($how): 0"
    is "$(grep -c 'killed by' "$T/err")" 0 '... and in order'
done

start slave hector-slave -d --master "unix:$T/nobody" --name n1
wait_for '[ -e "$TMPDIR"/hector-*/tasks.sock ]'
kill -KILL "$(cat "/proc/$started/task/$started/children")"
wait "$started"
is "$?" 137 'killed without a job: 137'
is "$(grep -c 'gasp: ' "$T/slave.log")" 0 '... without waiting for a master'
done_testing
