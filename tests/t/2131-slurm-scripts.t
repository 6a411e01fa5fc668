# The scripts for Slurm of hector-batch(7), as they stand, submitted by an ordinary user
# of a real Slurm.
# limit: 240
# shellcheck disable=SC2086,SC2094,SC2119,SC2154 # submit needs no words; $id is its own
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/manual.sh"
. "$top/tests/lib/nobody.sh"
slurm 2
nobody_only
job=0
page=$top/redirector/hector-batch.7
manual_script "$page" slurm.sh >slurm.sh
manual_script "$page" slurm-adopt.sh >slurm-adopt.sh
manual_script "$page" slurm-again.sh >slurm-again.sh
ln -s "$APPS/skew" tide    # until april.in is there; it says what it has done
done_with()     # how many lines the four tasks have said, of the same rounds
{
    sed -n 's/^rank [0-3].* rounds \([0-9]*\).*/\1/p' "$1" | sort | uniq -c |
        awk '{ print $1 }' | xargs
}
calls() { sql "SELECT min(mpi_calls) FROM tasks WHERE job = $job"; }

submit <slurm.sh
wait_for '[ "$(calls)" -gt 100 ]'
is "$(sql "SELECT group_concat(DISTINCT node), count(*) FROM tasks WHERE job = $job")" \
    'n1,n2|4' 'slurm.sh: four tasks on two nodes'
touch april.in
is "$(ended '') $(done_with tide.out)" 'COMPLETED done|0 4' '... end well'
is "$(cat "$T/err")" '' '... and there is nothing to say'

rm -f april.in
submit <slurm-adopt.sh
wait_for '[ "$(calls)" -gt 100 ]'
touch april.in
is "$(ended '') $(done_with tide.out)" 'COMPLETED done|0 4' \
    'slurm-adopt.sh: the same of tasks of srun'

# Two minutes, of which all are those before the end.
rm -f april.in
fresh out err
chmod 666 "$T/out" "$T/err"
id=$($nobody sbatch --parsable -t 2 -o "$T/out" -e "$T/err" slurm-again.sh)
job=3
wait_for 'sql "SELECT exit_code FROM jobs WHERE job = 3" | grep -q .'
scontrol update JobId="$id" TimeLimit=240
is "$(sql 'SELECT exit_code FROM jobs WHERE job = 3')" 124 \
    'slurm-again.sh: before its time is over it is ended'
wait_for '[ -n "$(sql "SELECT job FROM jobs WHERE state = '\''running'\''
    AND limit_ns - started_ns > 13000000000000")" ]'
job=$(sql "SELECT max(job) FROM jobs")
ok '... and Slurm begins it again' [ "$job" -gt 3 ]
wait_for '[ "$(calls)" -gt 100 ]'
on n1 $nobody hector checkpoint "$job" >checkpointed 2>&1 || cat checkpointed
ok '... it is saved' [ -s saved/1/checkpoint ]
was=$job
$nobody scontrol requeue "$id"
wait_for '[ -n "$(sql "SELECT job FROM jobs WHERE state = '\''running'\'' AND job > $was")" ]'
job=$(sql "SELECT max(job) FROM jobs")
in_mpi() { sql "SELECT count(*) FROM tasks WHERE job = $job AND state = 'connected'"; }
wait_for '[ "$(in_mpi)" = 4 ]'
on n1 $nobody hector checkpoint "$job" >checkpointed 2>&1 || cat checkpointed
ok '... put back into the queue it goes on from there, and counts on' \
    [ -s saved/2/checkpoint ]
touch april.in
is "$(ended ', restarts > 1') $(done_with "$T/out")" 'COMPLETED done|0|1 4' '... and ends well'
n=$(sed -n 's/.*rounds \([0-9]*\) .*/\1/p' "$T/out" | sort -u)
grep '^rank' "$T/out" | sort >again
alloc -N2 -n4 hector-run --oversubscribe ./tide "$n"
is "$(grep '^rank' "$T/out" | sort)" "$(cat again)" \
    '... with what it would have said at one go'
slurm_clear 'nothing of them is left'
done_testing
