# Steps for a deadline that take a job off its node: less important tasks move to a node
# that is no faster, a less important job is suspended to disk where memory is short, and
# the real-time tasks move to where processors are free.
# limit: 150
# busy
# shellcheck disable=SC2016,SC2020,SC2086,SC2119,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3 taskset setpriv
. "$top/tests/lib/ladder.sh"
mount --bind /proc/stat /proc/stat 2>/dev/null || skip_all 'no mounts over /proc here'

# What the slaves read of processors and memory is of hosts of their own, on which
# nothing else runs; n1 has one processor.
HECTOR_KEY_FILE=$T/key
export HECTOR_KEY_FILE
at=tcp:10.66.0.254:7119
grep -v '^cpu  ' /proc/stat >"$T/rest"
{ echo 'cpu  1000 0 1000 100000 0 0 0 0 0 0'; cat "$T/rest"; } >"$T/stat"
memory()        # HOST AVAILABLE_KIB: of 8 GiB
{
    { echo 'MemTotal: 8388608 kB'; echo "MemFree: $2 kB"; echo "MemAvailable: $2 kB"; } \
        >"$T/$1.meminfo"
}
host()          # NAME COMMAND...: its slave
{
    h_name=$1
    shift
    memory "$h_name" 6000000
    on "$h_name" sh -c "mount --bind '$T/stat' /proc/stat &&
        mount --bind '$T/$h_name.meminfo' /proc/meminfo" || exit 1
    start "slave-$h_name" sh "$AGENT" "$h_name" "$@" hector-slave -d -v --master "$at" \
        --name "$h_name"
}
start_master "$at"
host n1 $ahead taskset -c "$first" $drop
host n2 $ahead $drop
wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 2 ]'
where()         # JOB: nodes of its tasks
{
    sql "SELECT DISTINCT node FROM tasks WHERE job = $1" | xargs
}
done_step()     # KIND
{
    kind=$1
    wait_for '[ "$(steps "job = $job_rt AND state = '\''done'\'' AND
        kind = '\''$kind'\''")" -ge 1 ]'
}
told()          # NAME EXTENDED-REGEXP DESCRIPTION: who runs that job, after the record
{
    said=$T/$1.err re=$2
    wait_for 'grep -Eq -- "$re" "$said"'
    like "$said" "$re" "$3"
}

# ------------------------------------------------------------ they leave
begin crowd 0 20 -n 2 --priority -1 -H n1:4 --migratable --max-suspend 0
begin rt 100 0 -n 2 -H n1:4 --policy deadline --deadline 'in..out<=100ms' --on-deadline act
done_step leave
is "$(where "$job_crowd") $(where "$job_rt")" 'n2 n1' \
    'tasks of a less important job move to the other node'
is "$(sql "SELECT node, to_node, target, gain > 0 FROM ladder WHERE kind = 'leave'
    LIMIT 1")" "n1|n2|$job_crowd|1" '... as the record says, with what was to be gained'
told crowd "job $job_crowd is moved to another node for the deadline" \
    '... and who runs it is told'
is "$(sql "SELECT DISTINCT result FROM moves WHERE job = $job_crowd")" 'done' \
    '... they have moved'
kill -9 "$pid_rt"
wait_for '[ "$(steps "state NOT IN ('\''undone'\'', '\''failed'\'')")" = 0 ]'
is "$(where "$job_crowd") $(held "$job_crowd") $(
    steps "state NOT IN ('undone', 'failed')")" 'n2 0 0' \
    'the real-time job dies: they stay where they are, and nothing is given up'
ends crowd
is "$ended" '0 rounds are over' '... to their end, and well'

# ------------------------------------------------------------ to disk
# They do not meet on a processor, so to suspend it would bring nothing.
state() { sql "SELECT state FROM jobs WHERE job = $job_crowd"; }
cpus=$(taskset -cp $$ | sed 's/.*: *//' | tr ',-' '\n\n' | head -n 2 | paste -sd ' ' -)
case $cpus in
*' '*)
    host n3 $ahead $drop
    three=$started
    wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 3 ]'
    wrap="taskset -c ${cpus#* }"
    begin crowd 0 20 -n 4 --priority -1 -H n3:4 --migratable --checkpoint-dir "$T/saved"
    wrap="taskset -c ${cpus% *}"
    late -H n3:4
    wrap=
    memory n3 410000            # of which 5 per cent are to be left
    done_step store
    is "$(state) $(steps "job = $job_rt AND target <> $job_crowd OR kind = 'suspend'")" \
        'stored 0' 'where memory is short a less important job is suspended to disk'
    told crowd "job $job_crowd is suspended to disk for the deadline" \
        '... which is said'
    runs() { sql "SELECT count(*) FROM transition WHERE job = $job_crowd AND
        machine = 'job' AND state_to = 'running'"; }
    had=$(runs)
    kill -9 "$master_pid"
    wait "$master_pid" 2>/dev/null
    launch_master again
    undone() { steps "kind = 'store' AND state = 'undone' AND
        result = 'hector-master was started again'"; }
    wait_for '[ "$(runs)" -gt "$had" ] && [ "$(undone)" -ge 1 ]'
    is "$(($(runs) > had)) $(undone)" '1 1' \
        'the master is killed: the next one has it go on'
    done_step store
    is "$(state)" stored '... and gives way again, as the deadline is missed still'
    memory n3 6000000
    since=$(date +%s%N)
    kill -9 "$pid_rt"
    wait_for '[ "$(state)" = running ]'
    is "$(state)" running 'the real-time job dies: it goes on'
    echo "# $((($(date +%s%N) - since) / 1000000)) ms" >&2
    wait_for '[ "$(steps "state NOT IN ('\''undone'\'', '\''failed'\'')")" = 0 ]'
    is "$(steps "state NOT IN ('undone', 'failed')")" 0 '... nothing is given up any more'
    wrap="taskset -c ${cpus% *}"
    late -H n3:4
    wrap=
    memory n3 410000
    wait_for '[ "$(steps "job = $job_rt AND kind = '\''store'\'' AND
        state IN ('\''doing'\'', '\''done'\'')")" = 1 ]'
    kill -9 "$pid_rt"
    memory n3 6000000
    wait_for '[ "$(steps "state NOT IN ('\''undone'\'', '\''failed'\'')") $(state)" = \
        "0 running" ]'
    is "$(steps "state NOT IN ('undone', 'failed')") $(state)" '0 running' \
        'it dies while the other one is being stored: that goes on, too'
    ends crowd
    is "$ended" '0 rounds are over' '... to its end, and well'
    kill "$three"
    wait "$three" 2>/dev/null
    ;;
*) skip 'to disk' 'there is one processor' ;;
esac

# ------------------------------------------------------------ to free processors
begin crowd 0 20 -n 4 -H n1:4   # as important
begin rt 100 0 -n 2 -H n1:4 --migratable --policy deadline --deadline 'in..out<=210ms' \
    --on-deadline act
done_step faster
is "$(where "$job_crowd") $(where "$job_rt")" 'n1 n2' \
    'real-time tasks move to where processors are free'
is "$(sql "SELECT node, to_node, target = job, gain > 0 FROM ladder WHERE kind = 'faster'
    AND state = 'done'")" 'n1|n2|1|1' '... as the record says'
told rt 'moved to a faster node, n2: margin .* its own tasks, with a pause of ' \
    '... and who runs them is told, with the pause that was expected'
ends rt
is "$ended" '0 rounds are over' '... they end well'
ends crowd
is "$ended" '0 rounds are over' '... and so do the others'
sql 'SELECT detail FROM climb ORDER BY at_ns, job, number, back' >"$T/steps"
hector replay --steps >"$T/replay"
ok 'all of it is decided again, byte for byte' cmp "$T/steps" "$T/replay"
is "$(grep -Ec 'step [0-9]+: (leave|faster) job [0-9]+ from n1 to n2 for ' "$T/replay") $(
    grep -c 'step [0-9]*: store job' "$T/replay")" "$(
    steps "kind IN ('leave', 'faster')") $(steps "kind = 'store'")" '... with the nodes'
done_testing
