# Tasks of srun, watched by Hector, that a real Slurm stops for a while: by TSTP to the
# steps, or to all of the job, or as the job is suspended. That is no hang, nor is their
# node lost; they are suspended for so long, whoever has started them.
# limit: 120
# shellcheck disable=SC2034,SC2086,SC2154 # $nobody is words; slurm.sh's; $id and $job are submit's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 2
nobody_only
job=0
calls() { sql "SELECT ifnull(min(mpi_calls), 0) FROM tasks WHERE job = $job"; }
hold() { sql "SELECT group_concat(DISTINCT hold) FROM task WHERE job = $job"; }
held_s() { sql "SELECT min(held_ns) / 1000000000 FROM task WHERE job = $job"; }
stands()        # DESCRIPTION COMMAND...: they stand by it, for eight seconds
{
    stands_by=$1
    shift
    held=$(held_s)
    "$@"
    ok "$stands_by stops all tasks" wait_for '[ "$(slurm_stopped stencil)" = 4 ]'
    ok '... they are suspended' wait_for '[ "$(hold)" = suspended ]'
    sleep 8             # longer than all that is waited for of who says nothing
}
further()       # COMMAND...: ... and go on by it; how long they have stood is known
{
    "$@"
    seen=$(calls)
    ok '... they go on' wait_for '[ "$(calls)" -gt $((seen + 500)) ]'
    ok '... all of them' wait_for '[ "$(hold)" = going ]'
    ok '... for how long each stood is kept' [ "$(held_s)" -ge $((held + 6)) ]
}

submit -N2 -n4 --ntasks-per-node=2 <<'END'
exec hector-run --adopt --on-hang kill:age=1s -- srun --mpi=pmix "$APPS/stencil" 32 600
END
wait_for '[ "$(calls)" -gt 500 ]'
stands 'TSTP to the steps' $nobody scancel -s TSTP "$id"
further $nobody scancel -s CONT "$id"
stands 'TSTP to all of the job' $nobody scancel --full -s TSTP "$id"
further $nobody scancel --full -s CONT "$id"
stands 'that the job is suspended' scontrol suspend "$id"
further scontrol resume "$id"
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job") $(
    grep -v '^srun: got SIGCONT$' "$T/err")" '0 ' \
    '... and nothing is said of it'
$nobody scancel "$id"
ended ', reason' >how
like how '^CANCELLED killed\|[0-9]+\|cancelled$' 'it can be cancelled'
slurm_clear 'nothing of it is left'
done_testing
