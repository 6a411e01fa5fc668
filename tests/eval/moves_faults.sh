#!/bin/sh
# moves_faults.sh - what a move meets on its way: a task, a slave, hector-restore or
# hector-master is killed, a link is cut, there is no room where the image goes, at
# each of its states. The job goes on where it was, or ends with a sentence and the
# status that is documented; nobody runs twice, nothing is left, and hector migrate
# ends as well. hector-restore has to be met while it is there: on a machine where
# a move takes less than it takes to look for it a case may miss it, and says so.
# limit: 300
# shellcheck disable=SC2016,SC2086,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
hosts 3
need sqlite3 prlimit

. "$top/tests/lib/rounds.sh"

# ------------------------------------------------------------ who is where
children()      # PID
{
    cat /proc/$1/task/*/children 2>/dev/null
}
restorer()      # HOST: the pid of its hector-restore
{
    for p in $(children "$(cat "$T/slave.$1")"); do
        [ "$(cat /proc/$p/comm)" = hector-restore ] && echo $p
    done 2>/dev/null
}
rings()         # how many processes there are of the tasks
{
    n=0
    for h in n1 n2 n3; do
        p=$(cat "$T/slave.$h")
        for c in ${p:+$(children $p)}; do
            case $(tr '\0' ' ' </proc/$c/cmdline) in *"$build/apps/rounds"*) n=$((n + 1)) ;; esac
        done 2>/dev/null
    done
    echo $n
}

# ------------------------------------------------------------ jobs and moves
a_job()         # [MB]: of four tasks, 0 and 1 on n1, 2 and 3 on n2; an image takes
{               # its time
    fresh rounds.out rounds.err migrate.out
    more=ballast=${1:-150}
    begin -H n1:2,n2:2 --oversubscribe --migratable
}
tasks=4
migrate()       # RANKS NODE: in the background
{
    hector migrate "$job.$1" $2 >"$T/migrate.out" 2>&1 </dev/null &
    mover=$!
}
moved()         # waits for it; $moved is the status
{
    moved=0
    wait_for "! kill -0 $mover 2>/dev/null" || kill -KILL $mover
    wait $mover || moved=$?
}
reaches()       # STATE: the move is in the database as being there; or it is over
{
    until [ "$(sql "SELECT count(*) FROM transition WHERE job = $job AND machine = 'move'
            AND state_to = '$1'")" -gt 0 ]; do
        kill -0 $mover 2>/dev/null || return 1
    done
}
# Held there: a move is asked for by
asked()         # a slave that cannot prepare, being stopped
{
    kill -STOP "$(cat "$T/slave.n3")"
    migrate 1 n3
    wait_for 'sql "SELECT count(*) FROM actions WHERE job = $job" | grep -q 1'
}
checked()       # a task that is stopped, and does not come to stand
{
    kill -STOP "$(pid_of 3)"
    migrate 1 n2
    reaches checked
}
apart()         # [HOST]: hector-restore that is stopped; all others have dropped
{               # their MPI library
    migrate 1 ${1:-n2}
    until restorer=$(restorer ${1:-n2}) && [ -n "$restorer" ]; do
        kill -0 $mover || return 1
    done
    kill -STOP $restorer
    for r in 0 2 3; do
        wait_for "! grep -q mca_ /proc/$(pid_of $r)/maps"
    done
}
restored()      # [HOST]: a task that is stopped before it takes another library
{
    apart "$@"
    kill -STOP "$(pid_of 3)"
    kill -CONT $restorer
    reaches restored
}
on_again()      # whoever was stopped, and is there yet
{
    kill -CONT $restorer "$(pid_of 3)" "$(cat "$T/slave.n3")" 2>/dev/null
}
restorer=

# ------------------------------------------------------------- what is to hold
lines()         # what hector migrate has said, one sentence
{
    grep -c '^hector: [0-9]*[.]1: .\|^[0-9]*[.]1: .' "$T/migrate.out"
    wc -l <"$T/migrate.out"
}
goes_on()       # DESCRIPTION EXTENDED-REGEXP: the job, each task once; and that is
{               # what hector migrate says
    moved
    # one that came may still be on its way out, where nobody waited for that
    wait_for '[ "$(rings)" = 4 ]'
    tap_n4=$(rings)
    finish
    is "$status $tap_n4 $(grep -c 'wrong 0' "$T/rounds.out") $(lines | xargs)" \
        '0 4 4 1 1' "$1: the job goes on"
    like "$T/migrate.out" "$2" '... and hector migrate says how'
    nobody
}
ends()          # DESCRIPTION STATUS EXTENDED-REGEXP [MOVED]: the job does, for that reason,
{               # which hector migrate says as well
    [ "${4-}" ] || moved
    wait_for "! kill -0 $runner 2>/dev/null"
    finish
    is "$status $moved $(grep -Ec -- "^hector: .*($3)" "$T/rounds.err") $(lines | xargs)" \
        "$2 1 1 1 1" "$1: the job ends, for that reason"
    nobody
}
either()        # DESCRIPTION STATUS EXTENDED-REGEXP: one of both, as it was hit
{
    moved
    wait_for "! kill -0 $runner 2>/dev/null || [ \"\$(rings)\" = 4 ]"
    finish
    case "$status $(grep -c 'wrong 0' "$T/rounds.out") $(lines | xargs)" in
    '0 4 1 1') pass "$1: the job goes on" ;;
    "$2 "*' 1 1') like "$T/rounds.err" "^hector: .*($3)" "$1: the job ends, for that reason" ;;
    *) fail "$1" "status $status" "$(cat "$T/migrate.out" "$T/rounds.err")" ;;
    esac
    nobody
}
nobody()
{
    sed 's/^/# /' "$T/migrate.out"
    wait_for '[ "$(rings)" = 0 ]' || fail '... and nobody is left' "$(rings) tasks"
}
number_of()     # WHO: its pid
{
    case $1 in
    leaver) pid_of 1 ;;
    other) pid_of 2 ;;
    source) cat "$T/slave.n1" ;;
    target) cat "$T/slave.n2" ;;
    esac
}
end_of()        # WHO: status and sentence of the job when that is killed
{
    case $1 in
    leaver) echo '137 task 1 .*killed by signal 9' ;;
    other) echo '137 task 2 .*killed by signal 9' ;;
    source) echo '125 node n1 was lost' ;;
    target) echo '125 node n2 was lost' ;;
    esac
}
join()          # HOST: a slave of the standing master there
{
    start "slave-$1" sh "$AGENT" $1 hector-slave -d -v --master tcp:10.66.0.254:7118 --name $1
    wait_for '[ -n "$(slave_on '$1')" ] && grep -q "uplink: joined" "$T/slave-'$1'.log"'
    slave_on $1 >"$T/slave.$1"
}
back()          # WHO: whose slave was killed
{
    case $1 in
    source) join n1 ;;
    target) join n2 ;;
    esac
}
killed()        # WHO STATE: is, there, and the job ends
{
    tap_end=$(end_of $1)
    kill -KILL "$(number_of $1)"
    ends "$2: $1 killed" "${tap_end%% *}" "${tap_end#* }"
    back $1
}

# -------------------------------------------------------- a master of one's own
master_of()     # the pid of the private one
{
    for p in $(children $runner); do
        [ "$(cat /proc/$p/comm)" = hector-master ] && echo $p
    done
}
R="hector-run --launch-agent $AGENT"
: >"$T/slave.n3"
for state in checked apart restored; do
    a_job
    for h in n1 n2; do slave_on $h >"$T/slave.$h"; done
    $state
    kill -KILL "$(master_of)"
    wait_for 'grep -q "hector-master was killed" "$T/rounds.err"'
    on_again
    goes_on "$state: the private master killed" 'has not said how the move ended'
done

# ---------------------------------------------------- tasks, slaves, the restorer
HECTOR_KEY_FILE=$T/key
export HECTOR_KEY_FILE
start_master tcp:10.66.0.254:7118
R="hector-run --master $master"
for h in n1 n2 n3; do join $h; done
for state in checked apart restored; do
    for who in leaver other source target; do
        a_job
        $state
        killed $who $state
    done
done
a_job
asked
kill -KILL "$(pid_of 1)"
moved
kill -CONT "$(cat "$T/slave.n3")"
ends 'asked: leaver killed' 137 'task 1 .*killed by signal 9' moved
for state in quiet drained imaged joined; do
    for who in leaver target; do
        a_job
        victim=$(number_of $who)
        tap_end=$(end_of $who)
        migrate 1 n2
        reaches $state
        kill -KILL $victim 2>/dev/null
        either "$state: $who killed" "${tap_end%% *}" "${tap_end#* }"
        back $who
    done
done
a_job
apart
kill -KILL $restorer
goes_on 'apart: hector-restore killed' 'nothing was moved, the job goes on: .*killed by signal 9'
a_job 200               # or it has come before its limit
apart
prlimit --pid $restorer --as=20000000
kill -CONT $restorer
goes_on 'no memory for the image' 'nothing was moved, the job goes on: .*there is no memory'
a_job
prlimit --pid "$(cat "$T/slave.n2")" --nofile="$(find "/proc/$(cat "$T/slave.n2")/fd" | wc -l):"
migrate 1 n2
goes_on 'no descriptors for it' 'nothing was moved, the job goes on: n2: .*Too many open files'
prlimit --pid "$(cat "$T/slave.n2")" --nofile=1024:

# -------------------------------------------------------- nodes without any task
a_job
asked
kill -KILL "$(cat "$T/slave.n3")"
goes_on 'asked: the slave of a node that is new to the job killed' \
    'nothing was moved, the job goes on: .*the link to n3 is broken'
join n3
a_job
apart n3
kill -KILL "$(cat "$T/slave.n3")"
moved
like "$T/migrate.out" 'nothing was moved, the job goes on: .*the link to n3 is broken' \
    'apart: it is killed'
join n3
migrate 1 n3
goes_on 'it is there again' '1 is on n3 now'
a_job
run hector migrate $job.0-1 n2
kill -KILL "$(cat "$T/slave.n1")"
join n1
migrate 0-1 n1
moved=0
wait $mover || moved=$?
is "$moved $(sed 's/,.*//' "$T/migrate.out")" "0 $job.0-1: tasks 0-1 are on n1 now" \
    'a node that all have left is lost, and comes back: tasks may, too'
finish
is "$status $(grep -c 'wrong 0' "$T/rounds.out")" '0 4' '... the job has gone on'

# ------------------------------------------------------------------------- links
cut()           # HOST
{
    ip link set v$1 down
    sleep 5             # the fault itself
    ip link set v$1 up
}
a_job
asked
cut n3
on_again
goes_on 'asked: the link cut' 'nothing was moved, the job goes on: .*the link to n3 is broken'
for state in checked apart restored; do
    a_job
    $state
    cut n2
    on_again
    case $state in
    restored) goes_on "$state: the link cut" '1 is on n2 now' ;;
    apart)              # the master says so, or the slave that sends an image there
        goes_on "$state: the link cut" 'the job goes on: .*the link to n2 is broken' ;;
    *) goes_on "$state: the link cut" \
        'nothing was moved: the link to n2 is broken, the job goes on when it is back' ;;
    esac
done

# -------------------------------------------------------------------- the master
again()         # it is killed, and started again
{
    kill -KILL $master_pid
    wait $master_pid 2>/dev/null
    masters=$((masters + 1))
    launch_master "master-$masters"
}
masters=0
places()        # of the tasks, by rank
{
    sql "SELECT node FROM tasks WHERE job = $job ORDER BY rank" | xargs
}
for state in asked checked apart restored; do
    a_job
    $state
    again
    on_again
    goes_on "$state: the master killed" 'has not said how the move ended'
    case $state in
    # The image does not wait for the master: if the task is there when it is back ...
    apart) is "$(places | sed 's/^n1 n2/n1 n1/')" 'n1 n1 n2 n2' '... here or there' ;;
    restored) is "$(places)" 'n1 n2 n2 n2' '... and where it was to be' ;;
    *) is "$(places)" 'n1 n1 n2 n2' '... and where it was' ;;
    esac
done
for state in quiet drained imaged joined; do
    a_job
    migrate 1 n3
    reaches $state
    again
    goes_on "$state: the master killed" 'has not said how|is on n3 now'
done
a_job
migrate 1 n2
goes_on 'after all that' '1 is on n2 now'
done_testing
