# What happens to a job in a real Slurm before its tasks have started, or without
# Slurm's doing: cancelled while its hosts are waited for, a node that dies under
# sbatch --no-kill, also below an ordinary user.
# limit: 240
# shellcheck disable=SC2086,SC2154 # names are several; $id and $job are submit's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
slurm 3
job=0
in_view()       # COLUMNS of the job
{
    sql "SELECT $1 FROM jobs WHERE job = $job"
}

# The agent waits until it is killed: the hosts do not join.
cat >"$T/never" <<'END'
#!/bin/sh
echo up >>"$T/agents"
exec sleep 1000
END
chmod 755 "$T/never"
{ echo '#!/bin/sh'; echo 'exec hector-run --launch-agent "$T/never" sleep 1000'; } >"$T/script"
id=$(sbatch --parsable -N2 -n2 -o "$T/out" -e "$T/err" "$T/script")
job=1
wait_for '[ "$(in_view state 2>/dev/null)" = waiting ]' 60
scancel "$id"
is "$(ended ', reason')" 'CANCELLED killed|143|cancelled' \
    'a job that is cancelled before its tasks have started'
like "$T/err" "^hector: Slurm $id was cancelled\$" '... says so last'
run hector why "$job"
like "$T/out" "^job $job is killed: Slurm $id was cancelled\$" '... hector why, too'
slurm_clear 'nothing of it is left'

# --------------------------------------------------------------- a node is dead
# Slurm lets what is on the others go on; Hector ends it, whatever Slurm knows.
first_of() { squeue -h -j "$id" -o %B; }
other_of() { echo "n$(($(first_of | tr -d n) % 3 + 1))"; }
clear_of()      # HOST...: nothing of the job is there
{
    wait_for '[ -z "$(slurm_strays $t_hosts)" ]' 30
    is "$(slurm_strays $t_hosts)" '' "$1"
}
submit -N3 -n3 --no-kill <<'END'
hector-run sleep 1000
echo "status $?" >&2
END
gone=$(other_of)
kill_all_on "$gone"
wait_for '[ -n "$(in_view ended_ns)" ]' 60
is "$(in_view 'state, exit_code, reason')" 'failed|125|node failure' \
    'sbatch --no-kill, and a node dies of which Slurm does not know it'
wait_for 'grep -q "^status" "$T/err"' 30
is "$(grep -c '^status 125$' "$T/err")" 1 '... the script goes on, and has the status 125'
like "$T/err" "^hector: node $gone was lost" '... and the name of the node'
run hector why "$job"
like "$T/out" "node $gone was lost" '... as has hector why'
scontrol update NodeName="$gone" State=down Reason=test
clear_of '... nothing of it is left on any node'
slurm_back "$gone"

# With a checkpoint it goes on, on those that are left.
rounds() { grep -c '^round .* 0$' "$T/out"; }
submit -N3 -n3 --no-kill <<'END'
exec hector-run --checkpoint-dir "$T/saved" "$APPS/rounds" "$T/enough"
END
wait_for '[ "$(grep -c begun "$T/out")" = 3 ]' 60
on "$(first_of)" hector checkpoint "$job" >>"$T/log" 2>&1
gone=$(other_of)
kill_all_on "$gone"
wait_for 'grep -q "all tasks go back to checkpoint 1" "$T/err"' 60
seen=$(rounds)
wait_for '[ "$(rounds)" -gt $((seen + 3)) ]' 60
sed -n 's/^round \([0-9]*\) .*/\1/p' "$T/out" | sort -n | tail -n 1 >"$T/until"
mv "$T/until" "$T/enough"
wait_for '[ -n "$(in_view ended_ns)" ]' 60
is "$(in_view 'state, exit_code, reason') $(grep -c 'of 3 wrong 0 ' "$T/out")" 'done|0| 3' \
    'one that has a checkpoint goes back to it, without the node'
scontrol update NodeName="$gone" State=down Reason=test
clear_of '... nothing is left of it on any node'
slurm_back "$gone"

# The node of hector-run and its master: nobody says how it has ended, until Slurm
# begins the job again.
submit -N2 -n2 <<'END'
exec hector-run sleep 1000
END
ok 'what runs is seen on its nodes' [ "$(slurm_strays $t_hosts | wc -l)" -gt 4 ]
gone=$(first_of)
kill_all_on "$gone"
scontrol update NodeName="$gone" State=down Reason=test
job=$((job + 1))
wait_for '[ "$(in_view state)" = running ]' 120
is "$(in_view 'batch, restarts')" "Slurm $id|1" 'a job whose first node dies is begun again'
job=$((job - 1))
is "$(in_view 'state, exit_code, reason')" 'killed|143|requeued' \
    '... and the record of its former run is closed'
scancel "$id"
job=$((job + 1))
is "$(ended ', reason')" 'CANCELLED killed|143|cancelled' '... it can be cancelled'
clear_of '... nothing is left of either on any node'
slurm_back "$gone"
done_testing
