# Jobs of a real Grid Engine that it ends by SIGTERM, takes back into the queue, or
# whose node it gives up, of an ordinary user, who has what users have: there Grid
# Engine's signals reach each process of the job on their own.
# limit: 150
# shellcheck disable=SC2016,SC2154,SC2086 # scripts expand; $nobody is words
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
job=0
in_view()       # COLUMNS of the job; the database is theirs
{
    [ ! -e "$D/db" ] || $nobody sqlite3 -cmd '.timeout 5000' "$D/db" \
        "SELECT $1 FROM jobs WHERE job = $job"
}
is_running() { wait_for 'in_view state 2>/dev/null | grep -q running'; }
submit()        # COMMAND, quoted, and ARGUMENT...: of qsub; it runs
{
    {
        echo "#!/bin/sh"
        echo "export HOME='$D' HECTOR_DB='$D/db'"
        echo "$1"
    } >"$D/script"
    shift
    rm -f "$D/out" "$D/err"
    job=$((job + 1))
    (cd "$D" && ge_submit_by "$nobody" -terse -o "$D/out" -e "$D/err" "$@" script) >id
    id=$(cat id)
    is_running
}
queue() { qstat -u '*'; }
begun()         # N: tasks have begun so often, anew
{
    wait_for "[ \"\$(grep -c begun '$D/out')\" = $1 ]"
}
ended()         # as it was recorded, when nothing is left of it
{
    wait_for '[ -n "$(in_view ended_ns)" ]'
    wait_for '[ -z "$(queue)$(ge_left)" ]'
    in_view 'state, exit_code, reason'
}

# ------------------------------------------------------------------ terminate_method
# TERM comes each second then; these tasks make nothing of it.
qconf -mattr queue terminate_method SIGTERM all.q >&2
submit 'exec hector-run sh -c "trap : TERM; while :; do sleep 0.1; done"' -pe round 4
$nobody qdel "$id" >&2
is "$(ended)" 'killed|143|cancelled' \
    'SIGTERM each second: it ends as by one, and why is known'
is "$(grep -c 'SIGTERM: job 1 is being ended$' "$D/err") $(grep -c 'left without' "$D/err")" \
    '1 0' '... which is said once'
qconf -mattr queue terminate_method NONE all.q >&2

# ---------------------------------------------------------------------- begun again
# By the exit status 99. Grid Engine may take the end of a task of the run before for one
# of the run that follows, and kill that: so it is held until nothing is left of that.
saved=$D/saved
first_host() { queue | awk -v id="$id" '$1 == id { sub(/.*@/, "", $8); print $8 }'; }
theirs()        # COMMAND...: on the host of hector-run
{
    on "$(first_host)" $nobody env HOME="$D" HECTOR_DB="$D/db" "$@" >>log 2>&1
}
again()         # $job is the next run
{
    $nobody qalter -h u "$id" >&2
    theirs hector kill "$job"
    wait_for '[ -z "$(ge_left)" ]'
    $nobody qalter -h U "$id" >&2
    job=$((job + 1))
    is_running
}
further()       # more rounds than there were
{
    seen=$(grep -c '^round' "$D/out")
    wait_for '[ "$(grep -c "^round" "$D/out")" -gt "$seen" ]'
}
checkpoint() { theirs hector checkpoint "$job" && further; }
submit "hector-run --checkpoint-dir '$saved' \"\$APPS/rounds\" '$D/enough'
    status=\$?; [ \$status = 0 ] || exit 99" -pe fill 3 -r y
begun 3
again
begun 6
like "$D/err" "^hector: Grid Engine $id was begun before, and there is no checkpoint in $saved:\
 the job starts anew\$" 'a job that is begun again starts anew without a checkpoint'
checkpoint
again
like "$D/err" "^hector: Grid Engine $id was begun before: the job goes on from checkpoint 1 in\
 $saved, [0-9ms]+ old," 'it goes on from the last checkpoint'
further
checkpoint
again
like "$D/err" "^hector: Grid Engine $id was begun before: the job goes on from checkpoint 2 in" \
    '... also of the run before that, which Grid Engine does not count'
further
is "$(grep -c begun "$D/out")" 6 '... its tasks have not begun again'
sed -n 's/^round \([0-9]*\) .*/\1/p' "$D/out" | sort -n | tail -n 1 >"$D/until"
mv "$D/until" "$D/enough"
is "$(ended)" 'done|0|' '... and it ends well'
is "$(grep -c 'of 3 wrong 0 ' "$D/out")" 3 '... each number came once'
$nobody env HOME="$D" HECTOR_DB="$D/db" hector ps >runs
cat runs >&2
is "$(grep -o "Grid Engine $id *[0-9]*" runs | awk '{ print $4 }' | xargs)" '1 2 3 4' \
    'hector ps shows the runs as they followed each other'
$nobody env HOME="$D" HECTOR_DB="$D/db" hector why "$job" >told
like told "^it was in Grid Engine $id, which was begun 3 times before:\$" '... hector why, too'

# With -notify the one that is to go is told before; the next one may be there first.
submit 'exec hector-run sleep 1000' -pe fill 3 -r y -notify
qmod -rj "$id" >&2
wait_for '[ -n "$(in_view ended_ns)" ]'
is "$(in_view 'state, exit_code, reason')" 'killed|143|requeued' \
    'a run that qmod -rj takes back'
qdel -f "$id" >&2
wait_for '[ -z "$(queue)" ]'
ge_end_left             # by -f a run that was being started is forgotten, and not ended
wait_for '[ -z "$(ge_left)" ]'
job=$($nobody sqlite3 "$D/db" 'SELECT max(job) FROM jobs')

# ------------------------------------------------------------------------ qconf -kej
submit 'exec hector-run sleep 1000' -pe round 4
first=$(first_host)
other=n$((3 - ${first#n}))
qconf -kej "$other" >&2
wait_for '[ -n "$(in_view ended_ns)" ]'
is "$(in_view 'state, exit_code, reason')" 'failed|125|node failure' \
    'qconf -kej of a node'
wait_for 'grep -q "was lost" "$D/err"'
like "$D/err" "^hector: node $other was lost" '... names it'
ok '... nothing is left anywhere' wait_for '[ -z "$(ge_left)" ]'
qdel -f "$id" >&2
for h in $t_hosts; do           # of those that were killed at once
    on "$h" sh -c 'rm -rf "$TMPDIR"/* /dev/shm/hector-*'
done
done_testing
