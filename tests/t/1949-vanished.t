# The place of a job's checkpoints vanishes, as that of a file server does that is
# unmounted: the next one is refused in words, and the job runs on; a job that would
# have to go back ends with a sentence; and when the place is there again, so is all.
# limit: 60
# shellcheck disable=SC2016,SC2034,SC2154 # the shell of a wait expands; by rounds.sh; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 1                 # mounts of our own
need sqlite3
. "$top/tests/lib/rounds.sh"

R='hector-run --oversubscribe'
tasks=2
mkdir "$T/server" "$T/place"
appear() { mount --bind "$T/server" "$T/place"; }
vanish() { umount -l "$T/place"; }
saved_job()     # a job of which there is a checkpoint, in a place that vanishes then
{
    appear
    rm -rf "$T/server"/*
    begin --checkpoint-dir "$T/place/saved"
    hector checkpoint "$job" >&2
    vanish
}
saved_job
run hector checkpoint "$job"
is "$status $(grep -c "^hector: $job: there is no checkpoint 2, and the tasks go on: \
.*not there: .* mounted" "$T/err") $(wc -l <"$T/err")" '1 1 1' 'a checkpoint is refused'
cat "$T/err" >&2
further 3
is "$(ls -A "$T/place")" '' '... and nothing is written where the place was'
run hector suspend --to-disk "$job"
is "$status $(grep -c 'is not there: .* mounted' "$T/err")" '1 1' \
    '... nor is the job suspended to disk'
cat "$T/err" >&2
further 3
appear
run hector checkpoint "$job"
is "$status" 0 'when it is there again there is one'
cat "$T/err" >&2
kill -9 "$(pid_of 1)"
launched 2
whole '... to which the job goes back'
vanish

saved_job
kill -9 "$(pid_of 1)"
status=0
wait $runner || status=$?
is "$status $(grep -c 'could not be started: the image .* there is no such file' \
    "$T/rounds.err")" '125 1' 'a job that has to go back there ends'
cat "$T/rounds.err" >&2
appear
run hector-run --oversubscribe --restart "$T/place/saved" --checkpoint-dir "$T/place/saved" \
    --max-restarts 0 --timeout 1
is "$status" 124 '... and goes on from there when it is back'
vanish
done_testing
