# hector-run --timeout says where the tasks are before it ends them.
# limit: 120
. "${0%/*}/../lib/t.sh"

run hector-run --timeout 6 -n 4 "$APPS/stuck" 1 "$T/mark"
is "$status" 124 'the time-out ends the job'
like "$T/err" '^hector: time-out of 6 s' '... which is said'
like "$T/err" '^hector: stack: .*4 tasks, [0-9] class' '... with the tree'
like "$T/err" 'main > do_send_or_stall \(stuck.c:[0-9]+\)' \
    '... and the line of the stuck task'
is "$(cat "$T/out")" '' '... on standard error only'

# A task that ends by itself meanwhile changes nothing.
run hector-run --timeout 1 -n 2 sleep 1.1
is "$status" 124 'the end comes with the time-out'
run hector-run --timeout 0.01 -n 2 sleep 100
is "$status" 124 'a time-out before the start'
done_testing
