# Tasks that were made of their images and are about to join each other stand in their
# pages, as they did when these were written: nothing is made of that.
# limit: 60
# shellcheck disable=SC2016 # the shell of a wait expands
. "${0%/*}/../lib/t.sh"
need_moves
need sqlite3
. "$top/tests/lib/rounds.sh"

R='hector-run --oversubscribe'
tasks=3
begin --checkpoint-dir "$T/saved" --max-restarts 10
hector checkpoint "$job" >&2
stopped()       # the new task 0, when it has begun to take its MPI library
{
    now=$(pid_of 0)
    [ "$now" != "$was" ] && [ "${now:-0}" -gt 0 ] && grep -q mca_ "/proc/$now/maps" &&
        kill -STOP "$now"
}
# On a busy machine they may have joined before it is stopped: then they go back again.
for try in 1 2 3 4 5 6 7 8; do
    was=$(pid_of 0)
    kill -9 "$(pid_of 1)"
    while ! stopped 2>/dev/null; do :; done
    launched $((try + 1))
    for r in 1 2; do
        wait_for 'grep -q mca_ "/proc/$(pid_of $r)/maps"'
    done
    run hector checkpoint "$job"
    grep -q 'was made of its image' "$T/err" && break
    cat "$T/err" >&2
    kill -CONT "$now"
    further 3
done
is "$status" 1 'while they join there is no checkpoint'
like "$T/err" "no checkpoint [0-9]+, and the tasks go on: task [0-2] was made of its image, and \
has not joined the others yet\$" '... and a sentence says so'
kill -CONT "$now"
further 3
run hector checkpoint "$job"
is "$status" 0 'when they have there is a checkpoint'
cat "$T/err" >&2
whole 'nothing is missing and nothing twice'
done_testing
