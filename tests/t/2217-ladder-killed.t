# The master is killed when a step for a deadline has just been stored, ordered, seen
# done, and is being taken back: each time the other job goes on, and the next master
# takes back what there was; the real-time job dies. Nothing is left given up.
# limit: 120
# busy
# shellcheck disable=SC2016,SC2086,SC2119,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3 taskset setpriv cc
. "$top/tests/lib/ladder.sh"

# In front of SQLite: the master ends as by kill -9 right after the transaction in which
# a row of table rung has come to the state $RUNG_KILL.
cat >"$T/killer.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sqlite3.h>
static int armed;
int sqlite3_bind_text(sqlite3_stmt *s, int i, const char *text, int n, void (*f)(void *))
{
    int (*real)(sqlite3_stmt *, int, const char *, int, void (*)(void *)) =
        (int (*)(sqlite3_stmt *, int, const char *, int, void (*)(void *)))
        dlsym(RTLD_NEXT, "sqlite3_bind_text");
    const char *at = getenv("RUNG_KILL"), *sql = sqlite3_sql(s);
    size_t len = text ? n < 0 ? strlen(text) : (size_t)n : 0;
    if (at && sql && strstr(sql, "INTO rung") && len == strlen(at) &&
        !memcmp(text, at, len))
        armed = 1;
    return real(s, i, text, n, f);
}
int sqlite3_step(sqlite3_stmt *s)
{
    int (*real)(sqlite3_stmt *) =
        (int (*)(sqlite3_stmt *))dlsym(RTLD_NEXT, "sqlite3_step");
    const char *sql = sqlite3_sql(s);
    int commits = armed && sql && !strcmp(sql, "COMMIT"), rc = real(s);
    if (commits && rc == SQLITE_DONE)
        kill(getpid(), SIGKILL);
    return rc;
}
C
cc -shared -fPIC -o "$T/killer.so" "$T/killer.c" -ldl 2>"$T/cc" ||
    skip_all "no header of SQLite: $(head -n 1 "$T/cc")"

killer()        # STATE: the next master, until it comes to that
{
    log=killed-$1
    start "$log" env LD_PRELOAD="$T/killer.so" RUNG_KILL="$1" hector-master -d -v \
        -f "$T/master.conf"
    master_pid=$started
    wait_for '! kill -0 $master_pid 2>/dev/null'
    status=0
    wait "$master_pid" || status=$?
    is "$status $(sql "SELECT state FROM rung ORDER BY at_ns DESC LIMIT 1")" "137 $1" \
        "a master is killed with a step that is $1"
}
# The processes of the crowd, which nobody asks the master about.
ticks()                 # that they have computed
{
    n=0
    for p in $crowd_pids; do
        read -r t <"/proc/$p/stat" && set -- ${t##*) } && n=$((n + ${12} + ${13}))
    done
    echo $n
}
goes_on_alone()         # DESCRIPTION: with no master at all
{
    had=$(ticks)
    since=$(date +%s%N)
    wait_for '[ "$(ticks)" -ge $((had + 20)) ]'
    ok "$1" [ "$(ticks)" -ge $((had + 20)) ]
    echo "# $((($(date +%s%N) - since) / 1000000)) ms after that it had computed for 0.2 s" >&2
}

start_master
slave here "$first" $drop
crowd
crowd_pids=$(sql "SELECT pid FROM tasks WHERE job = $job_crowd")
kill -9 "$master_pid"
wait "$master_pid" 2>/dev/null

# The real-time job comes when the first of them is there.
fresh rt.out rt.err
(
    wait_for 'grep -q "listening on" "$T/killed-stored.log"'
    exec hector-run --master "$master" --name rt --oversubscribe --policy none -n 2 \
        --policy deadline --deadline 'in..out<=100ms,firm' --on-deadline act \
        "$APPS/beat" 20 "$T/rt" 100 0
) >"$T/rt.out" 2>"$T/rt.err" </dev/null &
pid_rt=$!
killer stored
job_rt=$(number rt)
goes_on_alone '... the other job goes on'
killer doing
is "$(steps "state = 'failed' AND result = 'hector-master ended before it was done'")" 1 \
    '... the one before was never done, and the record says so'
goes_on_alone '... the other job goes on'
killer 'done'
is "$(steps "state = 'undone' AND result = 'hector-master was started again'")" 1 \
    '... the one before is taken back'
goes_on_alone '... the other job goes on'
killer undoing
goes_on_alone '... the other job goes on'

launch_master last
wait_for '[ "$(steps "state = '\''undone'\'' AND
    result = '\''hector-master was started again'\''")" -ge 2 ]'
stands
ok 'a master that lives takes back what there was, and begins anew' \
    test "$(steps "state = 'undone' AND result = 'hector-master was started again'")" -ge 2
for p in $(sql "SELECT pid FROM tasks WHERE job = $job_rt AND pid IS NOT NULL"); do
    kill -9 "$p"
done
ok 'the tasks of the real-time job are killed: the other goes on' goes_on
wait "$pid_rt"
is "$?" 137 '... its end is that of its task'
wait_for '[ "$(steps "state NOT IN ('\''undone'\'', '\''failed'\'')")" = 0 ]'
is "$(steps "state NOT IN ('undone', 'failed')")" 0 '... and nothing is given up any more'
ends crowd
is "$ended" '0 rounds are over' '... to its end, and well'
done_testing
