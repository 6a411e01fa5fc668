# Ending jobs from outside: hector kill, Ctrl-C, TERM; and what is left when
# one of Hector's own processes dies, or a job in any way: nothing.
# limit: 60
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"

begin hector-run -n 2 sleep 100
run_kill=$(hector kill "$job" 2>&1)
is "$?" 0 "hector kill JOB ($run_kill)"
end
is "$status" 143 'the job ends with TERM'
is "$(sql "SELECT state FROM jobs WHERE job = $job")" killed 'recorded as killed'
run hector kill "$job"
is "$status" 1 'a job that has ended cannot be killed'
like "$T/err" 'has ended' '... in words'
run hector kill 999
is "$status" 1 'no such job'

begin hector-run -n 2 sh -c 'trap "echo got $HECTOR_RANK; exit 0" USR1
    : >"$T/usr1.$HECTOR_RANK"; while :; do sleep 0.1; done'
wait_for '[ -e "$T/usr1.0" ] && [ -e "$T/usr1.1" ]'
hector kill --signal USR1 $job.1 >/dev/null
wait_for 'grep -q "got 1" "$T/out"'
is "$(cat "$T/out")" 'got 1' 'hector kill --signal reaches one task'
hector kill --signal 10 $job.0 >/dev/null
end
is "$status" 0 '... and the job goes on to its end'

begin hector-run -n 2 sh -c 'trap "" TERM
    : >"$T/term.$HECTOR_RANK"; while :; do sleep 0.2; done'
wait_for '[ -e "$T/term.0" ] && [ -e "$T/term.1" ]'
hector kill "$job" >/dev/null
end
is "$status" 137 'tasks that ignore TERM get KILL'

# One task dies: the others get TERM, and KILL when the grace is over.
cat >"$T/die.c" <<'END'
#include <hct_rt.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>
static void told(int s)
{
    if (write(1, s == SIGTERM ? "TERM\n" : "?\n", s == SIGTERM ? 5 : 2) < 0)
        _exit(1);
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    signal(SIGTERM, told);
    HCT_RT_Tag(rank, "step 12");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        sleep(1);
        raise(SIGBUS);
    }
    for (;;)
        pause();
}
END
if mpicc -o "$T/die" "$T/die.c" -I"$build/include" -L"$build/lib" -lhct \
    -Wl,-rpath,"$build/lib"; then
    a=$(date +%s)
    run hector-run -n 3 --oversubscribe "$T/die"
    b=$(date +%s)
    job=$((job + 1))
    is "$status" 135 'the first that died says the status'
    like "$T/err" "^hector: task 1 on $(hostname) was killed by signal 7 "\
'\(Bus error\), last tag "step 12"' '... rank, node, signal and last tag are named'
    is "$(sort "$T/out" | uniq -c | tr -s ' ')" ' 2 TERM' \
        '... the others get TERM, once'
    ok "... then some time ($((b - a)) s)" [ $((b - a)) -ge 2 ]
    is "$(sql "SELECT rank, exit_code FROM tasks WHERE job = $job ORDER BY rank" |
        tr '\n' ' ')" '0|137 1|135 2|137 ' '... and KILL'
    is "$(sql "SELECT count(*) FROM events WHERE job = $job")" 3 \
        '... and what they had tagged is there'
fi

# Tasks in the middle of MPI: there are sockets, directories and shared memory.
in_mpi()
{
    begin hector-run -n 2 "$APPS/exits" all exit 0 middle 100000
    ok 'a job is in MPI' wait_for '[ "$(sql "SELECT count(*) FROM tasks WHERE
        job = $job AND state = '\''connected'\''")" = 2 ]'
}
for s in INT:130 TERM:143 HUP:129; do
    in_mpi
    kill -"${s%:*}" $runner
    end
    is "$status" "${s#*:}" "SIG${s%:*} to hector-run: status ${s#*:}"
    left_nothing '... nothing is left'
done

# Ctrl-C once more, as the tasks do not care.
begin hector-run -n 2 sh -c 'trap "" INT TERM; echo; while :; do sleep 0.2; done'
wait_for '[ "$(wc -l <"$T/out")" = 2 ]'
kill -INT $runner
wait_for '[ "$(wc -l <"$T/err")" -gt 0 ]'
kill -INT $runner
end
is "$status" 130 'SIGINT twice, and the tasks ignore it: status 130'
left_nothing '... nothing is left'

# A task that has left children behind: they go with its process group.
begin hector-run -n 1 sh -c 'sleep 1000 & sleep 1001 & wait'
hector kill "$job" >/dev/null
end
ok 'children of a task are gone' wait_for '[ -z "$(child sleep)" ]'

for daemon in slave master; do
    begin hector-run -n 2 sleep 100
    kill -KILL "$(child hector-$daemon)"
    # a master is started again, once
    [ $daemon = slave ] || {
        wait_for 'grep -q "started again" "$T/err" && [ -n "$(child \
            hector-master)" ]'
        kill -KILL "$(child hector-master)"
    }
    end
    ok "the $daemon dies: the job fails" [ "$status" -ne 0 ]
    like "$T/err" '^hector: ' '... with a sentence'
    left_nothing '... nothing is left'
done

begin hector-run -n 2 sleep 100
kill -KILL "$runner"
end
left_nothing 'hector-run dies: nothing is left'

# What ends by itself.
ends()          # STATUS DESCRIPTION COMMAND...
{
    want=$1 what=$2
    shift 2
    run hector-run -n 2 "$@"
    is "$status" "$want" "$what: status $want"
    left_nothing '... nothing is left'
}
echo data >"$T/plain"
ends 0 'all is well' "$APPS/exits" all exit 0
ends 3 'exit 3' "$APPS/exits" 1 exit 3 middle
ends 255 'exit 255' "$APPS/exits" 1 exit 255 middle
ends 139 'SEGV' "$APPS/exits" 1 signal 11
ends 143 'TERM' "$APPS/exits" 1 signal 15
ends 137 'KILL' "$APPS/exits" 1 signal 9
ends 42 'MPI_Abort' "$APPS/exits" 1 abort 42
ends 127 'no such program' "$T/missing"
ends 126 'not executable' "$T/plain"
ends 124 'time limit' --timeout 1 "$APPS/exits" all exit 0 middle 100000

# Nobody reads stdout any more; or there has never been one.
{ hector-run -n 2 yes 2>"$T/err"; echo $? >"$T/status"; } |
    head -n 1 >/dev/null
is "$(cat "$T/status")" 141 'the reader of stdout goes: status 141'
left_nothing '... nothing is left'
status=0
hector-run -n 2 "$APPS/hello" >&- 2>"$T/err" || status=$?
ok "stdout is closed: status $status" [ "$status" -ne 0 ]
left_nothing '... nothing is left'
done_testing
