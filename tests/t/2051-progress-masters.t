# Who is behind, where the master is killed between the hang and that, and where the
# job is ended for it; and a program that writes its output by groups, as in PDI 5.1.
# limit: 60
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3

# ------------------------------------------- two outputs that meet, ended for it
run timeout 120 hector-run -n 8 --oversubscribe --policy none --policy hang \
    --policy progress --on-hang kill "$APPS/writers" 0
is "$status" 123 'outputs that meet: it hangs, and is ended'
line=$(grep -n 'MPI_Recv(&question' "$top/tests/apps/writers.c" | cut -d : -f 1)
like "$T/err" "behind: task 1: task 1 has made the least progress: 7 tasks wait for it, in \
MPI_Barrier, by the collective number, in answer \\(writers.c:($line|$((line + 1)))\\)\$" \
    '... before that it is said which task is behind, in which call, in which line'
is "$(sql "SELECT ranks || ' ' || call FROM progress WHERE job = 1 AND place = 1")" \
    '1 MPI_Recv' '... with the call'
run timeout 120 hector-run -n 8 --oversubscribe --policy none --policy hang \
    --policy progress --on-hang kill "$APPS/writers" 1
is "$status $(cat "$T/out")" '0 writers: ok' 'with tags of their own they end well'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = 2")" 0 '... without a word'

# ------------------------------------------------------ the master is killed
start_master
start_slave n1
wait_for 'sql "SELECT state FROM nodes" 2>/dev/null | grep -q up'
hector-run --master "$master" -n 4 --oversubscribe --policy none --policy hang \
    --policy progress --inject rank=2,call=MPI_Waitall:50,fault=hang-after \
    env KERNEL_ROUNDS=100000000 "$APPS/stencil" 32 >"$T/run.out" 2>"$T/run.err" </dev/null &
runner=$!
wait_for 'sql "SELECT count(*) FROM verdicts WHERE job = 3" 2>/dev/null | grep -q "[1-9]"'
kill -KILL "$master_pid"
wait "$master_pid" 2>/dev/null
launch_master again
wait_for 'grep -q "looks recalled job=3" "$T/again.log" &&
    grep -q "node n1 joined" "$T/again.log"'
run hector why 3 --progress
is "$status $(cat "$T/err")" '0 ' \
    'the master is killed when the hang is known: the next one answers'
like "$T/out" '^\* 1\. task 2: behind MPI_Waitall, exchange \(stencil.c:[0-9]+\)' \
    '... who is behind'
# With the places of all tasks, which are looked for first.
wait_for 'grep -q "^hector: job 3 hangs" "$T/run.err"'
kill $runner
wait $runner
is "$(grep -c '^hector: job 3 hangs' "$T/run.err")" 1 '... and the hang is told once'
run hector replay 3 --policy progress
is "$(out)$(cat "$T/err")" "$(sql "SELECT group_concat(detail, '') FROM verdict
    WHERE job = 3 AND policy = 'progress'")" '... and a replay of both says the same'
done_testing
