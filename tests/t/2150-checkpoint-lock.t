# Two runs do not write to one directory of checkpoints: the second one is refused, and
# one that a real Slurm has begun again, while the run before is still alive on a node of
# which Slurm knows nothing, waits for its end. Whoever is killed leaves no lock.
# limit: 60
# shellcheck disable=SC2154 # $id and $job are submit's
. "${0%/*}/../lib/t.sh"
need_moves
. "$top/tests/lib/slurm.sh"
slurm 2
job=0
D=$T/saved
export D
in_view()       # COLUMNS of the job
{
    sql "SELECT $1 FROM jobs WHERE job = $job" 2>/dev/null
}
rounds() { grep -c '^round .* 0$' "$T/out"; }
further()       # more rounds than there were
{
    seen=$(rounds)
    wait_for '[ "$(rounds)" -gt "$seen" ]'
}
in_use()        # DIRECTORY HOST MORE: as a regular expression
{
    echo "--checkpoint-dir: $1 is in use by hector-run on $2, process [0-9]+$3,\
 since 2[-0-9]+ [:0-9]+"
}

# -------------------------------------------------------------- two jobs of Slurm
submit -N1 -n2 --open-mode=append <<'END'
exec hector-run --checkpoint-dir "$D" "$APPS/rounds" "$T/enough"
END
lasts=$id
first=$job
node=$(squeue -h -j "$id" -o %B)
wait_for '[ "$(grep -c begun "$T/out")" = 2 ]'
mv "$T/out" "$T/out.first"
mv "$T/err" "$T/err.first"
alloc -N1 -n2 hector-run --checkpoint-dir "$D" "$APPS/rounds" "$T/enough"
is "$status $(out)" '125 ' 'a second job with the same directory is refused'
is "$(wc -l <"$T/err")" 1 '... in one sentence'
like "$T/err" "^hector: $(in_use "$D" "$node" ", of Slurm $id")\$" '... that says who has it'
mv "$T/out.first" "$T/out"
mv "$T/err.first" "$T/err"
on "$node" hector checkpoint "$job" >>"$T/log" 2>&1
is "$(sql "SELECT number, state FROM checkpoints WHERE job = $job")" '1|whole' \
    '... and the first one goes on, and writes there'

# ----------------------------------------- begun again, while the run before is alive
lasts=
kill -KILL "$(slurmd_of "$node")"
scontrol update NodeName="$node" State=down Reason=test
wait_for 'grep -q "which is waited for" "$T/err"'
like "$T/err" "^hector: $D is in use by hector-run on $node, process .*, which is waited for:\
 up to 120 s\$" 'one that is begun again waits for the run before'
is "$(in_view 'state, ended_ns')" 'running|' '... of which Slurm does not know that it lives'
further
is "$(in_view state)" running '... and which goes on'
kill_all_on "$node"
wait_for 'grep -q "goes on from" "$T/err"'
like "$T/err" "^hector: Slurm $id was begun 1 time before: .* goes on from checkpoint 1 in $D," \
    'as soon as that is gone it goes on from its checkpoint'
further
sed -n 's/^round \([0-9]*\) .*/\1/p' "$T/out" | sort -n | tail -n 1 >"$T/until"
mv "$T/until" "$T/enough"
slurm_over
job=$((first + 1))
is "$(in_view 'state, exit_code') $(grep -c 'of 2 wrong 0 ' "$T/out")" 'done|0 2' \
    '... and ends well, with nothing lost or done twice'
slurm_back "$node"
slurm_clear 'nothing of them is left'

# ------------------------------------------------------- killed, and its master not
D=$T/other
hector-run -n 1 --checkpoint-dir "$D" "$APPS/rounds" "$T/never" >"$T/run.out" 2>&1 </dev/null &
runner=$!
wait_for 'grep -q begun "$T/run.out"'
master=$(pgrep -P "$runner" -x hector-master)
kill -STOP "$master"
kill -KILL "$runner"
wait_for "! kill -0 $runner 2>/dev/null"
echo 1 >"$T/enough"
run hector-run -n 1 --checkpoint-dir "$D" "$APPS/rounds" "$T/enough"
is "$status" 125 'the master of a run that was killed still has it'
like "$T/err" "^hector: $(in_use "$D" login '')\$" '... which is said'
kill -KILL "$master"
wait_for "! kill -0 $master 2>/dev/null"
run hector-run -n 1 --checkpoint-dir "$D" "$APPS/rounds" "$T/enough"
is "$status $(cat "$T/err")" '0 ' 'a lock of the dead is none'
printf '\001bad\nname' >"$D/lock"
run hector-run -n 1 --checkpoint-dir "$D" "$APPS/rounds" "$T/enough"
is "$status $(cat "$T/err")" '0 ' '... whatever its file says'
rm -rf "$TMPDIR"/hector-*       # of the run that was killed
done_testing
