# What `make bench` says about streams, deaths and the master can be measured:
# here only that it is, and on what scale it is said, for it is not quiet.
# limit: 60
. "${0%/*}/../lib/t.sh"

run "$build/bench/bench_master" 0.2 20 400 10000
is "$status $(cat "$T/err")" '0 ' 'the master, with 20 slaves and 400 tasks'
for what in 'from Submit to running: [0-9.]+ s, [0-9.]+ CPU seconds' \
    'nothing to do: [0-9.]+ CPU seconds a second, [0-9.]+ MB' \
    'events, 100 a message: .* us an event, .* committed a second'; do
    like "$T/out" "^master, 20 slaves, 400 tasks, (and )?$what" "... $what"
done

fresh out
"$build/bench/bench_master" 20 2 4 100 >"$T/out" 2>"$T/err" &
bench=$!
wait_for 'grep -q "from Submit" "$T/out"'
# shellcheck disable=SC2046 # words
kill -9 $(cat "/proc/$bench/task/$bench/children")
status=0
wait $bench || status=$?
is "$status" 1 'its master dies: status 1'
like "$T/err" '^bench_master: (n00[01]|the link of hector-run): .+' '... in words'

need mpirun
run sh "$top/tests/bench/streams.sh" "$build" 1 4
is "$status" 0 'streams'
for what in 'stdin and stdout' 'stdin alone' 'stdout alone' \
    'stdout of four tasks' 'stdout into a pipe' 'a million lines' \
    'a million lines with tags' 'a million lines with ranks'; do
    like "$T/out" "^$what.*: hector-run [0-9]+ [^ ]+, mpirun [0-9]+ [^ ]+, ratio " \
        "... $what"
done
run sh "$top/tests/bench/death.sh" "$build" 1
is "$status" 0 'deaths'
like "$T/out" '^death of a task: hector-run [0-9.]+ s, mpirun [0-9.]+ s, ratio ' \
    '... of one task'
done_testing
