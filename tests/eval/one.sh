#!/bin/sh
# one.sh - one run of the evaluation: a program with or without a fault, looked
# at by all policies at once, so that they judge the same run. It ends when all
# have spoken, or WAIT seconds after the fault, or by itself. One row a policy
# in table run of the database, and one line of text.
#
# usage: one.sh BUILD DB SEED NUMBER KIND PROGRAM TASKS SECONDS WAIT INJECT \
#            POLICY...
# KIND says what the run is called; INJECT is empty for clean ones. NICE is
# added to the niceness of all of it; KEEP is a directory that gets the
# database of runs in which the first policy was wrong.
set -eu
build=$1 db=$2 seed=$3 number=$4 kind=$5 program=$6 tasks=$7 seconds=$8 wait=$9
shift 9
inject=$1
shift
dir=$(mktemp -d)
runner=
trap 'test -z "$runner" || kill "$runner" 2>/dev/null; wait; rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/run.db"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
npolicies=$#

ask() { sqlite3 -cmd '.timeout 5000' -separator "${2:-|}" "$HECTOR_DB" "$1" \
    2>/dev/null || :; }
keep() { sqlite3 -cmd '.timeout 60000' "$db" "$1" >/dev/null; }

case $program in
hpcc)
    command -v hpcc >/dev/null || { echo "$number $kind hpcc: not here"; exit; }
    . "${0%/*}/../lib/inputs.sh"
    (cd "$dir" && hpl_input 4000 64 2 $((tasks / 2)))
    what=hpcc ;;
*)  ln -s "$build/apps/$program" "$dir/$program"    # its name has no blank
    what="./$program 16 $seconds" ;;
esac
options=
for p in "$@"; do
    options="$options --policy $p"
done
cd "$dir"
# shellcheck disable=SC2086 # words
nice -n "${NICE:-0}" "$build/bin/hector-run" -n "$tasks" --oversubscribe \
    --timeout 200 --policy none $options --on-hang report \
    ${inject:+--inject "$inject"} $what >"$dir/out" 2>"$dir/err" </dev/null &
runner=$!

# How long since the fault, in whole seconds, and how many have spoken since.
progress="SELECT CAST((strftime('%s', 'now') - enter_ns / 1000000000) AS INT),
    (SELECT count(DISTINCT policy) FROM verdicts WHERE kind IN ('hang',
    'deadlock') AND at_ns > e.enter_ns) FROM events e
    WHERE label LIKE 'injected:%' ORDER BY enter_ns LIMIT 1"
ended=0 moved=0 third='' thirds='' killed=9000000000000000000
# Calls that are more than a question, of each task, as they are accounted for
# every few seconds: where they grow in the second third of the wait and in the
# last one, not all of it hangs. In one alone that may be late news.
calls="SELECT group_concat(n) FROM (SELECT sum(calls) AS n FROM calls WHERE
    call NOT LIKE 'MPI_Test%' AND call NOT IN ('MPI_Iprobe', 'MPI_Wtime')
    GROUP BY rank ORDER BY rank)"
while kill -0 $runner 2>/dev/null; do
    sleep 0.5
    if [ -z "$inject" ] || [ "$wait" = 0 ]; then
        continue
    fi
    state=$(ask "$progress" ' ')
    [ -n "$state" ] || continue
    [ -n "$third" ] || [ "${state% *}" -lt $((wait / 3)) ] ||
        third=$(ask "$calls")
    [ -n "$thirds" ] || [ "${state% *}" -lt $((wait * 2 / 3)) ] ||
        thirds=$(ask "$calls")
    if [ "${state#* }" -ge "$npolicies" ] || [ "${state% *}" -ge "$wait" ]; then
        if [ -n "$thirds" ] && [ "$third" != "$thirds" ] &&
            [ "$thirds" != "$(ask "$calls")" ]; then
            moved=1
        fi
        killed=$(date +%s%N)
        kill $runner 2>/dev/null || :
        ended=1
        break
    fi
done
status=0
wait $runner || status=$?
runner=
[ $ended = 0 ] || status=0

# One row a policy. early: alarms before the fault; blamed counts ranks in
# "0-3,7"; noticed_s, noticed: of a hang that was not found, when a notice was
# said of it, and whether the right task is in it.
for p in "$@"; do
    name=$p
    [ "$p" != "$1" ] || name=${p%%:*}
    values=$(ask "WITH RECURSIVE
        f AS (SELECT rank, label, enter_ns FROM events WHERE
            label LIKE 'injected:%' ORDER BY enter_ns LIMIT 1),
        said AS (SELECT kind, ranks, at_ns, why FROM verdicts WHERE
            policy = '$name' AND at_ns >= ifnull((SELECT enter_ns FROM f), 0)),
        v AS (SELECT * FROM said WHERE kind IN ('hang', 'deadlock')
            ORDER BY at_ns LIMIT 1),
        n AS (SELECT * FROM said, f WHERE kind = 'notice' AND
            NOT EXISTS (SELECT 1 FROM v) ORDER BY at_ns LIMIT 1),
        part(rest, a, b) AS (SELECT ifnull((SELECT ranks FROM v), (SELECT ranks
            FROM n)) || ',', NULL, NULL
            UNION ALL SELECT substr(rest, instr(rest, ',') + 1),
            CAST(substr(rest, 1, instr(rest, ',') - 1) AS INTEGER),
            CAST(replace(substr(rest, 1, instr(rest, ',') - 1), rtrim(substr(
            rest, 1, instr(rest, ',') - 1), '0123456789'), '') AS INTEGER)
            FROM part WHERE rest <> '' AND rest <> ','),
        named AS (SELECT EXISTS (SELECT 1 FROM part, f WHERE rank BETWEEN a AND
            b) AS right, ifnull((SELECT sum(b - a + 1) FROM part), 0) AS n)
        SELECT quote((SELECT label FROM f)), quote((SELECT rank FROM f)),
            quote((SELECT kind FROM v)), quote((SELECT ranks FROM v)),
            quote(((SELECT at_ns FROM v) - (SELECT enter_ns FROM f)) / 1e9),
            quote((SELECT right FROM named) AND EXISTS (SELECT 1 FROM v)),
            quote(iif(EXISTS (SELECT 1 FROM v), (SELECT n FROM named), 0)),
            quote((SELECT count(*) FROM verdicts, f WHERE policy = '$name' AND
                kind IN ('hang', 'deadlock') AND at_ns < f.enter_ns)),
            quote((SELECT count(*) FROM verdicts, v AS found WHERE
                policy = '$name' AND verdicts.kind = 'progress' AND
                verdicts.at_ns > found.at_ns AND
                verdicts.at_ns < $killed)),
            quote((SELECT why FROM v)),
            quote(iif($ended, ($killed - (SELECT enter_ns FROM f)) / 1e9, NULL)),
            quote((SELECT (at_ns - enter_ns) / 1e9 FROM n)),
            quote((SELECT right FROM named, n))
        " ,)
    case $kind in
    clean* | imbalance* | stall* | slow* | io*) hangs=0 ;;
    *) hangs=1 ;;
    esac
    [ -n "$values" ] || values="NULL,NULL,NULL,NULL,NULL,0,0,0,0,NULL,NULL,NULL,NULL"
    [ "$moved" = 0 ] || hangs=2
    keep "INSERT INTO run(fault, faulty, found, ranks, delay_s, right, blamed,
        early, back, why, waited_s, noticed_s, noticed, at, policy, seed, number,
        kind, program, tasks, inject, hangs, status, ended) VALUES($values,
        datetime(), '$p', $seed, $number,
        '$kind', '$program', $tasks, '$inject', $hangs, $status, $ended)"
done
sqlite3 -cmd '.timeout 60000' "$db" "SELECT '$number $kind $program:' ||
    CASE WHEN hangs = 2 THEN ' only in part:' ELSE '' END || CASE
    WHEN hangs AND max(fault) IS NULL THEN ' was over before its fault, status '
        || status
    ELSE group_concat(' ' || policy || ' ' || CASE
        WHEN hangs AND found IS NULL AND NOT ended THEN 'did not hang'
        WHEN hangs AND found IS NULL THEN iif(noticed, printf('noticed after %.1f s',
            noticed_s), 'NOT FOUND')
        WHEN hangs THEN printf('%.1f s%s%s', delay_s,
            CASE WHEN right THEN '' ELSE ' blames ' || ranks END,
            CASE WHEN back THEN ' TAKEN BACK' ELSE '' END)
        WHEN found IS NOT NULL THEN 'FALSE ALARM' ELSE 'quiet' END ||
        CASE WHEN early THEN ' EARLY ALARM' ELSE '' END) END
    FROM run WHERE seed = $seed AND number = $number"

# What ours has missed, or alarmed about, can be looked into.
odd=$(sqlite3 -cmd '.timeout 60000' "$db" "SELECT (hangs > 0) <>
    (found IS NOT NULL) OR early > 0 OR back > 0 FROM run WHERE seed = $seed AND number = $number
    ORDER BY rowid LIMIT 1")
if [ "$odd" = 1 ] && [ -n "${KEEP:-}" ]; then
    mkdir -p "$KEEP/$seed.$number"
    cp "$dir/run.db"* "$dir/err" "$KEEP/$seed.$number/"
fi
