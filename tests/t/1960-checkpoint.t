# The tasks of a job are written to files while it runs, and made again of them by
# another hector-run: each message comes once, each line of output is there, files
# have the size that they had.
# limit: 60
# shellcheck disable=SC2016,SC2086 # the tasks' shells expand; words are wanted
. "${0%/*}/../lib/t.sh"
need_moves
need sqlite3
. "$top/tests/lib/rounds.sh"

R='hector-run --oversubscribe'
tasks=3
D="$T/a place"
refused()       # DESCRIPTION STATUS EXTENDED-REGEXP WORD...: with that sentence
{
    tap_d=$1 tap_s=$2 tap_re=$3
    shift 3
    run "$@"
    is "$status $(grep -Ec -- "$tap_re" "$T/err")" "$tap_s 1" "$tap_d"
    cat "$T/err" >&2
}

# ----------------------------------------------------------------------- refused
refused 'a job is wanted' 2 'wants a JOB' hector checkpoint
refused 'a whole one' 2 'of a whole JOB' hector checkpoint 1.2
begin
refused 'not of a job without --migratable' 1 'started without --migratable' \
    hector checkpoint "$job"
finish
begin --migratable
refused 'nor without a directory' 1 'started without --checkpoint-dir' \
    hector checkpoint "$job"
finish
is "$status $(grep -c 'wrong 0' "$T/rounds.out")" '0 3' '... which go on'

# -------------------------------------------------------------------------- made
begin --checkpoint-dir "$D"
for i in 1 2 3; do
    run hector checkpoint "$job"
    is "$status $(grep -Ec "checkpoint $i is in .*a place/$i: 3 images of [0-9.]+ MB, and the \
job stood for 0?[0-9.]+ s" "$T/out")" '0 1' "checkpoint $i"
    cat "$T/err" >&2
    further 2
done
names()         # in a directory, but that of the lock
{
    find "$1" -mindepth 1 -maxdepth 1 ! -name lock -printf '%f\n' | sort | xargs
}
is "$(names "$D")" '2 3' 'the last two are there'
is "$(names "$D/3")" 'checkpoint rank-0.image rank-1.image rank-2.image' \
    '... an image for each task'
is "$(find "$D" -perm /077 | wc -l)" 0 '... which nobody else may read'
is "$(sql "SELECT number, state FROM checkpoints WHERE job = $job" | xargs)" \
    '1|removed 2|whole 3|whole' 'the record says so'
run hector checkpoints "$job"
is "$(awk 'NR > 1 { print $2, $3 }' "$T/out" | xargs)" '1 removed 2 whole 3 whole' \
    '... and people are told'
run hector -j checkpoints
ok '... also in JSON' grep -q '"state": *"whole"' "$T/out"
is "$(sql "SELECT result FROM actions WHERE job = $job AND action = 'checkpoint'" | sort -u)" \
    'done' '... and who asked'
whole 'the job has gone on'

# ------------------------------------------------------------------- a full disk
mkdir "$T/small"
if mount -t tmpfs -o size=1m small "$T/small" 2>/dev/null; then
    begin --checkpoint-dir "$T/small"
    refused 'not where the disk is full' 1 \
        'no checkpoint 1, and the tasks go on: .* cannot have rank-[0-2][.]image written to '\
'it: No space left on device' \
        hector checkpoint "$job"
    ok '... nothing of it stays there' wait_for '[ -z "$(names "$T/small")" ]'
    chattr +i "$T/small"        # read-only it cannot be made, as a file is open there
    refused 'nor where nothing can be written any more' 1 \
        'no checkpoint 2, and the tasks go on: .*/small: .*Operation not permitted' \
        hector checkpoint "$job"
    whole 'the job has gone on'
    refused '... where a job does not begin' 2 'cannot write to .*: Operation not permitted' \
        $R --checkpoint-dir "$T/small" true
    umount "$T/small"
else
    skip 'a full disk' 'only root can mount one'
fi

# ------------------------------------------------------------------------ by time
rm -rf "$D"
begin --checkpoint-dir "$D" --checkpoint-every 0.3
# The third one is soon gone again.
wait_for '[ "$(sql "SELECT max(number) FROM checkpoints WHERE job = $job AND
    state IN ('"'whole', 'removed'"')")" -ge 3 ]'
whole 'checkpoints by the clock'

# ---------------------------------------------------------------------- made again
rm -rf "$D"
more="$T/lines"
begin --checkpoint-dir "$D"
unset more
further 5
run hector checkpoint "$job"
further 5
run hector checkpoint "$job"
further 1               # what was said before it has come by then
cp "$T/rounds.out" "$T/at.out"
further 20
hector kill "$job" >&2
wait $runner || :
cp "$T/rounds.out" "$T/killed.out"
lines=$(wc -l <"$T/lines.0")
mkdir "$T/kept" && cp "$T"/lines.? "$T/kept"

# Of each task every round up to the last one is there once; where the tasks stood
# they were in the same round, or in the one after.
all_rounds()    # LAST
{
    awk -v last="$1" '
        /^round/ { if (!($3 in n)) first[$3] = $2; bad += $2 != first[$3] + n[$3]++ }
        END {
            for (r = 0; r < 3; r++)
                bad += !(r in n) || first[r] + n[r] - 1 != last ||
                    first[r] > first[0] + 1 || first[r] < first[0] - 1
            print bad + 0
        }' "$T/rounds.out"
}
again()         # DESCRIPTION WORD...: from $D; each line since then comes, once
{
    tap_again=$1
    shift
    rm -f "$T/enough"
    cp "$T/kept"/lines.? "$T"
    $R --restart "$D" "$@" </dev/null >"$T/rounds.out" 2>"$T/rounds.err" &
    runner=$!
    further 3
    job=$(sql 'SELECT max(job) FROM jobs')
    finish
    first=$(sed -n 's/^round \(.*\) 0$/\1/p' "$T/rounds.out" | head -n 1)
    tap_rounds=$(sed -n 's/^rank 0 .* rounds //p' "$T/rounds.out")
    is "$status $(grep -c 'of 3 wrong 0' "$T/rounds.out") $(all_rounds "$tap_rounds") $(
        grep -c begun "$T/rounds.out")" '0 3 0 0' "$tap_again"
    cat "$T/rounds.err" >&2
}
again 'by another hector-run'
is "$(grep -c "^round $first 0" "$T/killed.out") $(
    grep -c "^round $((first - 1)) 0" "$T/at.out")" '1 1' '... from where it was'
seq -f 'round %g' 1 "$tap_rounds" >"$T/should"
for r in 0 1 2; do
    ok "... the file of task $r goes on from there" cmp "$T/should" "$T/lines.$r"
done
ok '... which had been longer' [ "$lines" -gt "$first" ]
is "$(sql "SELECT count(*) FROM events WHERE job = $job AND exit_ns IS NULL")" 0 \
    '... tagged calls have ended'
newest=$first
again 'with the program named' -- "$build/apps/rounds" "$T/enough" "$T/lines"
again 'with other checkpoints' --checkpoint-dir "$T/other" --checkpoint-every 0.2

# ------------------------------------------------------------------------ damaged
# Of the newer one: each part of an image; what comes later is not looked at before
# the task is made of it, which is noticed then.
cp -a "$D" "$T/good"
newer=$D/2
size=$(stat -c %s "$newer/rank-1.image")
for at in 3 400 5000 $((size / 2)) $((size - 20)); do
    rm -rf "$D"
    cp -a "$T/good" "$D"
    was=$(od -An -tx1 -j "$at" -N 1 "$newer/rank-1.image")
    is=X
    [ "$was" != " 58" ] || is=Y
    printf %s "$is" | dd of="$newer/rank-1.image" bs=1 seek="$at" conv=notrunc 2>/dev/null
    again "an image of the newer one that is damaged at $at of $size"
    ok '... the older one is taken' grep -q 'go back to checkpoint 1' "$T/rounds.err"
    ok '... which is older' [ "$first" -lt "$newest" ]
done
rm -rf "$D"
cp -a "$T/good" "$D"
truncate -s $((size / 3)) "$newer/rank-1.image"
again 'one that was cut off'
rm -rf "$D"
cp -a "$T/good" "$D"
rm "$newer/rank-1.image"
again 'one that is gone'
rm -rf "$D"
cp -a "$T/good" "$D"
truncate -s 40 "$newer/checkpoint"
again 'one without what says what it is'
ok '... which people are told' grep -Eq 'checkpoint 2' "$T/rounds.err"
rm -rf "$D"
cp -a "$T/good" "$D"
for n in 1 2; do
    printf 'X' | dd of="$D/$n/rank-1.image" bs=1 seek=5000 conv=notrunc 2>/dev/null
done
refused 'both' 125 '^hector: task 1 on .* rank-1.image is damaged: [^:]*; take another image$' \
    $R --restart "$D"
is "$(hector ps | grep -c running)" 0 '... nothing is left running'
rm -rf "$D"
cp -a "$T/good" "$D"

# ---------------------------------------------------------------------- other ends
refused 'another program' 2 'not of' $R --restart "$D" true
refused 'another number of tasks' 2 '3' $R --restart "$D" -n 4
refused 'a place without any' 2 'no checkpoint' $R --restart "$T"
refused 'a place that is not there' 2 '.' $R --restart "$T/nowhere"
refused 'new ones where others are' 2 '.' $R --checkpoint-dir "$D" true
mkdir "$T/file" && rmdir "$T/file" && : >"$T/file"
refused 'a directory that is none' 2 '.' $R --checkpoint-dir "$T/file" true
done_testing
