# What happens to a job in a real Slurm before its tasks have started, or without
# Slurm's doing: cancelled while its hosts are waited for, a node that dies under
# sbatch --no-kill, also below an ordinary user.
# limit: 240
# shellcheck disable=SC2154 # $id and $job are submit's
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
done_testing
