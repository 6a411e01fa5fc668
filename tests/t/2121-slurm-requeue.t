# A job of an ordinary user that a real Slurm requeues goes on from the last good checkpoint of its
# former runs, by itself; it starts anew where there is none, and takes none that is
# damaged, or of other programs. Its runs are one story.
# limit: 300
# shellcheck disable=SC2034,SC2086,SC2154 # $as, $id and $job are submit's; $nobody is words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 3
nobody_only
export D="$T/nobody/saved"
job=0
in_view()       # COLUMNS of the job
{
    sql "SELECT $1 FROM jobs WHERE job = $job"
}
first_of() { squeue -h -j "$id" -o %B; }
rounds()        # how many lines of rounds there are
{
    grep -c '^round .* 0$' "$T/out"
}
further()       # more rounds than there were
{
    seen=$(rounds)
    wait_for '[ "$(rounds)" -gt "$seen" ]'
}
begun()         # N: tasks have begun so often, anew
{
    wait_for "[ \"\$(grep -c begun '$T/out')\" = $1 ]"
}
again()         # requeue it: $job is the next run, which is running when we are back
{
    $nobody scontrol requeue "$id"
    wait_for '[ -n "$(in_view ended_ns)" ]'
    job=$((job + 1))
    wait_for 'in_view state 2>/dev/null | grep -q running'
}
enough()        # let the tasks end, after some more rounds
{
    further
    sed -n 's/^round \([0-9]*\) .*/\1/p' "$T/out" | sort -n | tail -n 1 >"$T/until"
    mv "$T/until" "$T/enough"
    wait_for '! squeue -h | grep -q .'
}

# ------------------------------------------------------------- one run after the other
rm -f "$T/enough"
submit -N2 -n3 --open-mode=append <<'END'
exec hector-run --checkpoint-dir "$D" "$APPS/rounds" "$T/enough"
END
first=$job
begun 3
again
like "$T/err" "^hector: Slurm $id goes back into the queue\$" 'a job that is requeued says so last'
like "$T/err" "^hector: Slurm $id was begun 1 time before, and there is no checkpoint in $D:\
 the job starts anew\$" 'one that is requeued before its first checkpoint starts anew, and says so'
begun 6
for i in 1 2; do
    on "$(first_of)" $nobody hector checkpoint "$job" >>"$T/log" 2>&1
    further
done
again
like "$T/err" "^hector: Slurm $id was begun 2 times before: the job goes on from checkpoint 2 in \
$D, [0-9ms]+ old, which saves [0-9ms]+, 0\.[0-9] core hours of 3 tasks\$" \
    'it goes on from the last checkpoint, and says from which, how old it is, and what it saves'
further
is "$(grep -c begun "$T/out")" 6 '... its tasks have not begun again'

# The last one is damaged: the one before.
printf 'x' | dd of="$D/2/checkpoint" bs=1 seek=100 conv=notrunc 2>/dev/null
again
like "$T/err" "^hector: Slurm $id was begun 3 times before: .* from checkpoint 1 in $D," \
    'where the last one is damaged it is the one before'
like "$T/err" "^hector: checkpoint 2 in $D is damaged.*: the tasks go on from checkpoint 1\$" \
    '... with the reason'
enough
is "$(ended '')" 'COMPLETED done|0' 'it ends as if nothing had been'
is "$(grep -c 'of 3 wrong 0 ' "$T/out") $(grep -c begun "$T/out")" '3 6' \
    '... each number came once'

# ----------------------------------------------------- others, which are not taken
refused()       # DESCRIPTION EXTENDED-REGEXP COMMAND...: with that sentence
{
    tap_d=$1 tap_re=$2
    shift 2
    alloc -N2 -n3 "$@"
    is "$status $(grep -Ec -- "^hector: Slurm [0-9]+ was begun 9 times before: $tap_re" \
        "$T/err") $(cat "$T/out")" '2 1 ' "$tap_d"
    cat "$T/err" >&2
}
again="env SLURM_JOB_ID=$id SLURM_RESTART_COUNT=9"
# shellcheck disable=SC2086 # $again is several words
{
    refused 'those of other arguments are not taken' \
        "--checkpoint-dir: $D has checkpoints of .*rounds.*, not of .*rounds.* other" \
        $again hector-run --checkpoint-dir "$D" "$APPS/rounds" other
    refused '... nor those of another number of tasks' "-n 2: $D has checkpoints of 3 tasks" \
        $again hector-run --checkpoint-dir "$D" -n 2 "$APPS/rounds" "$T/enough"
}
refused '... nor those of another job of Slurm' \
    "--checkpoint-dir: $D has checkpoints already of job [0-9]+, .*: --restart $D goes on" \
    env SLURM_RESTART_COUNT=9 hector-run --checkpoint-dir "$D" "$APPS/rounds" "$T/enough"

# ------------------------------------------------------------------------- one story
# A job outside of it in between, of which no more is known.
id=$($nobody sbatch --parsable -N1 -o /dev/null --wrap 'exec hector-run true')
wait_for '! squeue -h | grep -q .'
run $nobody hector ps
is "$(awk 'NR > 1 { print $1, $3, $9, $11, $12, $13 }' "$T/out" | xargs)" \
    "$first killed 143 1 1 requeued $((first + 1)) killed 143 1 2 requeued \
$((first + 2)) killed 143 1 3 requeued $((first + 3)) done 0 1 4 - $((first + 4)) done 0 $id 1 -" \
    'hector ps shows the runs as they followed each other, and why each ended'
cat "$T/out" >&2
$nobody hector ps -j >"$T/ps"
is "$(sqlite3 :memory: "SELECT group_concat(json_extract(value, '\$.run')) FROM
    json_each(CAST(readfile('$T/ps') AS TEXT))")" 1,2,3,4,1 '... also in JSON'
run $nobody hector why "$job"
like "$T/out" "^it was in Slurm [0-9]+, which was begun 3 times before:\$" 'hector why tells them'
like "$T/out" "^  run 3, job $((first + 2)): killed, requeued, after .*, from checkpoint 2 of job \
$((first + 1))\$" '... and what each began with'
is "$(in_view 'from_job, from_checkpoint')" "$((first + 1))|1" '... which is in the view jobs'
$nobody hector why -j "$job" >"$T/why"
is "$(sqlite3 :memory: "SELECT json_array_length(CAST(readfile('$T/why') AS TEXT),
    '\$.runs')")" 4 '... also in JSON'
slurm_clear 'nothing of them is left'
done_testing
