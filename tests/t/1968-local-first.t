# Images are written to a disk of each node first, and copied to where all nodes see
# them while the job runs: only then is it a checkpoint, and nothing stays on the node.
# What fails on that way costs the checkpoint, and not the one before.
# limit: 60
# busy
# shellcheck disable=SC2016,SC2154 # the shell of a wait expands; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 2
need sqlite3
. "$top/tests/lib/rounds.sh"

R="hector-run --launch-agent $AGENT --oversubscribe -H n1:4,n2:2"
D=$T/saved
L=$TMPDIR/local         # each host has its own
tasks=4
on_nodes()      # what is in it there
{
    for h in n1 n2; do
        on $h find "$L" -mindepth 1 2>/dev/null
    done
}
unfinished()
{
    for d in "$D"/[0-9]*; do
        [ -f "$d/checkpoint" ] || echo "${d##*/}"
    done
}
nothing_left()  # DESCRIPTION
{
    wait_for '[ -z "$(on_nodes)$(unfinished)" ]'
    is "$(on_nodes)$(unfinished)" '' "$1"
}
for words in "--checkpoint-local $L" "--checkpoint-dir $D --checkpoint-local x" \
    "--checkpoint-dir $D --checkpoint-rate 1M" \
    "--checkpoint-dir $D --checkpoint-local $L --checkpoint-rate 0"; do
    # shellcheck disable=SC2086 # they are several
    run hector-run $words true
    is "$status $(grep -c . "$T/err")" '2 1' "${words##*--} is refused"
    cat "$T/err" >&2
done

# -------------------------------------------------------------------------- it works
begin --map-by node --checkpoint-dir "$D" --checkpoint-local "$L"
run hector checkpoint "$job"
is "$status $(grep -c "checkpoint 1 is in $D/1: 4 images" "$T/out")" '0 1' 'a checkpoint'
cat "$T/err" >&2
ok '... whose copies are whole' hector-restore --check "$D"/1/rank-0.image \
    "$D"/1/rank-1.image "$D"/1/rank-2.image "$D"/1/rank-3.image
nothing_left '... nothing stays on the nodes'

# No room on one of them.
on n1 mkdir -p "$L"
if on n1 mount -t tmpfs -o size=1m small "$L" 2>/dev/null; then
    run hector checkpoint "$job"
    is "$status $(grep -c 'no checkpoint 2, and the tasks go on: .*rank-[0-3].image .*: No space' \
        "$T/err")" '1 1' 'the local disk full: a sentence'
    cat "$T/err" >&2
    nothing_left '... nothing of it stays'
    on n1 umount "$L"
else
    skip 'a full disk' 'only root can mount one'
fi
further 2
kill -9 "$(pid_of 1)"
launched 2
further 2
run hector checkpoint "$job"
is "$status" 0 'it goes back, and a later one works'
cat "$T/err" >&2
whole 'nothing is missing and nothing twice'

# ------------------------------------------------------------------- while it copies
last=$(sql "SELECT max(number) FROM checkpoints WHERE job = $job AND state = 'whole'")
copying()       # the job goes on from checkpoint $last, and is to copy its next one for
{               # some minutes, and does
    fresh made.out rounds.out
    rm -f "$T/enough"
    $R --map-by node --restart "$D" --checkpoint-dir "$D" --checkpoint-local "$L" \
        --checkpoint-rate 2k </dev/null >"$T/rounds.out" 2>"$T/rounds.err" &
    runner=$!
    further 2
    job=$(sql 'SELECT max(job) FROM jobs')
    hector checkpoint "$job" >"$T/made.out" 2>&1 &
    asker=$!
    next=$((last + 1))
    wait_for '[ "$(echo "$D/$next"/rank-*.part | wc -w)" = 2 ] && [ -e "$D/$next"/rank-0.* ]'
}
ended()         # DESCRIPTION: well
{
    finish
    is "$status $(grep -c "of 4 wrong 0" "$T/rounds.out")" '0 4' "$1"
    cat "$T/rounds.err" >&2
}
copying
further 3
ok 'the job runs while it copies' kill -0 $asker
kill -9 "$(pid_of 3)"
launched 2
further 2
like "$T/rounds.err" "all tasks go back to checkpoint $last " \
    'a task killed: back to the one before'
nothing_left '... and what was copied is gone'
wait $asker
ended '... the job goes on'
copying
ended 'a job may end while it copies'
wait $asker
cat "$T/made.out" >&2
nothing_left '... nothing is left'
copying
for p in $(t_processes); do
    [ "$(cat "/proc/$p/comm")" = hector-slave ] && [ "$(nsenter -t "$p" -u hostname)" = n2 ] &&
        grep -q hector-slave "/proc/$(awk '/^PPid/ { print $2 }' "/proc/$p/status")/comm" &&
        kill -9 "$p"
done 2>/dev/null
launched 2
further 2
like "$T/rounds.err" "node n2 was lost.*back to checkpoint $last " \
    'a slave killed before its copy is there: back to the one before'
is "$(unfinished)$(on n1 find "$L" -mindepth 1)" '' '... what others had of it is gone'
wait $asker
ended '... the job goes on'
on n2 rm -rf "$L"       # as nobody was there to do it
on n1 rm -d "$L"
on n2 sh -c 'rm -rf "$TMPDIR"/hector-* /dev/shm/hector-*'

# -------------------------------------------------------------------- D goes meanwhile
rm -rf "$D"
begin --map-by node --checkpoint-dir "$D" --checkpoint-local "$L" --checkpoint-rate 300k
hector checkpoint "$job" >"$T/made.out" 2>&1 &
asker=$!
wait_for 'ls "$D"/1/rank-*.part >/dev/null 2>&1'
mv "$D" "$D.away"
wait $asker
is "$(grep -c 'no checkpoint 1, and the tasks go on: n[12]: checkpoint 1 in .*: No such file' \
    "$T/made.out")" 1 'where it goes to is gone: a sentence'
cat "$T/made.out" >&2
mv "$D.away" "$D"
run hector checkpoint "$job"
is "$status" 0 '... when it is there again so is the next one'
cat "$T/err" >&2
nothing_left '... and nothing of the other'
whole '... the job has gone on'

# ------------------------------------------------- images that can be made less are packed
rm -rf "$D"
more=even=16
begin --map-by node --checkpoint-dir "$D" --checkpoint-local "$L"
run hector checkpoint "$job"
is "$status" 0 'memory of numbers that are alike: a checkpoint'
cat "$T/err" >&2
size=$(sql "SELECT image_bytes FROM checkpoints WHERE job = $job")
kept=$(cat "$D"/1/rank-*.image | wc -c)
ok "... of $size bytes, whose copies have $kept" [ $((kept * 4)) -lt "$size" ]
cp "$D/1/rank-0.image" "$T/packed"
run hector-restore --check "$D"/1/rank-0.image "$T/packed"
is "$status|$(cat "$T/err")" '0|' '... which are whole'
kill -9 "$(pid_of 2)"
launched 2
further 2
whole '... and that the tasks go back to'
broken()        # DESCRIPTION PATTERN: of $T/packed
{
    run hector-restore --check "$T/packed"
    is "$status $(grep -Ec "packed: $2" "$T/err")" '125 1' "$1"
    cat "$T/err" >&2
}
echo more >>"$T/packed"
broken 'a packed one that goes on' 'is damaged: it goes on behind its end'
head -c $((kept / 8)) "$D/1/rank-0.image" >"$T/packed"
broken 'a packed one that was cut off' 'ends too early'
mkdir "$T/apart"
cp "$build/bin/hector-restore" "$T/apart"
run "$T/apart/hector-restore" --check "$D/1/rank-0.image"
is "$status $(grep -c 'is packed, and hector-keep cannot be started' "$T/err")" '125 1' \
    'without hector-keep beside it: a sentence'
cat "$T/err" >&2
for h in n1 n2; do on $h rm -d "$L"; done
done_testing
