# Ctrl-C while a job starts, at every step of the start: status 130, nothing on
# standard error but what the person is to know, nothing left. Each step is held
# where it is by a stand-in for one of the programs.
# limit: 60
# shellcheck disable=SC2154,SC2016 # $status is t.sh's; for another shell
. "${0%/*}/../lib/t.sh"
need cc pkg-config

mkdir "$T/bin"
cp "$BIN/hector-run" "$T/bin"
# A program of hector-run's that stops before, or as, it starts: $HOLD says
# which. It writes its pid to $T/held.
for p in hector-master hector-slave; do
    printf '#!/bin/sh
if [ "$HOLD" = %s ]; then
    echo $$ >"$T/held.new"; mv "$T/held.new" "$T/held"
    kill -STOP $$
elif [ -n "$HOLD_SO" ] && [ %s = hector-slave ]; then
    export LD_PRELOAD="$HOLD_SO"
fi
exec "$BIN/%s" "$@"\n' $p $p $p >"$T/bin/$p"
    chmod +x "$T/bin/$p"
done
printf '#!/bin/sh
echo $$ >"$T/held.new"; mv "$T/held.new" "$T/held"
exec sleep 100\n' >"$T/blocks"
chmod +x "$T/blocks"

# The slave stops where it would make its first task.
cat >"$T/fork.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pid_t slave;
pid_t fork(void)
{
    pid_t (*next)(void) = (pid_t (*)(void))dlsym(RTLD_NEXT, "fork");

    if (!slave) {               /* the guard's */
        pid_t pid = next();
        if (pid == 0)
            slave = getpid();
        return pid;
    }
    static FILE *f;

    if (!f) {
        f = fopen(getenv("HELD"), "w");
        fprintf(f, "%d\n", (int)slave);
        fclose(f);
        raise(SIGSTOP);
    }
    return next();
}
END
cc -shared -fPIC -o "$T/fork.so" "$T/fork.c" -ldl
# shellcheck disable=SC2046 # several words
cc -shared -fPIC $(pkg-config --cflags pmix) -o "$T/stuck.so" \
    "$top/tests/lib/pmix_stuck.c" -ldl
export HOLD="" HOLD_SO="" HELD="$T/held" PMIX_STUCK="$T/stuck"

state() { sql 'SELECT state FROM jobs ORDER BY job DESC LIMIT 1' 2>/dev/null; }
begin()
{
    rm -f "$T/held" "$HECTOR_DB"*
    env --default-signal=INT "$T/bin/hector-run" "$@" >"$T/out" 2>"$T/err" \
        </dev/null &
    runner=$!
}
# The record has it before hector-run is told: whom the master has answered knows that
# it was.
waits()
{
    wait_for '[ "$(state)" = waiting ]'
    hector kill --signal CONT 1 >/dev/null
}
held() { wait_for '[ -s "$T/held" ]'; }
stopped() { grep -q '^State:.T' "/proc/$(cat "$T/held")/status"; }
let_go()        # what is held, which may have gone
{
    kill -CONT "$(cat "$T/held")" 2>/dev/null
}
interrupted()   # MOMENT [LINE]: 130; this line is all that is said
{
    status=0
    wait "$runner" || status=$?
    is "$status" 130 "interrupted $1: 130"
    is "$(cat "$T/err")" "${2:-}" '... and nothing is said that nobody needs'
    left_nothing '... nothing is left'
}
ending='hector: interrupted: job 1 is being ended; once more kills it at once'

HOLD=hector-master
begin -n 1 sleep 100
held && wait_for stopped
kill -INT "$runner"
let_go
interrupted 'before there is a master'

HOLD=hector-slave
begin -n 1 sleep 100
held && wait_for stopped
waits
kill -INT "$runner"
wait_for '[ "$(state)" = killed ]'
let_go
interrupted 'before there is a slave' "$ending"
HOLD=

begin -H nowhere --launch-agent "$T/blocks" -n 1 sleep 100
held
waits
kill -INT "$runner"
interrupted 'while a launch agent blocks' "$ending"

HOLD_SO=$T/stuck.so
touch "$T/stuck"
begin -n 1 sleep 100
wait_for '[ ! -e "$T/stuck" ] && [ "$(state)" = preparing ]'
kill -INT "$runner"
interrupted 'while the slave prepares' "$ending"

HOLD_SO=$T/fork.so
begin -n 2 sleep 100
held && wait_for stopped
kill -INT "$runner"
wait_for '[ "$(state)" = ending ]'
let_go
interrupted 'as the tasks are started' "$ending"
is "$(state) $(sql 'SELECT DISTINCT state FROM tasks')" 'killed killed' \
    '... and they have been ended'
HOLD_SO=

begin -n 2 "$APPS/hello" --wait-for "$T/never"
wait_for '[ "$(state)" = running ]'
kill -INT "$runner"
interrupted 'as the tasks come into MPI' "$ending"
done_testing
