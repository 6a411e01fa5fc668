# --before-limit in jobs of an ordinary user whose time in a real Slurm is short: two
# minutes, as slurmctld says; ten seconds after their begin all of them are at it.
# limit: 120
# shellcheck disable=SC2016,SC2086,SC2154 # scripts are for other shells; $as is words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 2
nobody_only

begin()         # NAME: its script is on stdin; $id is Slurm's number
{
    { echo '#!/bin/sh'; echo "N=$1"; cat; } >"$1.sh"
    id=$($as sbatch --parsable -N2 -n2 --ntasks-per-node=1 --time=2 \
        -o "$1.out" -e "$1.err" "$1.sh")
    eval "$1=$id"
    wait_for '[ -n "$(job_of "$id")" ]'
}
job_of() { sql "SELECT job FROM jobs WHERE batch = 'Slurm $1'" 2>/dev/null; }
in_view()       # SLURM-NUMBER COLUMNS
{
    sql "SELECT $2 FROM jobs WHERE batch = 'Slurm $1'"
}
acts()          # SLURM-NUMBER
{
    sql "SELECT action, by, result FROM actions WHERE job = $(job_of "$1")
        ORDER BY at_ns LIMIT 1"
}
slurms()        # NAME SLURM-NUMBER: what Slurm says of it
{
    scontrol show job "$2" | sed -n "s/.*$1=\\([^ ]*\\).*/\\1/p"
}
said()          # NAME SLURM-NUMBER WHAT
{
    like "$1.err" "^hector: Slurm $2 ends in (9[0-9]|10[0-9]|110) s: $3\$" \
        '... which is said, so long before'
}

begin report <<'END'
exec hector-run --before-limit 110s:report \
    sh -c 'until grep -q "ends in" "$0"; do sleep 0.1; done' "$N.err"
END
begin signal <<'END'
exec hector-run --before-limit 110s:USR1 \
    sh -c 'trap "echo got \$PMIX_RANK; exit 0" USR1; while :; do sleep 0.1; done'
END
begin saved <<'END'
(until ls saved/*/checkpoint >/dev/null 2>&1; do sleep 0.1; done; : >made) &
exec hector-run --before-limit 110s:checkpoint --checkpoint-dir saved \
    "$APPS/hello" --wait-for made
END
begin killed <<'END'
exec hector-run --before-limit 110s:kill sleep 1000
END
wait_for '[ -n "$(in_view "$killed" limit_ns)" ]'
is "$(in_view "$killed" 'limit_ns / 1000000000')" "$(date -d "$(slurms EndTime "$killed")" +%s)" \
    'when slurmctld ends a job is known'
slurm_over

is "$(in_view "$report" 'state, exit_code') $(acts "$report")" \
    'done|0 report|batch system|done' 'a sentence'
said report "$report" report
is "$(in_view "$signal" 'state, exit_code') $(acts "$signal") $(sort signal.out | xargs)" \
    'done|0 signal|batch system|done got 0 got 1' 'USR1 for the tasks on both nodes'
said signal "$signal" 'all tasks get USR1'
is "$(in_view "$saved" 'state, exit_code') $(acts "$saved" | cut -d'|' -f1,2) $(sql \
    'SELECT count(*) || min(state) FROM checkpoints')" 'done|0 checkpoint|batch system 1whole' \
    'a checkpoint of the tasks on both nodes'
said saved "$saved" checkpoint
is "$(in_view "$killed" 'state, exit_code') $(acts "$killed" | cut -d'|' -f1,2)" \
    'killed|124 kill|batch system' 'the end of the job, as a time-out'
said killed "$killed" kill
is "$(for i in "$report" "$signal" "$saved" "$killed"; do slurms JobState "$i"; done | xargs)" \
    'COMPLETED COMPLETED COMPLETED FAILED' 'Slurm has ended none of them for its time'
slurm_clear 'nothing of them is left'
done_testing
