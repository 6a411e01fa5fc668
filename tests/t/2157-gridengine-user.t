# Jobs of an ordinary user in a real Grid Engine, that end without their master's having
# a word left, whose tasks others start, or whose script is a shell's: what is known of
# each soon after, and that nothing is left.
# limit: 150
# shellcheck disable=SC2016,SC2046,SC2154,SC2086 # scripts expand; $nobody is words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/gridengine.sh"
gridengine 2
. "$top/tests/lib/nobody.sh"
nobody_may || skip_all 'the build is in a closed folder'
sed 's|^\(nobody:.*:\)[^:]*$|\1/bin/sh|' /etc/passwd >passwd
for h in $t_hosts; do
    on "$h" mount --bind passwd /etc/passwd
done
D=$T/nobody
export HOME="$D" HECTOR_DB="$D/db"
job=0
in_view()       # COLUMNS of the job
{
    [ ! -e "$D/db" ] || $nobody sqlite3 -cmd '.timeout 5000' "$D/db" \
        "SELECT $1 FROM jobs WHERE job = $job"
}
queue() { qstat -u '*'; }
host_of() { queue | awk -v id="$id" '$1 == id { sub(/.*@/, "", $8); print $8 }'; }
submit()        # COMMAND, quoted, and ARGUMENT...: of qsub; it runs
{
    printf '#!/bin/sh\nexport HOME="%s"\n%s\n' "$D" "$1" >"$D/script"
    shift
    rm -f "$D/out" "$D/err"
    job=$((job + 1))
    (cd "$D" && ge_submit_by "$nobody" -terse -o "$D/out" -e "$D/err" "$@" script) >id
    id=$(cat id)
    wait_for 'in_view state 2>/dev/null | grep -q running'
    host=$(host_of)
}
cleared() { wait_for '[ -z "$(queue)$(ge_left)" ]'; }
state_in_ps()   # HOST [WORD...]: what hector ps says there
{
    in_ps_host=$1
    shift
    on "$in_ps_host" $nobody "$@" hector ps -a 2>&1 |
        awk -v job="$job" '$1 == job { print $3 }'
}

# -------------------------------------------------- killed with all that there was
# The master is stopped first, or it may be quick enough to record it.
stop_master()
{
    for p in $(processes_of "$host"); do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" != hector-master ] || kill -STOP "$p"
    done
}
submit 'exec hector-run sleep 1000' -pe round 4
stop_master
$nobody qdel "$id" >&2
cleared
other=n$((3 - ${host#n}))
was=$(in_view 'state, ended_ns')
echo "recorded: $was" >&2
ok 'qdel without a word: another host without qstat says that nothing is heard of it' \
    wait_for '[ "$(state_in_ps "$other" env PATH="$BIN")" = silent ]'
on "$other" $nobody env PATH="$BIN" hector why "$job" >told
like told "^its master, process [0-9]+ on $host, has recorded nothing for [0-9.]+ s" \
    '... hector why, too'
is "$(in_view 'state, ended_ns')" "$was" '... and does not judge'
# Its qstat may take longer than is waited for.
wait_for 'state_in_ps "$other" >told; grep -Eq "^(killed|failed)\$" told'
is "$(cat told) $(in_view 'state, ended_ns NOT NULL')" "$(in_view state) $(in_view state)|1" \
    '... with it, it knows that Grid Engine has no such job, and records the end'
like told '^(killed|failed)$' '... which is one'

# Grid Engine runs the epilog of a queue as the user, on that host, whatever has ended
# the job.
ln -s "$BIN/hector" "$T/hector"         # it takes no path with a blank
qconf -mattr queue epilog "$T/hector ps" all.q >&2
submit 'exec hector-run sleep 1000' -pe round 4
stop_master
$nobody qdel "$id" >&2
cleared
ok 'with that as the epilog of the queue it is recorded at once' \
    wait_for '[ "$(in_view "state, exit_code, ended_ns NOT NULL")" = "failed|125|1" ]'
qconf -mattr queue epilog NONE all.q >&2

# ------------------------------------------------------------ tasks of others
ended()         # as it was recorded, when nothing is left of it
{
    wait_for '[ -n "$(in_view ended_ns)" ]'
    cleared
    in_view 'state, exit_code, reason'
}
calls() { in_view '(SELECT ifnull(min(mpi_calls), 0) FROM tasks t WHERE t.job = jobs.job)'; }
qconf -mattr queue terminate_method SIGTERM all.q >&2
submit 'exec hector-run --adopt -- mpirun "$APPS/stencil" 32 600' -pe round 4
wait_for '[ "$(in_view ntasks)" = 4 ] && [ "$(calls)" -gt 100 ]'
is "$($nobody sqlite3 "$D/db" "SELECT count(DISTINCT node) FROM tasks WHERE job = $job")" 2 \
    'mpirun in a parallel environment: tasks on two nodes are watched'
$nobody qdel "$id" >&2
ended >how
cat how "$D/err" >&2
like how '^killed\|(1|137|143)\|cancelled$' \
    '... ended by SIGTERM each second: as mpirun says, and why is known'
is "$(grep -c 'left without' "$D/err")" 0 '... which is one wish'

# ------------------------------------------------- a shell is the first process
# It makes nothing of a signal but to end, and Grid Engine kills what is left then: it
# may be recorded to be killed, and why, or by what its tasks were, which -notify sends
# SIGUSR2, too, or only found to be over.
found()         # DESCRIPTION
{
    cleared
    wait_for 'on "$host" $nobody hector ps >>ps && [ -n "$(in_view ended_ns)" ]'
    in_view 'state, exit_code, reason' >how
    cat how >&2
    like how '^(killed\|143\|(cancelled|time limit)?|killed\|140\||failed\|125\|)$' "$1"
}
script='hector-run sleep 1000; echo "status $?"'
submit "$script" -pe round 4
$nobody qdel "$id" >&2
found 'hector-run under a shell, SIGTERM each second: nothing is left, and it has an end'
qconf -mattr queue terminate_method NONE all.q >&2
submit "$script" -pe round 4
$nobody qdel "$id" >&2
found '... qdel'
submit "$script" -pe round 4 -notify
$nobody qdel "$id" >&2
found '... told before'
submit "$script" -pe round 4 -l h_rt=5
found '... at the end of its time'
submit "trap : TERM USR1 USR2; $script" -pe round 4 -notify
$nobody qdel "$id" >&2
is "$(ended)" 'killed|143|cancelled' '... a shell that stays: told before, and why is known'


# Of SIGUSR2 tasks end, while hector-run, which has got it as well, is killed before it
# could ask why, or is told that there is no such job any more.
named()         # NAME: processes on the host of the job
{
    for p in $(processes_of "$host"); do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" != "$1" ] || echo "$p"
    done
}
submit "trap : TERM; $script; until [ -e '$D/go' ]; do sleep 0.1; done" -pe fill 2
kill -STOP $(named hector-run)
kill -USR2 $(named sleep)
wait_for '[ "$(in_view state)" = ending ]'
kill -KILL $(named hector-run)
wait_for '[ -n "$(in_view ended_ns)" ]'
is "$(in_view 'state, exit_code, reason')" 'killed|143|' \
    'tasks that end by SIGUSR2, and nobody says why'
: >"$D/go"
cleared
submit 'exec hector-run sleep 1000' -pe fill 2
execd=$(named sge_execd)
kill -STOP $execd
qdel -f "$id" >&2
wait_for '[ -z "$(queue)" ]'
kill -USR2 $(named hector-run) $(named sleep)
wait_for '[ -n "$(in_view ended_ns)" ]'
is "$(in_view 'state, exit_code, reason')" 'killed|143|cancelled' \
    '... and Grid Engine knows no such job any more'
kill -CONT $execd
cleared

for h in $t_hosts; do           # of those that were killed at once
    on "$h" sh -c 'rm -rf "$TMPDIR"/* /dev/shm/hector-* /dev/shm/vader_*'
done
done_testing
