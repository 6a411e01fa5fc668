# What happens to an ordinary user's job in a real Slurm before its tasks have started,
# or without Slurm's doing: cancelled while its hosts are waited for, a node that dies
# under sbatch --no-kill, the first node of all. Three jobs lose a node at once: what
# takes the time is Slurm.
# limit: 120
# shellcheck disable=SC2086,SC2154 # names are several; $id and $job are submit's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 7
nobody_only
as_of()         # JOB COLUMNS of it
{
    sql "SELECT $2 FROM jobs WHERE job = $1" 2>/dev/null
}
is_over() { [ -n "$(as_of "$1" ended_ns)" ]; }

# The agent waits until it is killed: the hosts do not join.
cat >never <<'END'
#!/bin/sh
echo up >>agents
exec sleep 1000
END
chmod 755 never
{ echo '#!/bin/sh'; echo 'exec hector-run --launch-agent "$PWD/never" sleep 1000'; } >"$T/script"
id=$($nobody sbatch --parsable -N2 -n2 -o out -e err "$T/script")
job=1
wait_for '[ "$(as_of 1 state)" = waiting ]'
$nobody scancel "$id"
is "$(ended ', reason')" 'CANCELLED killed|143|cancelled' \
    'a job that is cancelled before its tasks have started'
like err "^hector: Slurm $id was cancelled\$" '... says so last'
run $nobody hector why 1
like "$T/out" "^job 1 is killed: Slurm $id was cancelled\$" '... hector why, too'
slurm_clear 'nothing of it is left'

# --------------------------------------------------------------- nodes are dead
# Where --no-kill is said Slurm lets what is on the others go on, and Hector ends it,
# whatever Slurm knows; or it goes on, on those that are left, where there is a
# checkpoint. Of the third job the first node dies, with hector-run and the master.
begin()         # ARGUMENT..., SCRIPT on stdin: $id is Slurm's number of job $job, whose
{               # streams are $job.out and $job.err
    job=$((job + 1))
    { echo '#!/bin/sh'; cat; } >"$T/script"
    id=$($nobody sbatch --parsable -o "$job.out" -e "$job.err" "$@" "$T/script")
    wait_for '[ "$(as_of $job state)" = running ]'
}
rounds() { grep -c '^round .* 0$' 3.out; }
begin -w 'n[1-2]' -N2 -n2 --no-kill <<'END'
hector-run sleep 1000
echo "status $?" >&2
END
begin -w 'n[3-5]' -N3 -n3 --no-kill <<'END'
exec hector-run --checkpoint-dir "$PWD/saved" "$APPS/rounds" "$PWD/enough"
END
begin -N2 -n2 --exclusive <<'END'
exec hector-run sleep 1000
END
first=$(squeue -h -j "$id" -o %B)
wait_for '[ "$(grep -c begun 3.out)" = 3 ]'
on n3 $nobody hector checkpoint 3 >>"$T/log" 2>&1
ok 'what runs is seen on its nodes' [ "$(slurm_strays $t_hosts | wc -l)" -gt 14 ]
for h in n2 n5 "$first"; do
    kill_all_on "$h"
done
wait_for 'is_over 2'
is "$(as_of 2 'state, exit_code, reason')" 'failed|125|node failure' \
    'sbatch --no-kill, and a node dies of which Slurm does not know it'
wait_for 'grep -q "^status" 2.err'
is "$(grep -c '^status 125$' 2.err)" 1 '... the script goes on, and has the status 125'
like 2.err "^hector: node n2 was lost" '... and the name of the node'
run $nobody hector why 2
like "$T/out" "node n2 was lost" '... as has hector why'

wait_for 'grep -q "all tasks go back to checkpoint 1" 3.err'
seen=$(rounds)
wait_for '[ "$(rounds)" -gt $((seen + 3)) ]'
sed -n 's/^round \([0-9]*\) .*/\1/p' 3.out | sort -n | tail -n 1 >until
mv until enough
wait_for 'is_over 3 && [ "$(grep -c "of 3 wrong 0 " 3.out)" = 3 ]'
is "$(as_of 3 'state, exit_code, reason') $(grep -c 'of 3 wrong 0 ' 3.out)" 'done|0| 3' \
    'one that has a checkpoint goes back to it, without the node'

# Nobody says how that one has ended, until Slurm begins it again.
for h in n2 n5 "$first"; do
    scontrol update NodeName="$h" State=down Reason=test
done
wait_for '[ "$(as_of 5 state) $(as_of 4 state)" = "running killed" ]'
is "$(as_of 5 'batch, restarts')" "Slurm $id|1" 'a job whose first node dies is begun again'
is "$(as_of 4 'state, exit_code, reason')" 'killed|143|requeued' \
    '... and the record of its former run is closed'
$nobody scancel "$id"
job=5
is "$(ended ', reason')" 'CANCELLED killed|143|cancelled' '... it can be cancelled'
wait_for '[ -z "$(slurm_strays $t_hosts)" ]'
is "$(slurm_strays $t_hosts)" '' 'nothing of them is left on any node'
for h in n2 n5 "$first"; do     # as machines that are off
    on "$h" sh -c 'rm -rf "$TMPDIR"/hector-* /dev/shm/hector-*'
done
done_testing
