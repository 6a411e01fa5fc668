# The policy progress: of a job that hangs the task that is behind is named, with its
# place, and what decides; a healthy one has no verdict, but whoever asks gets an
# answer; a replay says the same.
# limit: 80
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3

behind()
{
    sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = 'progress'
        AND ranks <> ''" 2>/dev/null || echo 0
}
running()
{
    [ "$(sql "SELECT state FROM jobs WHERE job = $job" 2>/dev/null)" = running ]
}
job=0
begin()         # PROGRAM OPTION...: a job that runs until it is ended
{
    job=$((job + 1))
    program=$1
    shift
    KERNEL_ROUNDS=100000000 hector-run -n 8 --oversubscribe --policy none --policy hang \
        --policy progress "$@" "$APPS/$program" 32 >"$T/run.out" 2>"$T/run.err" </dev/null &
    runner=$!
}
end()
{
    kill $runner
    status=0
    wait $runner || status=$?
}
placed()        # the place of those that are behind is in the view
{
    sql "SELECT file || ':' || line FROM progress WHERE job = $job AND place = 1" 2>/dev/null |
        grep -q '^[a-z]*\.c:[1-9]'
}
replayed()
{
    run hector replay "$job" --policy progress
    is "$(out)$(cat "$T/err")" "$(sql "SELECT group_concat(detail, '') FROM verdict
        WHERE job = $job AND policy = 'progress'")" '... and a replay says the same'
}

# --------------------------------------------------------------- in user code
begin stencil --inject rank=3,call=MPI_Waitall:50,fault=hang-after
wait_for placed
wait_for 'grep -q "task 3 has made the least progress.*stencil.c" "$T/run.err"'
end
like "$T/run.err" "^hector: job $job has tasks that are behind \\(for .*, error in computation\\), \
behind: task 3: task 3 has made the least progress: 7 tasks wait for it, in MPI_Waitall, \
by messages, in exchange \\(stencil.c:[0-9]+\\)\$" 'a task that hangs in user code is named'
is "$(sql "SELECT place, ranks, call, file, behind, decided_by FROM progress
    WHERE job = $job")" '1|3|MPI_Waitall|stencil.c|2|by messages
2|0-2,4-7|MPI_Waitall|stencil.c||' '... with who waits for it in the view'
replayed
run hector why "$job" --progress
like "$T/out" '^\* 1\. task 3: behind MPI_Waitall, exchange \(stencil.c:[0-9]+\), '\
'others wait for it: by messages$' '... and hector why --progress shows what is kept'
like "$T/out" '^  2\. tasks 0-2,4-7: in MPI_Waitall, exchange .*, waits for 1$' \
    '... with who waits'
run hector why "$job" --progress -j
is "$(sed 's/.*"place":1,"ranks":"\([^"]*\)","least":\([a-z]*\).*"waits_for":\[\([0-9]*\)\].*'\
'/\1 \2 \3/' "$T/out")" '3 true 1' '... for programs'
for shape in dot svg html; do
    run hector why "$job" --progress --$shape
    ok "--$shape" grep -q 'tasks 0-2,4-7' "$T/out"
done

# ------------------------------------------------------- in a collective call
begin cg --inject rank=5,call=MPI_Allreduce:1,fault=hang
wait_for placed
end
is "$(sql "SELECT ranks, call, decided_by FROM progress WHERE job = $job AND place = 1")" \
    '5|MPI_Allreduce|by its sleep in the call' 'one that hangs in a collective call'
is "$(sql "SELECT DISTINCT ranks FROM verdicts WHERE job = $job AND policy = 'progress'")" 5 \
    '... alone'
replayed
begin cg --inject rank=2,call=MPI_Allreduce:40,fault=hang-after
wait_for placed
end
is "$(sql "SELECT ranks, decided_by FROM progress WHERE job = $job AND place = 1")" \
    '2|by the collective number' '... and one behind it'

# --------------------------------------------------- what was sent does not fit
# Task 1 has sent its message, with a wrong tag, and waits for what nobody has sent.
job=$((job + 1))
run hector-run -n 2 --oversubscribe --policy none --policy hang --policy progress \
    --on-hang kill "$build/deadlocks/stuck" answer-tag
is "$(sql "SELECT place, ranks, call, decided_by FROM progress WHERE job = $job")" \
    '1|0|MPI_Recv|by messages
2|1|MPI_Recv|' 'of two that wait for each other the one that nothing is sent for waits'
replayed

# ---------------------------------------------------------------- a healthy one
begin stencil
wait_for running
wait_for '[ "$(sql "SELECT count(*) FROM look WHERE job = $job")" -ge 1 ]'
run hector why "$job" --progress
is "$status" 0 'who asks about a healthy job has an answer'
like "$T/out" "^job $job at " '... of now'
like "$T/out" 'task' '... with tasks'
end
is "$(grep -c behind "$T/run.err")" 0 '... and nobody else is told'
begin stencil
wait_for '[ "$(sql "SELECT count(*) FROM look WHERE job = $job" 2>/dev/null || echo 0)" -ge 2 ]'
end
is "$(behind)" 0 'a healthy job has no verdict'
run hector why "$job" --progress
is "$status $(wc -l <"$T/err")" '1 1' '... and there is nothing to show'

# ------------------------------------------------------------------ wrong words
for wrong in --dot '--progress --dot --svg' '--progress -j --html'; do
    # shellcheck disable=SC2086 # words
    run hector why "$job" $wrong
    is "$status $(wc -l <"$T/err")" '2 1' "refused: $wrong"
done
run hector why "$job.1" --progress
is "$status" 2 'refused: of one task'
run hector why 99 --progress
is "$status" 1 'there is no such job'
done_testing
