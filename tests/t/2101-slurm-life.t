# Jobs of an ordinary user in a real Slurm while they live: hung, suspended, signalled
# before their time is over, on a node that dies.
# limit: 80
# shellcheck disable=SC2154 # $id and $job are submit's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 3
nobody_only
job=0

# This version of Slurm does not say in the environment when a job ends. Its mail user is
# told of a hang, by a mailx that keeps what it is to send.
mkdir -p "$T/mail"
cat >"$T/mail/mailx" <<END
#!/bin/sh
printf '%s|' "\$@" >'$T/told'
cat >>'$T/told'
END
chmod 755 "$T/mail/mailx"
fresh told
chmod 666 "$T/told"
batch -N2 -n4 --time=600 --mail-user=anna@b,carl --mail-type=END <<'END'
env | grep -c SLURM_JOB_END_TIME
PATH=$T/mail:$PATH
hector-run --on-hang kill --notify mail --inject 'rank=2,call=MPI_*send,after=1,fault=drop' \
    "$APPS/stencil" 32 600
END
job=1
is "$status $(head -n 1 "$T/out")" '123 0' 'a job that hangs is ended, with it the allocation'
# A busy machine needs some minutes for it.
hours='(19\.[89]|20\.0) node hours and (39\.[789]|40\.0) core hours'
all='(99\.[2-9]|100\.0) %'
like "$T/err" "^hector: (9h5[5-9]m|10h00m) of the allocation are left, $all: $hours are saved" \
    '... and what that saves is said'
wait_for 'grep -q verdict "$T/told"'
like "$T/told" '^-s\|Slurm [0-9]+ hangs\|anna@b\|carl\|\{"verdict":\{"policy":"hang"' \
    '... its mail user is written to'
is "$(sql 'SELECT saved_node_hours > 19.8, saved_core_hours > 39.6, saved_percent > 99
    FROM jobs')" '1|1|1' '... and kept'
run $nobody hector why 1
like "$T/out" "^it was in Slurm [0-9]+, of which .* were left when .* hang: $all, $hours" \
    '... hector why says so'
is "$(sql 'SELECT state, exit_code, reason FROM jobs WHERE job = 1')" 'killed|123|' \
    '... it is not Slurm that has ended it'

# The tasks count, and so must stand; what stands is no hang, nor lost.
submit -N2 -n2 <<'END'
exec hector-run --on-hang kill:age=1s "$APPS/stencil" 32 600
END
calls() { sql "SELECT min(mpi_calls) FROM tasks WHERE job = $job"; }
wait_for '[ "$(calls)" -gt 1000 ]'
scontrol suspend "$id"
wait_for 'squeue -h -o %T | grep -q SUSPENDED'
sleep 8                 # longer than all that is waited for of who says nothing
scontrol resume "$id"
before=$(calls)
ok 'a job that Slurm has suspended goes on' wait_for '[ "$(calls)" -gt $((before + 1000)) ]'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job") $(cat "$T/err")" '0 ' \
    '... and nothing is said of it'
stood()         # each task, for so long; that is known some looks later
{
    $nobody hector ps -j "$job" >"$T/ps" && [ "$(sqlite3 :memory: "SELECT count(*)
        FROM json_each(CAST(readfile('$T/ps') AS TEXT))
        WHERE json_extract(value, '\$.suspended_ns') BETWEEN 6e9 AND 120e9")" = 2 ]
}
ok '... for how long each task stood is known' wait_for stood
scancel "$id"
is "$(ended ', reason')" 'CANCELLED killed|143|cancelled' '... until it is cancelled'

# Slurm looks for them at times only; whoever has TERM as a signal to go may.
submit -N2 -n2 --signal=USR2@60 --time=600 <<'END'
exec hector-run sh -c 'trap "echo got $PMIX_RANK; exit 0" USR2; echo up
    while :; do sleep 0.1; done'
END
wait_for '[ "$(grep -c up "$T/out")" = 2 ]'
scontrol update JobId="$id" EndTime=now+50
is "$(ended ', reason') $(grep got "$T/out" | sort -u | xargs)" \
    'COMPLETED done|0| got 0 got 1' 'the signal of sbatch --signal goes to the tasks'

slurm_clear 'nothing of them is left'
is "$(cat "$T"/err* | grep -c 'hector: master:')" 0 'the masters are quiet'

# Last, as Slurm itself learns of it much later: it cannot say why, Hector does.
submit -N3 -n3 <<'END'
exec hector-run sleep 1000
END
gone=$(squeue -h -j "$id" -o %B)
gone=n$((${gone#n} % 3 + 1))
kill_all_on "$gone"
wait_for '[ -n "$(sql "SELECT ended_ns FROM jobs WHERE job = $job")" ]'
is "$(sql "SELECT state, exit_code, reason FROM jobs WHERE job = $job")" 'failed|125|node failure' \
    'a node that dies: Hector is faster than Slurm'
wait_for 'grep -q "was lost" "$T/err"'
like "$T/err" "^hector: node $gone was lost" '... and names it'
for h in $t_hosts; do
    wait_for '[ -z "$(processes_of $h | xargs -rn1 sh -c '\''cat /proc/$0/comm'\'' |
        grep -E "hector|sleep 1000")" ]' || fail "$h is clear"
done
# Slurm's own for the batch script is there for longer than its daemons.
steps() { slurm_left | sed -n 's/.*slurmstepd.*(\([0-9]*\))$/\1/p'; }
steps | xargs -r kill -KILL
on "$gone" sh -c 'rm -rf "$TMPDIR"/hector-* /dev/shm/hector-*'    # as a machine that is off
done_testing
