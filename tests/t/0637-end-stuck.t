# hector-run is told to end while its own daemons are stuck: stopped, or asleep in
# the kernel where no signal reaches them. Asked once, the job ends without its
# master after a while; asked twice, all is over within seconds, nothing lives on
# that can be killed, and what cannot is named.
# limit: 60
# shellcheck disable=SC2046,SC2086,SC2154 # lists of pids; $runner is background.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"
# The slave's guard is stopped, too, and cannot clear up: the next slave does.
clear_up() { rm -rf "$TMPDIR"/hector-* /dev/shm/hector-*; }
daemons()       # NAME...: their pids
{
    for p in $(t_processes); do
        case " $* " in *" $(cat "/proc/$p/comm" 2>/dev/null) "*) echo "$p" ;;
        esac
    done
}
state() { sql 'SELECT state FROM jobs ORDER BY job DESC LIMIT 1' 2>/dev/null; }
ms() { date +%s%3N; }
told()          # hector-run has read the signal
{
    grep -q "$1" "$T/err"
}
twice()         # DESCRIPTION: it has been asked once; once more ends it
{
    a=$(ms)
    kill -TERM "$runner"
    end
    a=$(($(ms) - a))
    is "$status" 143 "$1, told twice: 143"
    echo "# $a ms"
    ok '... no process is left' wait_for '[ -z "$(t_processes)" ]'
    is "$(daemons hector-master)" '' '... no master was started again'
    clear_up
}
# Children of tasks, too, and such as are deaf to TERM.
deaf="trap '' TERM; sleep 1000 & sleep 1000; wait"

for who in hector-master hector-slave 'hector-master hector-slave'; do
    begin hector-run -n 2 sh -c "$deaf"
    kill -STOP $(daemons $who)
    kill -TERM "$runner"
    wait_for 'told "is being ended"'
    twice "running, $who stopped"

    begin hector-run -n 2 sh -c "$deaf"
    kill -TERM "$runner"
    wait_for 'state | grep -qx "ending\|killed"'     # after two seconds it is over
    kill -STOP $(daemons $who)
    twice "ending, $who stopped"
done

# While it starts: the daemons stop before they have done anything.
mkdir "$T/bin"
cp "$BIN/hector-run" "$T/bin"
for p in hector-master hector-slave; do
    # shellcheck disable=SC2016 # for the other shell
    printf '#!/bin/sh
case " $HOLD " in *" %s "*)
    echo $$ >"$T/%s.new"; mv "$T/%s.new" "$T/%s.held"; kill -STOP $$ ;;
esac
exec "$BIN/%s" "$@"\n' $p $p $p $p $p >"$T/bin/$p"
    chmod +x "$T/bin/$p"
done
for HOLD in hector-master hector-slave 'hector-master hector-slave'; do
    export HOLD
    rm -f "$T"/*.held
    "$T/bin/hector-run" -n 2 sh -c "$deaf" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    for p in $HOLD; do
        wait_for "grep -q '^State:.T' \"/proc/\$(cat '$T/$p.held')/status\"" \
            2>/dev/null
    done
    case $HOLD in
    hector-slave)
        wait_for '[ "$(state)" = waiting ]'
        hector kill --signal CONT "$(sql 'SELECT max(job) FROM jobs')" >/dev/null
        kill -TERM "$runner"    # which has been told that its job was taken
        wait_for 'told "is being ended"' ;;
    *)  kill -TERM "$runner"
        wait_for '[ -z "$(grep "Pnd.*[1-9a-f]" /proc/$runner/status)" ]' ;;
    esac
    twice "starting, $HOLD stopped"
done

# Told once, the tasks have their grace. A shell that is told while it forks says so twice.
job=$(sql 'SELECT max(job) FROM jobs')
begin hector-run -n 2 sh -c "trap 'echo bye \$\$; exit' TERM
    echo up; sleep 1000 & wait"
wait_for '[ "$(grep -c up "$T/out")" = 2 ]'
kill -STOP $(daemons hector-master)
kill -TERM "$runner"
end
is "$status $(grep bye "$T/out" | sort -u | grep -c .)" '143 2' \
    'told once with a stopped master: the tasks end in their own way'
like "$T/err" 'hector-master does not answer: the job is ended without it' \
    '... in words'
left_nothing '... nothing is left'
run hector-run -n 1 true
is "$status $(sql "SELECT state FROM jobs WHERE job = $job")" '0 failed' \
    '... and the next run sees to the record'

# hector-run is killed, and the master that would see to it is stuck: what stays is
# that master, and who judges for it.
but_judges()
{
    for q in $(t_processes); do
        grep -qsx hector-judge "/proc/$q/comm" || echo "$q"
    done
}
job=$(sql 'SELECT max(job) FROM jobs')
begin hector-run -n 2 sh -c 'sleep 1000; true'
master=$(daemons hector-master)
kill -STOP "$master"
kill -KILL "$runner"
wait "$runner" 2>/dev/null
ok 'killed with a stopped master: its tasks and slaves end all the same' \
    wait_for '[ "$(but_judges)" = "$master" ]'
kill -CONT "$master"
ok '... and the master when it goes on' wait_for '[ -z "$(t_processes)" ]'
is "$(sql "SELECT state, why FROM job WHERE job = $job")" \
    'killed|hector-run is gone' '... which records it'
clear_up

# The database is where a disk hangs: no signal reaches the master.
frozen=
disk()
{
    command -v mkfs.ext4 >/dev/null && command -v fsfreeze >/dev/null &&
        truncate -s 64M "$T/disk" && mkfs.ext4 -q "$T/disk" 2>/dev/null &&
        mkdir "$T/mnt" && mount -o loop "$T/disk" "$T/mnt" 2>/dev/null
}
thaw() { [ -z "$frozen" ] || fsfreeze -u "$T/mnt"; frozen=; }
if disk; then
    trap 'thaw; umount "$T/mnt" 2>/dev/null; t_cleanup' EXIT
    HECTOR_DB=$T/mnt/hector.db
    job=0
    begin hector-run -n 2 "$APPS/tagloop" 100000000
    fsfreeze -f "$T/mnt"
    frozen=1
    master=$(daemons hector-master)
    ok 'the master sleeps where no signal reaches it' \
        wait_for 'grep -q "^State:.D" "/proc/$master/status"'
    kill -TERM "$runner"
    wait_for 'told "is being ended"'
    a=$(ms)
    kill -TERM "$runner"
    end
    a=$(($(ms) - a))
    is "$status" 143 'told twice: 143'
    echo "# $a ms"
    like "$T/err" "^hector: still there, though killed: hector-master \(pid $master\)(,|\$)" \
        '... the master is named'
    ok '... the rest ends' wait_for '[ -z "$(daemons hector-slave tagloop)" ]'
    thaw
    ok 'it dies when the disk is back' wait_for '[ -z "$(t_processes)" ]'
    clear_up
    run hector-run -n 1 true
    is "$status" 0 '... and the next run works'
    umount "$T/mnt"
    trap t_cleanup EXIT
else
    skip 'a disk that hangs' 'no loop device, or no fsfreeze'
fi
done_testing
