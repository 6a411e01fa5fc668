# Signals of a real Slurm to the steps of an ordinary user's job that stop it, let it go
# on, or are none that programs have a name for: what stops tasks is no hang, and its
# time is that of a suspension; what they make something of they get, on all nodes.
# limit: 120
# shellcheck disable=SC2034,SC2154 # slurm.sh's; $id and $job are submit's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 2
nobody_only
job=0
calls() { sql "SELECT ifnull(min(mpi_calls), 0) FROM tasks WHERE job = $job"; }
hold() { sql "SELECT group_concat(DISTINCT hold) FROM task WHERE job = $job"; }
sends() { $nobody scancel "$@" "$id"; }
quiet()         # DESCRIPTION: no verdict, and not a word
{
    is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job") $(cat "$T/err")" '0 ' "$1"
}
further()       # it goes on: more calls than there were
{
    seen=$(calls)
    wait_for '[ "$(calls)" -gt $((seen + 500)) ]'
}

# ------------------------------------------------------------------ they stop
submit -N2 -n4 --ntasks-per-node=2 <<'END'
exec hector-run --on-hang kill:age=1s "$APPS/stencil" 32 600
END
further
sends -s TSTP
ok 'TSTP to the steps stops all tasks' wait_for '[ "$(hold)" = suspended ]'
run $nobody hector ps
like "$T/out" "^ *$job stencil +suspended " '... hector ps says so'
sleep 8                 # longer than all that is waited for of who says nothing
seen=$(calls)
quiet '... which is no hang'
sends -s CONT
ok '... CONT lets them go on' wait_for '[ "$(hold)" = going ]'
further
ok '... all of them' [ "$(calls)" -gt "$seen" ]
is "$(sql "SELECT count(*) FROM task WHERE job = $job AND held_ns BETWEEN 7e9 AND 100e9")" 4 \
    '... for how long each stood is kept'
quiet '... and nothing is said of it'
held=$(sql "SELECT min(held_ns) FROM task WHERE job = $job")
sends --full -s TSTP
ok 'TSTP to all of the job: they stand' wait_for '[ "$(slurm_stopped stencil)" = 4 ]'
sleep 4                 # so that it makes a difference
sends --full -s CONT
further
ok '... CONT to all of it: they go on' wait_for '[ "$(hold)" = going ]'
# They may have been going all the time, for a slave that stood as well.
ok '... for how long each stood is kept' wait_for '[ "$(sql "SELECT
    min(held_ns) > $held + 2e9 FROM task WHERE job = $job")" = 1 ]'
sends -s TSTP
wait_for '[ "$(hold)" = suspended ]'
sends
is "$(ended ', reason')" 'CANCELLED killed|143|cancelled' 'one that stands is cancelled'

# ------------------------------------------------- they make something of it
E=$T/nobody/enough
export E
begin()         # ARGUMENT...: of sbatch; tasks that say what comes
{
    submit -N2 -n2 --ntasks-per-node=1 "$@" <<'END'
exec hector-run sh -c 'for s in 18 20 24 26 27 29 30 34 35 37 64; do
        trap "echo got $PMIX_RANK $s" $s
    done
    echo up
    while [ ! -e "$E" ]; do sleep 0.5 & wait; done; exit 0'
END
    wait_for '[ "$(grep -c up "$T/out")" = 2 ]'
}
got()           # SIGNAL DESCRIPTION: all tasks get it
{
    got=$1
    ok "$2" wait_for '[ "$(grep "^got [01] $got\$" "$T/out" | sort -u | wc -l)" = 2 ]'
}
begin --signal=37@60 --time=600
for n in 20 18 27 29 30 34 64; do
    sends -s "$n"
    got "$n" "signal $n to the steps: its tasks get it"
done
is "$(hold)" going '... also one that stops others'
for n in 24 26 35; do
    sends --full -s "$n"
    got "$n" "signal $n to all of the job: so do they"
done
scontrol update JobId="$id" EndTime=now+50
got 37 'sbatch --signal=37@60, of real time'
: >"$E"
is "$(ended ', reason') $(cat "$T/err")" 'COMPLETED done|0| ' \
    '... they live on, and not a word is said'
submit -N2 -n2 --ntasks-per-node=1 <<'END'
exec hector-run sleep 1000
END
sends -s ABRT
ended ', reason' >how
like how '^FAILED failed\|134\|$' 'ABRT ends tasks, and not their slaves'
# STOP cannot be caught: of slaves that stand nothing is heard.
submit -N2 -n2 --ntasks-per-node=1 <<'END'
exec hector-run sleep 1000
END
sends -s STOP
is "$(ended ', reason')" 'FAILED failed|125|node failure' 'STOP to the steps loses their nodes'
like "$T/err" '^hector: node n2 was lost' '... which is said'
slurm_clear 'nothing of them is left'
for h in $t_hosts; do           # of those that were killed at once
    on "$h" sh -c 'rm -rf "$TMPDIR"/hector-* /dev/shm/hector-*'
done
done_testing
