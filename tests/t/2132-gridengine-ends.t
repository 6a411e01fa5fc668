# How a job ends that Grid Engine ends, in a real one, and what is known of its limit:
# the script of hector-batch(7), qdel, h_rt, qmod, a node that dies.
# limit: 240
# shellcheck disable=SC2016,SC2154 # evaluated later; $t_hosts is t.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/gridengine.sh"
. "$top/tests/lib/manual.sh"
gridengine 2
job=0
submit()        # ARGUMENT...: of qsub; its script is in $T/script: a job runs
{
    fresh out err
    ge_over
    job=$((job + 1))
    ge_submit -terse -o "$T/out" -e "$T/err" "$@" "$T/script" >id
    id=$(cat id)
    wait_for 'sql "SELECT state FROM jobs WHERE job = $job" 2>/dev/null |
        grep -q running'
}
waits()         # COMMAND, quoted, of four tasks
{
    printf '#!/bin/sh\nexec hector-run %s\n' "$1" >"$T/script"
}
ended()         # COLUMN...
{
    wait_for '[ -n "$(sql "SELECT ended_ns FROM jobs WHERE job = $job")" ]'
    sql "SELECT state, exit_code, reason${1:+, $1} FROM jobs WHERE job = $job"
}
first_of()      # the host of its hector-run
{
    qstat | awk -v id="$id" '$1 == id { sub(/.*@/, "", $8); print $8 }'
}
over()          # its processes may last longer than Grid Engine knows of it
{
    ge_over
    wait_for '[ -z "$(ge_left)" ]'
}
said()          # PATTERN DESCRIPTION: by hector-run, until its end
{
    over
    like "$T/err" "$@"
}
calls() { sql "SELECT min(mpi_calls) FROM tasks WHERE job = $job"; }

ln -s "$APPS/skew" tide
manual_script "$top/redirector/hector-batch.7" gridengine.sh >"$T/script"
submit -pe round 4
wait_for '[ "$(calls)" -gt 100 ]'
wait_for '[ -n "$(sql "SELECT limit_ns FROM jobs WHERE job = $job")" ]'
ok 'the script of the manual: when it ends is known' \
    [ "$(sql "SELECT (limit_ns - started_ns) / 60000000000 BETWEEN 238 AND 240
        FROM jobs WHERE job = $job")" = 1 ]
run hector why "$job"
like "$T/out" "^it is in Grid Engine $id, for 3h" '... hector why says so'
# All of it stands; what stands is no hang, nor lost.
qmod -sj "$id" >&2
wait_for 'qstat | awk -v id="$id" "\$1 == id { print \$5 }" | grep -q s'
sleep 8                 # longer than all that is waited for of who says nothing
qmod -usj "$id" >&2
before=$(calls)
ok 'a job that qmod has suspended goes on' \
    wait_for '[ "$(calls)" -gt $((before + 100)) ]'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job")" 0 '... and has no verdict'
touch april.in
over
is "$(ended) $(grep -c '^rank' tide.out)" 'done|0| 4' '... ends well'

# Its mail user is told, by a mailx that keeps what it is to send.
mkdir mail
printf '#!/bin/sh\nprintf "%%s|" "$@" >"%s/told"\ncat >>"%s/told"\n' "$T" "$T" >mail/mailx
chmod 755 mail/mailx
fresh told
waits '--on-hang kill --notify mail --inject "rank=2,call=MPI_*send,after=1,fault=drop" \
    "$APPS/stencil" 32 600'
sed -i "2i PATH='$T/mail':\$PATH" "$T/script"
submit -pe round 4 -l h_rt=10:00:00 -M anna@b,carl@b
is "$(ended 'saved_node_hours > 19.8, saved_core_hours > 39.6, saved_percent > 99')" \
    'killed|123||1|1|1' 'what is saved of a job that hangs is known'
said '^hector: (9h5[4-9]m|10h00m) of .* are left, .* (39\.[6-9]|40\.0) core hours are saved' \
    '... and said'
like "$T/told" '^-s\|Grid Engine [0-9]+ hangs\|anna@b\|carl@b\|\{"verdict":' \
    '... its mail user is written to'

# With -notify USR2 comes first. Of a job that is not submitted so nothing is known.
waits 'sleep 1000'
submit -pe round 4 -notify
qdel "$id" >&2
is "$(ended)" 'killed|143|cancelled' 'qdel of one that is told before'
said "^hector: Grid Engine $id was cancelled\$" '... says so'
submit -pe round 4 -notify -l h_rt=5
is "$(ended)" 'killed|143|time limit' 'one whose time is over'
submit -pe round 4
first=$(first_of)
qdel "$id" >&2
over
gone=$job
qconf -mattr queue notify 00:00:03 all.q >&2
waits 'sh -c "trap : USR2; while :; do sleep 0.1; done"'
# If it could not record that itself, the next one on its host does. Which one that is
# depends on loads.
submit -pe round 4 -notify -masterq "all.q@$first"
is "$(sql "SELECT state, reason FROM jobs WHERE job = $gone")" 'killed|' \
    'qdel of one that is not: killed, and why nobody knows'
qdel "$id" >&2
over
gone=$job
like "$T/err" "^hector: Grid Engine $id was cancelled: it will be killed\$" \
    'tasks that stay until they are killed'
waits 'sleep 1000'
submit -pe round 4 -masterq "all.q@$first"
is "$(sql "SELECT state, reason FROM jobs WHERE job = $gone")" 'killed|cancelled' \
    '... the reason is kept'
run hector why "$gone"
like "$T/out" '^it was in Grid Engine [0-9]+.*, which ended it: cancelled' '... and told'

other=n$((3 - ${first#n}))
kill_all_on "$other"
is "$(ended)" 'failed|125|node failure' 'a node that dies'
ok '... is named' wait_for 'grep -q "^hector: node $other was lost" "$T/err"'
on "$other" sh -c 'rm -rf "$TMPDIR"/* /dev/shm/hector-*'      # as a machine that is off
qdel -f "$id" >&2
done_testing
