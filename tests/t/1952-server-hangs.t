# The place of a job's checkpoints hangs, as that of a file server does which is not
# there: the slave and the job go on, who waits for a checkpoint is told so after a
# while, nobody lines up behind who hangs, and when the server is back there are
# checkpoints again. Where it hangs in the middle of an image the job goes on soon.
# A job ends while it hangs, too.
# limit: 70
# busy
# shellcheck disable=SC2016,SC2034,SC2154 # the shell of a wait expands; by rounds.sh; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 1                 # mounts of our own
need sqlite3 cc
. "$top/tests/lib/rounds.sh"
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'

cc -std=c11 -D_GNU_SOURCE -O2 -w -o "$T/hangfs" "$top/tests/lib/hangfs.c" || exit 1
serve()         # at $T/server; its pid is $server
{
    mkdir "$T/behind" "$T/server"
    "$hangfs" "$T/behind" "$T/server" "$T/hang" >"$T/served" 2>"$T/served.err" &
    server=$!
    wait_for 'grep -q serves "$T/served" || ! kill -0 $server'
    grep -q serves "$T/served"
}
served()        # no more
{
    umount "$T/server" || umount -l "$T/server"
    wait $server
}
hangfs=$T/hangfs
serve || skip_all "$(cat "$T/served.err")"
served

hang()          # REQUEST [N]: that, and all behind it, from now on, or from the Nth on
{
    fresh served
    echo "$@" >"$T/hang.new"
    mv "$T/hang.new" "$T/hang"
}
hangs() { wait_for 'grep -q hangs "$T/served"'; }
answer() { rm "$T/hang"; }
others_run()    # DESCRIPTION: another job does, on the same node, meanwhile
{
    run hector-run --oversubscribe -n 1 echo here
    is "$status $(cat "$T/out")" '0 here' "$1"
    cat "$T/err" >&2
}
save()          # in the background, what comes of it in $T/saving
{
    fresh saving
    hector checkpoint "$job" >"$T/saving" 2>&1 &
    saver=$!
}

R='hector-run --oversubscribe'
tasks=2

# Each of these waits for half a minute, with a server of its own.
# ------------------------------------------------- before the tasks have been stopped
before()
{
    serve
    D=$T/server/saved
    begin --checkpoint-dir "$D"
    run hector checkpoint "$job"
    is "$status" 0 'a checkpoint on a file system that answers'
    cat "$T/err" >&2
    hang mkdir
    save
    hangs
    others_run 'it hangs before the job stands: other jobs run'
    further 3
    wait $saver
    is "$? $(grep -c "there is no checkpoint 2, and the tasks go on: .*does $D answer there?" \
        "$T/saving")" '1 1' '... nobody waits for ever'
    cat "$T/saving" >&2
    further 3
    run hector checkpoint "$job"
    is "$status $(grep -Ec 'no checkpoint 3, and the tasks go on: .* does not answer: hector-keep' \
        "$T/err")" '1 1' '... nor is it tried again while it hangs'
    cat "$T/err" >&2
    answer
    wait_for 'hector checkpoint $job >"$T/saving" 2>&1'
    like "$T/saving" 'checkpoint [0-9]* is in' 'when it is back there is one'
    further 2
    whole 'the job ends'
    served
}

# --------------------------------------------------------- while images are written
# Of more bytes than a pipe holds and hector-keep takes at once.
written()
{
    serve
    D=$T/server/saved
    more=ballast=8
    begin --checkpoint-dir "$D.more"
    unset more
    hang write 5
    save
    hangs
    others_run 'it hangs while images are written: other jobs run'
    further 3
    wait $saver
    is "$? $(grep -Ec "no checkpoint 1, and the tasks go on: task [01]: [^ ]+: $D.more/1 does \
not answer: nothing of its image was written there for 20 s\$" "$T/saving")" '1 1' \
        '... the job goes on, and who waits for the checkpoint is told'
    cat "$T/saving" >&2
    answer
    wait_for 'hector checkpoint $job >"$T/saving" 2>&1'
    like "$T/saving" 'checkpoint [0-9]* is in' '... and when it is back there is one'
    number=$(sed -n 's/.*: checkpoint \([0-9]*\) is in.*/\1/p' "$T/saving")
    wait_for '[ "$(ls -I lock "$D.more")" = "$number" ]'
    is "$(ls -I lock "$D.more")" "$number" '... and nothing of the other'
    kill -9 "$(pid_of 1)"
    launched 2
    further 2
    whole '... to which the job goes back, and it ends'
    served
}

# ----------------------------------------------------------- while they are read again
flushed()
{
    serve
    D=$T/server/saved
    begin --checkpoint-dir "$D"
    hang fsync
    save
    hangs
    others_run 'it hangs while they are put on the disk: other jobs run'
    further 3
    whole '... and the job ends'
    wait $saver
    is $? 1 '... and who waits for the checkpoint is told'
    cat "$T/saving" >&2
    answer
    served
}

# ------------------------------------------------------------- on a disk of its own
local_first()
{
    serve
    D=$T/server/more
    begin --checkpoint-dir "$D" --checkpoint-local "$T/local" --max-restarts 3
    run hector checkpoint "$job"
    is "$status" 0 'a checkpoint that is written elsewhere first'
    cat "$T/err" >&2
    hang create
    save
    hangs
    others_run 'it hangs while they are copied: other jobs run'
    further 3
    kill -9 "$(pid_of 0)"
    further 0
    answer
    launched 2
    further 2
    whole '... the job goes back to the one before, and on'
    wait $saver
    cat "$T/saving" >&2
    served
}

for what in before written flushed local_first; do
    lane $what $what
done
lanes
done_testing
