# Ending jobs from outside: hector kill, Ctrl-C, TERM; and what is left when
# one of Hector's own processes dies: nothing.
# limit: 300
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
    while :; do sleep 0.1; done'
hector kill --signal USR1 $job.1 >/dev/null
wait_for 'grep -q "got 1" "$T/out"' 5
is "$(cat "$T/out")" 'got 1' 'hector kill --signal reaches one task'
hector kill --signal 10 $job.0 >/dev/null
end
is "$status" 0 '... and the job goes on to its end'

begin hector-run -n 2 sh -c 'trap "" TERM; while :; do sleep 0.2; done'
hector kill "$job" >/dev/null
end
is "$status" 137 'tasks that ignore TERM get KILL'

for s in INT:130 TERM:143 HUP:129; do
    begin hector-run -n 2 sleep 100
    kill -"${s%:*}" $runner
    end
    is "$status" "${s#*:}" "SIG${s%:*} to hector-run: status ${s#*:}"
done

# A task that has left children behind: they go with its process group.
begin hector-run -n 1 sh -c 'sleep 1000 & sleep 1001 & wait'
hector kill "$job" >/dev/null
end
ok 'children of a task are gone' wait_for '[ -z "$(child sleep)" ]' 5

for daemon in slave master; do
    begin hector-run -n 2 sleep 100
    kill -KILL "$(child hector-$daemon)"
    # a master is started again, once
    [ $daemon = slave ] || {
        wait_for 'grep -q "started again" "$T/err" && [ -n "$(child \
            hector-master)" ]' 10
        kill -KILL "$(child hector-master)"
    }
    end
    ok "the $daemon dies: the job fails" [ "$status" -ne 0 ]
    like "$T/err" '^hector: ' '... with a sentence'
    ok '... nothing is left' wait_for '[ -z "$(t_processes)" ]' 10
done

begin hector-run -n 2 sleep 100
kill -KILL "$runner"
end
ok 'hector-run dies: nothing is left' wait_for '[ -z "$(t_processes)" ]' 10
done_testing
