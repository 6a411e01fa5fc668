# How a job of an ordinary user ends that Slurm ends, in a real one: cancelled, requeued,
# preempted, for its time limit, with a node. It is killed, with 143, whoever of it has heard
# of that first, and the reason is in the view jobs and in hector why.
# limit: 110
# shellcheck disable=SC2086 # $nobody is words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 3
nobody_only
job=0

left_of()       # JOB: seconds, of hector ps
{
    $nobody hector ps -j >"$T/ps"
    sqlite3 :memory: "SELECT json_extract(value, '\$.left_ns') / 1000000000
        FROM json_each(CAST(readfile('$T/ps') AS TEXT))
        WHERE json_extract(value, '\$.job') = $1"
}
in_view()       # COLUMNS of the job
{
    sql "SELECT $1 FROM jobs WHERE job = $job"
}

# Slurm looks at time limits twice a minute: begun first, looked at last, and none of
# those between waits for it, before one wants whole nodes.
submit -N1 -n1 --time=600 <<'END'
exec hector-run sleep 1000
END
limited=$id limited_job=$job lasts=$id
mv "$T/err" "$T/err.limited"
# Not in the second in which it has begun.
wait_for 'scontrol update JobId="$id" EndTime=now'

submit -N2 -n3 --time=600 <<'END'
exec hector-run sleep 1000
END
wait_for '[ -n "$(in_view limit_ns)" ]'
is "$(in_view 'batch, restarts, reason')" "Slurm $id||" \
    'the job of Slurm that a job is in is in the view jobs'
left=$(left_of "$job")
ok 'hector ps shows how much of the allocation is left' \
    [ "$left" -gt 35000 -a "$left" -le 36000 ]
run $nobody hector ps
like "$T/out" '^ *JOB .* TIME +LEFT ' '... in a column'
run $nobody hector why "$job"
like "$T/out" "^it is in Slurm $id, for [0-9]+h" '... and so does hector why'
$nobody scancel "$id"
is "$(ended ', reason')" 'CANCELLED killed|143|cancelled' 'a job that is cancelled'
like "$T/err" "^hector: Slurm $id was cancelled\$" '... says so last'
run $nobody hector why "$job"
like "$T/out" "^job $job is killed: Slurm $id was cancelled\$" '... hector why, too'

# Tasks that make something of TERM, and are faster than the word of it.
for i in 1 2 3; do
    submit -N2 -n4 <<'END'
exec hector-run sh -c 'trap "exit 3" TERM; echo up; while :; do sleep 0.01; done'
END
    wait_for '[ "$(grep -c up "$T/out")" = 4 ]'
    $nobody scancel "$id"
    ended ', reason'
done >"$T/ends"
is "$(uniq -c "$T/ends" | sed 's/^ *//')" '3 CANCELLED killed|143|cancelled' \
    'tasks that end by themselves then: the same, each time'

submit -N2 -n2 <<'END'
exec hector-run sleep 1000
END
first=$job
$nobody scontrol requeue "$id"
wait_for '[ -n "$(in_view ended_ns)" ]'
is "$(in_view 'state, exit_code, reason')" 'killed|143|requeued' \
    'a job that is requeued'
job=$((job + 1))
wait_for 'in_view state | grep -q running'
is "$(in_view 'batch, restarts')" "Slurm $id|1" '... and is begun again'
run $nobody hector why "$job"
like "$T/out" "^it is in Slurm $id, which was begun 1 time before.*:\$" \
    '... knows of its past'
like "$T/out" "^  run 1, job $first: killed, requeued, after " '... and what has become of it'
$nobody scancel "$id"
is "$(ended ', reason')" 'CANCELLED killed|143|cancelled' '... and can be cancelled'

lasts=
submit -p low -N3 -n3 --exclusive --open-mode=append <<'END'
exec hector-run sleep 1000
END
sbatch -Q -p high -N1 --exclusive -o /dev/null --wrap true
wait_for '[ -n "$(in_view ended_ns)" ]'
is "$(in_view 'state, exit_code, reason')" 'killed|143|preempted' \
    'one that makes room for another'
wait_for 'grep -q "makes room" "$T/err"'
like "$T/err" "^hector: Slurm $id makes room for another one\$" '... says so last'
$nobody scancel "$id"

submit -N2 -n2 --no-requeue <<'END'
exec hector-run sleep 1000
END
gone=$(squeue -h -j "$id" -o %B)
gone=n$((${gone#n} + 1))
scontrol update NodeName="$gone" State=down Reason=test
is "$(ended ', reason')" 'NODE_FAIL killed|143|node failure' 'one that loses a node'
like "$T/err" "^hector: Slurm $id has lost a node\$" '... says so last'
scontrol update NodeName="$gone" State=resume 2>/dev/null    # it may be back

job=$limited_job
wait_for '[ -n "$(in_view ended_ns)" ]'
is "$(in_view 'state, exit_code, reason')" 'killed|143|time limit' \
    'one whose time is over'
wait_for 'grep -q "time limit" "$T/err.limited"'
like "$T/err.limited" "^hector: Slurm $limited has reached its time limit\$" '... says so'
is "$(cat "$T"/err* | grep -c 'hector: master:')" 0 'the masters are quiet'
slurm_clear 'nothing of them is left'
done_testing
