# Jobs of an ordinary user in a real Slurm that were killed with all that could have
# recorded how they ended: another host asks Slurm, and records it, where Slurm says
# that they are over; what it does not know, or what stands, is left as it is.
# limit: 120
# shellcheck disable=SC2086,SC2154 # $nobody is words; the numbers are begin()'s
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 3
nobody_only
as_of()         # JOB COLUMNS of it
{
    sql "SELECT $2 FROM jobs WHERE job = $1" 2>/dev/null
}
cat >waits <<'END'
#!/bin/sh
exec hector-run sleep 1000
END
job=0
begin()         # NAME ARGUMENT...: of sbatch; a job on n1, whose number in Slurm is in $NAME
{
    begin_name=$1
    shift
    job=$((job + 1))
    eval "$begin_name=\$($nobody sbatch --parsable -w n1 -N1 -n1 -o out.$job -e err.$job \\
        \"\$@\" waits)"
    wait_for "[ \"\$(as_of $job state)\" = running ]"
}
in_ps()         # HOST JOB [WORD...]: what hector ps says there
{
    in_ps_host=$1 in_ps_job=$2
    shift 2
    on "$in_ps_host" $nobody "$@" hector ps -a 2>&1 |
        awk -v job="$in_ps_job" '$1 == job { print $3 }'
}

begin cancelled
begin requeued
begin unknown
begin stands
begin elsewhere
# Slurm would let masters go on that were stopped before.
scontrol suspend "$stands"
kill_all_on n1
$nobody scancel "$cancelled" "$unknown" "$elsewhere"
scontrol requeuehold "$requeued"
slurmd_on n1
wait_for '[ "$(squeue -h -o "%A %T" | sort | xargs)" = \
    "$requeued PENDING $stands SUSPENDED" ]'
# A host of a cluster with the same numbers, and a job of another user there.
$nobody sqlite3 -cmd '.timeout 5000' "$HECTOR_DB" "
    UPDATE master SET host = 'm1' WHERE instance = (SELECT master FROM job WHERE job = 5);
    UPDATE job SET batch = 'Slurm $(sbatch --parsable -H -o /dev/null --wrap true)'
    WHERE job = 3"

ok 'another host that cannot ask says that nothing is heard of it' \
    wait_for '[ "$(in_ps n2 1 env PATH="$BIN")" = silent ]'
slurm_stop
is "$(in_ps n2 1)" silent '... nor can one while slurmctld is away'
is "$(as_of 1 'state, ended_ns')" 'running|' '... and it does not judge'
slurm_again
# Slurm's answer may take longer than is waited for.
wait_for '[ "$(in_ps n2 1) $(as_of 2 state)" = "killed killed" ]'
is "$(in_ps n2 1) $(as_of 1 'state, exit_code, reason')" \
    'killed killed|143|cancelled' 'Slurm says that it was cancelled: that is recorded'
on n2 $nobody hector why 1 >told 2>&1
like told "^job 1 is killed: Slurm $cancelled was cancelled\$" '... hector why says so'
is "$(as_of 2 'state, exit_code, reason')" 'killed|143|requeued' \
    'one that is back in the queue, and waits there, by the same command'
is "$(in_ps n2 3) $(as_of 3 'state')" 'silent running' \
    'of a number that is that of a job of somebody else nothing is known'
is "$(as_of 4 'state, reason')" 'running|' 'one that stands is left'
is "$(in_ps n2 5) $(as_of 5 'state')" 'silent running' \
    '... and so is one of a host that this Slurm does not know'

scancel -u root
$nobody scancel "$requeued" "$stands"
slurm_over
wait_for '[ "$(in_ps n2 4)" = killed ]'
is "$(in_ps n2 4) $(as_of 4 'state, exit_code, reason')" 'killed killed|143|cancelled' \
    'the one that stood, when it is over'
for h in $t_hosts; do           # as machines that are off
    on "$h" sh -c 'rm -rf "$TMPDIR"/hector-* /dev/shm/hector-*'
done
done_testing
