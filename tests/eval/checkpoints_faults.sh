#!/bin/sh
# checkpoints_faults.sh - what a checkpoint meets on its way: a task, a slave, a whole
# host, hector-keep or hector-master is killed, or the disk is full, at each of its
# steps. The job goes on, or goes back to the checkpoint before, and its result is right;
# nobody runs twice, what did not become a checkpoint is gone, hector checkpoint ends,
# and a later one works.
# usage: checkpoints_faults.sh      STEPS='begun ...' WHO='task ...' for some of them
# limit: 300
# shellcheck disable=SC2016,SC2046,SC2086,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
hosts 3
need sqlite3

. "$top/tests/lib/rounds.sh"
tasks=4
D=$T/saved
more=ballast=40

# --------------------------------------------- a hector-keep that waits, when it is to
mkdir "$T/bin"
cp "$BIN"/* "$T/bin"
cp -a "$build/lib" "$T/lib"
mv "$T/bin/hector-keep" "$T/bin/hector-keep.real"
cat >"$T/bin/hector-keep" <<END
#!/bin/sh
mark=\$1.\$(hostname)
echo \$\$ >"$T/at.\$mark"
while [ -e "$T/hold.\$mark" ]; do sleep 0.05; done
"$T/bin/hector-keep.real" "\$@" || exit
: >"$T/past.\$mark"
while [ -e "$T/hold.past.\$mark" ]; do sleep 0.05; done
END
chmod 755 "$T/bin/hector-keep"
BIN=$T/bin PATH=$T/bin:$PATH
held=
hold()          # MARK: begin.n1, past.seal.n1
{
    : >"$T/hold.$1"
    rm -f "$T/at.$1"
}
release()       # all who wait, or were stopped
{
    rm -f "$T"/hold.*
    for p in $held; do kill -CONT "$p" 2>/dev/null; done
    held=
}
stop()          # RANK
{
    held="$held $(pid_of $1)"
    kill -STOP "$(pid_of $1)"
}

# --------------------------------------------------------------------- who is where
keepers()       # those of this test, which have no environment
{
    grep -lsz "$T/bin/hector-keep" /proc/[0-9]*/cmdline
}
join()          # HOST: a slave of the standing master there
{
    rm -f "$T/slave-$1.log"
    start "slave-$1" sh "$AGENT" $1 hector-slave -d -v --master $at --name $1
    wait_for 'grep -q "uplink: joined" "$T/slave-'$1'.log"'
}

# ------------------------------------------------------------------ steps of one of them
save()          # in the background
{
    rm -f "$T"/at.* "$T"/past.*
    was=$(sql "SELECT count(*) FROM transition WHERE job = $job AND machine = 'move'")
    fresh made.out
    hector checkpoint "$job" >"$T/made.out" 2>&1 </dev/null &
    asker=$!
}
reaches()       # STATE: the stop is in the database as being there; or it is over
{
    until [ "$(sql "SELECT count(*) FROM (SELECT * FROM transition WHERE job = $job AND
            machine = 'move' ORDER BY id LIMIT -1 OFFSET $was) WHERE state_to = '$1'")" -gt 0 ]
    do
        kill -0 $asker 2>/dev/null || return 1
    done
}
begun()     { hold begin.n2; save; wait_for '[ -e "$T/at.begin.n2" ]'; }
checked()   { stop 3; save; reaches checked; }
writing()       # the image of task 3, which is stopped in the midst of it
{
    save
    until [ -s "$D/2/rank-3.image" ]; do
        kill -0 $asker 2>/dev/null || return 1
    done
    stop 3
}
restored()      # all have written theirs, and task 2 is stopped before it joins them
{
    writing
    for r in 0 1 2; do
        wait_for 'hector-restore --check "$D/2/rank-$r.image" 2>/dev/null'
    done
    stop 2
    kill -CONT "$(pid_of 3)"
    reaches restored
}
taking()    { hold write.n2; save; wait_for '[ -e "$T/at.write.n2" ]'; }
checking()  { hold check.n2; save; wait_for '[ -e "$T/at.check.n2" ]'; }
sealing()   { hold seal.n1; save; wait_for '[ -e "$T/at.seal.n1" ]'; }
sealed()    { hold past.seal.n1; save; wait_for '[ -e "$T/past.seal.n1" ]'; }
for state in quiet drained imaged joined; do
    eval "$state() { save; reaches $state; }"
done

# ---------------------------------------------------------------------------- the faults
kill_task()     { kill -KILL "$(pid_of 1)"; }
kill_other()    { kill -KILL "$(pid_of 3)"; }
kill_slave1()   { kill -KILL "$(slave_on n1)"; lost=n1; }
kill_slave2()   { kill -KILL "$(slave_on n2)"; lost=n2; }
kill_host()     # HOST: all that runs there, and its cable
{
    ip link set "v$1" down
    kill_all_on $1
    lost=$1
}
kill_host1()    { kill_host n1; }
kill_host2()    { kill_host n2; }
kill_keep()     # the one that waits
{
    for p in "$T"/at.*; do mark=$p; done
    kill -KILL "$(cat "$mark")"
}
masters=0
kill_master()
{
    kill -KILL $master_pid
    wait $master_pid 2>/dev/null
    masters=$((masters + 1))
    launch_master "master-$masters"
    nodes_joined "master-$masters"
}

# --------------------------------------------------------------------- what is to hold
there()         # in the directory: all but the lock, which stays
{
    for d in "$D"/*; do
        [ "${d##*/}" = lock ] || echo "$d"
    done
}
unfinished()    # what is neither a checkpoint nor of its input
{
    for d in $(there); do
        [ -f "$d/checkpoint" ] || echo "${d##*/}"
    done
    [ "$(find "$D" -mindepth 1 -maxdepth 1 -type d | wc -l)" -le 2 ] || ls "$D"
}
good()          # all that are there, to their last byte
{
    for d in $(there); do
        hector-restore --check "$d"/*.image >&2 || return 1
    done
}
survives()      # DESCRIPTION
{
    wait_for "! kill -0 $asker 2>/dev/null" || kill -KILL $asker
    wait $asker
    sed 's/^/# /' "$T/made.out"
    is "$(wc -l <"$T/made.out")" 1 "$1: hector checkpoint ends with a sentence"
    further 3
    wait_for '[ "$(processes)" = 4 ]'
    is "$(processes)" 4 '... each task is there once'
    wait_for '[ -z "$(unfinished)$(keepers)" ]'
    is "$(unfinished)$(keepers)" '' '... nothing of it is left'
    ok '... what is there is whole' good
    run hector checkpoint "$job"
    is "$status" 0 '... the next one works'
    sed 's/^/# /' "$T/err"
    further 2
    whole '... nothing is missing and nothing twice'
    is "$(processes)$(keepers)$(unfinished)" 0 '... nobody is left, nor any file'
}
a_job()
{
    rm -rf "$D"
    begin -H n1:2,n2:2,n3:4 --oversubscribe --checkpoint-dir "$D"
    run hector checkpoint "$job"
    further 2
}
one()           # STEP WHO
{
    lost=
    a_job
    $1 || echo "# $1 was missed"
    kill_$2
    release
    survives "$1: $2 killed"
    [ -n "$lost" ] || return 0
    ip link set "v$lost" up
    on $lost sh -c 'rm -rf "$TMPDIR"/hector-* /dev/shm/hector-*'
    join $lost
}

# ------------------------------------------------------------------------- a full disk
# On one node: others do not see what is mounted here.
full()          # STEP
{
    mkdir -p "$T/small"
    mount -t tmpfs -o size=24m small "$T/small" || return
    D=$T/small/saved
    more=ballast=1
    R='hector-run --oversubscribe'
    begin --checkpoint-dir "$D"
    run hector checkpoint "$job"
    case $1 in
    writing) ;;
    *) hold $1.login; save; wait_for '[ -e "$T/at.'$1'.login" ]' ;;
    esac
    dd if=/dev/zero of="$T/small/fill" bs=4k 2>/dev/null
    [ $1 != writing ] || save
    release
    wait_for "! kill -0 $asker 2>/dev/null"
    is "$(grep -c 'no checkpoint 2, and the tasks go on: .*No space left' "$T/made.out")" 1 \
        "the disk full, $1: a sentence"
    sed 's/^/# /' "$T/made.out"
    wait_for '[ -z "$(unfinished)" ]'
    is "$(there)" "$D/1" '... only the one before is there'
    rm "$T/small/fill"
    run hector checkpoint "$job"
    is "$status" 0 '... with room there is a next one'
    further 2
    kill -KILL "$(pid_of 1)"
    launched 2
    further 2
    whole '... and the job goes back to it'
    umount "$T/small"
}
if mkdir "$T/try" && mount -t tmpfs try "$T/try" 2>/dev/null; then
    umount "$T/try"
    for step in ${FULL-begin writing seal}; do full $step; done
else
    skip 'a full disk' 'only root can mount one'
fi
D=$T/saved
more=ballast=40

# ------------------------------------------------------------------------ at each step
HECTOR_KEY_FILE=$T/key
export HECTOR_KEY_FILE
at=tcp:10.66.0.254:7119
start_master $at
R="hector-run --master $master"
for h in n1 n2 n3; do join $h; done
who='task other slave1 slave2 host1 host2 master'
for step in ${STEPS-begun checked taking writing restored checking sealing sealed}; do
    case $step in
    begun | taking | checking | sealing | sealed) all="$who keep" ;;
    *) all=$who ;;
    esac
    for w in ${WHO-$all}; do one $step $w; done
done
for step in ${SOON-quiet drained imaged joined}; do
    for w in ${WHO-task slave2 master}; do one $step $w; done
done
done_testing
