# The policy slow: a task that becomes slower while the job runs is named, with the
# step and its line, and taken back when it is over; nobody is where all is as it was.
# limit: 80
# busy
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3

said() { sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = '$1'" 2>/dev/null; }
# OPTION... -- WORD...: paced, until its order is to end; $job
begin()
{
    fresh out
    rm -f "$T/order"
    hector-run --oversubscribe --policy none "$@" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    job_runs
}
order() { echo "$*" >"$T/order.new" && mv "$T/order.new" "$T/order"; }
end()
{
    order end
    status=0
    wait $runner || status=$?
}
# Tasks that sleep in place of computing, three, for those that wait use processors;
# short windows, for all this has to last for some of them.
slow=slow:window=0.25,look=0.05,factor=1.5

# ------------------------------------------------------- a task, and back
and_back()
{
    begin -n 3 --policy $slow "$APPS/paced" 10 "$T/order"
    after_looks
    is "$(said slowdown)" 0 'nothing is said while all is as it was'
    order slow 3 2 2
    wait_for '[ "$(said slowdown)" -gt 0 ]'
    wait_for 'grep -q "computes" "$T/err"'
    like "$T/err" "^hector: job $job is slow \\(.* sure, for .* s, error in computation\\), \
faulty: task 2: task 2 computes [0-9.]+ times as long as before for the same work, most of it \
asleep, since .*: between MPI_Allreduce and MPI_Irecv, [0-9]+ % of the job's time" \
        'who is slow, how much, since when, in which step, and what it costs'
    order none
    wait_for '[ "$(said progress)" -gt 0 ]'
    end
    is "$status" 0 'the job ends as usual'
    like "$T/err" "^hector: job $job is moving again: who was slow is as fast as before" \
        '... and it is said that it is over'
    is "$(sql "SELECT group_concat(DISTINCT policy || ' ' || kind || ' ' || ranks)
        FROM verdicts WHERE job = $job AND kind = 'slowdown'")" 'slow slowdown 2' \
        '... in the view of verdicts'
    run hector why "$job"
    like "$T/out" '^  task 2 on [^ ]+: .* longer each time: between MPI_Allreduce and '\
'MPI_Irecv, [0-9.]+ times as long as before.*, in main \(paced.c:[0-9]+\)' \
        '... hector why has the line'
    run hector replay "$job" --policy $slow
    like "$T/out" 'task 2 computes [0-9.]+ times as long as before' '... as a replay finds'
    cp "$T/out" "$T/first"
    run hector replay "$job" --policy $slow
    ok '... and finds again, byte for byte' cmp -s "$T/out" "$T/first"
}

# ------------------------------------------------------------ a heavier phase
heavier_phase()
{
    begin -n 3 --policy $slow --phase tag "$APPS/paced" 10 "$T/order"
    after_looks
    order phase 3
    after_looks
    order none
    after_looks
    end
    is "$(said slowdown)$(grep -c 'is slow' "$T/err")" 00 'a heavier phase is no fault'
}

lane and_back and_back
lane heavier_phase heavier_phase
lanes

# ------------------------------------------------- a task that has a quota
# Both have the processors for themselves, however busy the machine is.
group=/sys/fs/cgroup/cpu/hector-test.$$
to_group()      # GROUP RANK
{
    sql "SELECT pid FROM tasks WHERE job = $job AND rank = $2" >"$1/cgroup.procs"
}
if mkdir -p "$group/less" 2>/dev/null; then
    begin -n 2 --policy slow:window=0.4,look=0.1,factor=1.5 "$APPS/paced" 20 \
        "$T/order" cpu
    echo 200000 >"$group/cpu.shares"
    to_group "$group" 0
    to_group "$group" 1
    after_looks
    echo 20000 >"$group/less/cpu.cfs_quota_us"
    to_group "$group/less" 1
    wait_for '[ "$(said slowdown)" -gt 0 ]'
    for task in 0 1; do
        to_group "${group%/*}" $task
    done
    end
    rmdir "$group/less" "$group"
    is "$(sql "SELECT ranks FROM verdicts WHERE job = $job AND kind = 'slowdown'
        ORDER BY at_ns LIMIT 1")" 1 'who has a quota of the processor is named'
else
    skip 'who has a quota of the processor is named' 'no such groups here'
fi

# -------------------------------------------------------------- wrong figures
for wrong in factor=1 window=0 look=0 share=101 iterations=0; do
    run hector-run --policy slow:$wrong true
    is "$status $(wc -l <"$T/err")" '2 1' "refused: $wrong"
done
done_testing
