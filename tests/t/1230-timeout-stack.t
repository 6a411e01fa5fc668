# hector-run --timeout says where the tasks are before it ends them.
# limit: 60
. "${0%/*}/../lib/t.sh"

# Of tasks that others have started, too.
adopted()
{
    run hector-run --adopt --timeout 15 -- mpirun --oversubscribe -n 4 \
        "$APPS/stuck" 1 "$T/mark"
    is "$status" 124 'an adopted job: the time-out ends it'
    like "$T/err" '^hector: time-out of 15 s' '... which is said'
    like "$T/err" 'hector: stack: .*main > do_send_or_stall \(stuck.c:' \
        '... with the line of the stuck task'
    is "$(sql "SELECT ntasks, exit_code FROM jobs WHERE job = 1")" '4|124' \
        '... and recorded'
    run hector-run --adopt --timeout 5 -- sleep 100
    is "$status" 124 'an adopted command that is no MPI program'
    is "$(grep -c 'stack: hector: job [0-9]*: it has no tasks$' "$T/err")" 1 \
        '... has no tree'
    left_by_mpi
}
if command -v mpirun >/dev/null; then
    lane adopted adopted
else
    skip 'an adopted job' 'no mpirun here'
fi

run hector-run --timeout 15 -n 4 "$APPS/stuck" 1 "$T/mark"
is "$status" 124 'the time-out ends the job'
like "$T/err" '^hector: time-out of 15 s' '... which is said'
like "$T/err" '^hector: stack: .*4 tasks, [0-9] class' '... with the tree'
like "$T/err" 'main > do_send_or_stall \(stuck.c:[0-9]+\)' \
    '... and the line of the stuck task'
is "$(cat "$T/out")" '' '... on standard error only'

# A task that ends by itself meanwhile changes nothing.
run hector-run --timeout 1 -n 2 sh -c \
    "until grep -q '^hector: time-out' '$T/err'; do sleep 0.01; done"
is "$status" 124 'the end comes with the time-out'
run hector-run --timeout 0.01 -n 2 sleep 100
is "$status" 124 'a time-out before the start'
run hector-run -n 1 true
last=$(sql 'SELECT max(job) FROM jobs')

# The tree is kept, for later.
run hector stack --last 1
is "$status" 0 'the tree of the first job is kept'
like "$T/out" '^job 1 at [0-9:]+: 4 tasks, [0-9] class' '... with its time'
like "$T/out" 'main > do_send_or_stall \(stuck.c:[0-9]+\)' '... and its lines'
run hector stack --last -j 1
is "$(sqlite3 :memory: "SELECT json_extract(CAST(readfile('$T/out') AS TEXT),
    '\$.tasks')")" 4 '... in all shapes'
refused()       # STATUS SENTENCE WORD...
{
    tap_status=$1 tap_why=$2
    shift 2
    run hector stack --last "$@"
    is "$status,$(cat "$T/err")" "$tap_status,hector: $tap_why" "--last $*"
}
refused 1 'there is no job 99' 99
refused 1 "no call tree of job $last is kept: nobody has asked for one, and no \
policy has found a hang" "$last"
refused 1 'what is kept is the tree of all tasks: --last wants a JOB' 1.0
refused 2 "--last shows what is kept: no --pid, --samples, --lines or \
--threads with it" 1 --lines

lanes
done_testing
