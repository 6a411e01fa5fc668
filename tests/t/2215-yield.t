# sched_yield(2) is libc's in every task but those that are started in class realtime:
# these have it from a library of its own. Who comes to that class later, or where the
# library is missing, has SCHED_RR, and no part of each period, which is said once.
# limit: 60
# shellcheck disable=SC2015,SC2016,SC2086,SC2154 # tasks' shells expand; words; t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3 cc chrt

cat >"$T/whose.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    Dl_info is;
    void *p = dlsym(RTLD_DEFAULT, "sched_yield");
    if (!p || !dladdr(p, &is))
        return 1;
    puts(strrchr(is.dli_fname, '/') + 1);
    return 0;
}
C
cc -o "$T/whose" "$T/whose.c" -ldl
whose()         # OPTION...
{
    run hector-run "$@" "$T/whose"
    echo "$status $(sort -u "$T/out" | sed 's/^libc[.-].*/libc/')"
}
is "$(whose) $(whose --priority -3) $(whose --class idle)" '0 libc 0 libc 0 libc' \
    'sched_yield of a task is libc'\''s'
is "$(whose --deadline 'x/20ms')" '0 libc' '... also where something is due'
is "$(whose --class realtime)" '0 libhector-yield.so' '... in class realtime another one'
is "$(whose --class realtime --migratable)" '0 libc' '... unless the task can be moved'
cp "$build/lib/libhector-yield.so" "$T"         # a path without blanks
hector-run -x LD_PRELOAD="$T/libhector-yield.so" sh -c '"$0"' "$T/whose" \
    >"$T/out" 2>&1
is "$(cat "$T/out")" 'libhector-yield.so' '... who has it there himself keeps it'

# ------------------------------------------------------------ SCHED_DEADLINE
[ "$(nproc)" -gt 1 ] && chrt -d --sched-runtime 1000000 --sched-deadline 20000000 \
    --sched-period 20000000 0 true 2>/dev/null || {
    skip 'class realtime' 'no SCHED_DEADLINE here'
    done_testing
    exit
}
start_master
printf 'max_priority = 5\nrealtime = yes\n' >>"$T/master.conf"
kill "$master_pid"
wait "$master_pid" 2>/dev/null || :
launch_master again
R="hector-run --master $master --oversubscribe --policy none --policy deadline"
launch()        # NAME CYCLES OPTION...: tact, in the background
{
    fresh "$1.out" "$1.err"
    name=$1 of=$2
    shift 2
    $R "$@" -n 1 --deadline 'cycle/20ms' "$APPS/tact" "$of" 20 10 1 >"$T/$name.out" \
        2>"$T/$name.err" </dev/null &
    runner=$!
}
begin()         # ... until it runs; its job is $job
{
    launch "$@"
    job_runs
}
shares()        # as the record has them
{
    sql "SELECT DISTINCT class, applied FROM tasks WHERE job = $job" | xargs
}
said() { grep -c "^hector: node here: SCHED_DEADLINE is not given$1$" "$T/$name.err"; }

start_slave here
begin later 100000
run hector priority "$job" --class realtime
wait_for '[ "$(shares)" = "realtime|yes" ]'
no=' to tasks that were not started in class realtime'
wait_for '[ "$(said "$no")" = 1 ]'
is "$status $(shares) $(said "$no")" '0 realtime|yes 1' \
    'who comes to class realtime later has SCHED_RR, which is said'
is "$(chrt -p "$(sql "SELECT pid FROM tasks WHERE job = $job")" | sed -n 's/.*policy: //p')" \
    SCHED_RR '... as the kernel says'
hector kill "$job" >&2
wait $runner
kill "$slave_pid"
wait "$slave_pid" 2>/dev/null

# ------------------------------------------------------------ it is not there
mkdir -p "$T/bare/bin" "$T/bare/lib"
cp "$build/bin/hector-slave" "$T/bare/bin"
for l in "$build"/lib/*; do ln -s "$l" "$T/bare/lib"; done
rm "$T/bare/lib/libhector-yield.so"
start bare "$T/bare/bin/hector-slave" -d --master "$master" --name here
launch bare 60 --class realtime
status=0
wait $runner || status=$?
job=$(sql 'SELECT max(job) FROM jobs')
is "$status $(shares) $(said ': .*libhector-yield.so.*')" '0 realtime|yes 1' \
    'without the library it is SCHED_RR as well, which is said'
done_testing
