# What happens to Slurm's daemons and nodes, and to a master, below the jobs of an
# ordinary user: the jobs live through it, or end as the manual says.
# limit: 330
# shellcheck disable=SC2086,SC2154 # names are several; $id and $job are submit's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 3
nobody_only
export E="$T/nobody/enough"
job=0
in_view()       # COLUMNS of the job
{
    sql "SELECT $1 FROM jobs WHERE job = $job" 2>/dev/null
}
first_of() { squeue -h -j "$id" -o %B; }
rounds() { grep -c '^round .* 0$' "$T/out$of"; }
of=             # ".long": of the job that runs beside another one
further()       # more rounds than there were
{
    seen=$(rounds)
    wait_for '[ "$(rounds)" -gt "$seen" ]'
}
begin()         # its tasks go round until enough()
{
    rm -f "$E"
    submit -N2 -n3 --open-mode=append <<'END'
exec hector-run --checkpoint-dir "$PWD/saved.$SLURM_JOB_ID" "$APPS/rounds" "$E"
END
    wait_for '[ "$(grep -c begun "$T/out")" = 3 ]'
}
enough()        # after some more rounds, all of them at the same one
{
    further
    sed -n 's/^round \([0-9]*\) .*/\1/p' "$T/out" | sort -n | tail -n 1 >"$T/until"
    mv "$T/until" "$E"
}
well()          # DESCRIPTION: it has ended well, and nothing was said
{
    is "$(ended ', reason') $(grep -c 'of 3 wrong 0 ' "$T/out") $(cat "$T/err")" \
        'COMPLETED done|0| 3 ' "$1"
}
master_on()     # HOST: its pid
{
    for p in $(processes_of "$1"); do
        [ "$(cat "/proc/$p/comm")" != hector-master ] || echo "$p"
    done 2>/dev/null
}
clear()         # DESCRIPTION: a test: nothing of it is left on any node
{
    wait_for '[ -z "$(slurm_strays $t_hosts)" ]'
    is "$(slurm_strays $t_hosts)" '' "$1"
}

begin
ok 'what runs is seen on its nodes' [ "$(slurm_strays n1 n2 n3 | wc -l)" -ge 10 ]
# shellcheck disable=SC2046 # several
kill -KILL $(slurmd_of n1) $(slurmd_of n2) $(slurmd_of n3)
further
for h in $t_hosts; do slurmd_on "$h"; done
enough
well 'a job whose slurmd are killed goes on'

begin
slurm_stop
further
kill -KILL "$munged"
rm -f "$slurm_dir/munge/socket"
further
slurm_munge
slurm_again
enough
well 'a job goes on while slurmctld and munged are away, and begun again'

# The end of it cannot be asked about.
rm -f "$E"
submit -N2 -n2 <<'END'
exec hector-run sh -c 'until [ -e "$E" ]; do sleep 0.05; done; exit 3'
END
slurm_stop
: >"$E"
wait_for '[ -n "$(in_view ended_ns)" ]'
is "$(in_view 'state, exit_code, reason')" 'failed|3|' \
    'a job that fails while slurmctld is away has its own end'
slurm_again
is "$(ended ', reason')" 'FAILED failed|3|' '... which Slurm gets to know as well'

# Nor for longer than one question may take: it is asked again. Another one runs on.
begin
mv "$T/out" "$T/out.long"
mv "$T/err" "$T/err.long"
lasts=$id lasts_job=$job
submit -N2 -n2 <<'END'
exec hector-run sleep 1000
END
# shellcheck disable=SC2046 # several
kill -STOP $(slurmd_of n1) $(slurmd_of n2) $(slurmd_of n3)
scancel "$id"
wait_for '[ "$(squeue -h -j "$id" -o %T)" = COMPLETING ]'
slurm_stop
back=$(($(date +%s) + 20))
# shellcheck disable=SC2046
kill -CONT $(slurmd_of n1) $(slurmd_of n2) $(slurmd_of n3)
wait_for '[ "$(in_view state)" = ending ]'
of=.long
further
wait_only '[ "$(date +%s)" -ge "$back" ]' 60       # the fault itself
slurm_again
wait_for '[ -n "$(in_view ended_ns)" ]'
is "$(ended ', reason')" 'CANCELLED killed|143|cancelled' \
    'a job that is cancelled, and then slurmctld is away for 20 s'
of=
for f in out err; do mv "$T/$f.long" "$T/$f"; done
next=$job id=$lasts job=$lasts_job lasts=
enough
well '... one that runs meanwhile goes on, and ends well'
job=$next

begin
first=$(first_of)
scontrol update NodeName="$first" State=drain Reason=test
further
enough
well 'a job whose node is drained goes on'
is "$(slurm_state "$first")" drained '... until it has ended'
scontrol update NodeName="$first" State=resume

begin
on "$(first_of)" $nobody hector checkpoint "$job" >>"$T/log" 2>&1
kill -KILL "$(master_on "$(first_of)")"
further
wait_for '[ -n "$(master_on "$(first_of)")" ]'
enough
like "$T/err" '^hector: hector-master was killed by signal 9' 'a master that is killed is said'
: >"$T/err"
well '... and started again, in its allocation, and the job goes on'

begin
on "$(first_of)" $nobody hector checkpoint "$job" >>"$T/log" 2>&1
scontrol requeue "$id"
wait_for '[ -n "$(in_view ended_ns)" ]'
job=$((job + 1))
wait_for '[ "$(in_view state)" = running ]'
like "$T/err" "^hector: Slurm $id was begun 1 time before: the job goes on from checkpoint 1" \
    'one that is requeued goes on from its checkpoint'
scancel "$id"
is "$(ended ', reason')" 'CANCELLED killed|143|cancelled' '... and can be cancelled'
clear 'nothing is left of them on any node'
slurm_clear '... nor anywhere else'
done_testing
