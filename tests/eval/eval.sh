#!/bin/sh
# eval.sh - does the policy find the hangs, soon, with the right task, and
# nothing else? Runs test programs with a fault each, at a random task, call
# and time, and clean ones; everything random follows from the seed, so a run
# can be made again. One line a run, then the sums; all of it in a database.
#
#   accuracy        hangs that were found, of all: a fault after which the run
#                   came to its end was none
#   false alarms    of runs that do not hang, with the 95 % upper bound
#   delay           from the fault to the verdict: mean, deviation, largest
#   faulty task     hangs in the computation whose task is among those blamed;
#                   precision: of the tasks blamed, how many are to blame
#
# usage: eval.sh BUILD [RUNS [TASKS [SEED]]]
#   POLICY=hang:alpha=0.001   what is evaluated
#   EVAL_DB=FILE              where (BUILD/eval.db, which is appended to)
#   KINDS="hang-after clean"  which kinds of run, in turn
#   CLEAN_SECONDS=8           how long those that do not hang are
set -eu
build=$(cd "$1" && pwd)
runs=${2:-200} tasks=${3:-8} seed=${4:-1}
policy=${POLICY:-hang}
db=${EVAL_DB:-$build/eval.db}
kinds=${KINDS:-hang-after hang drop spin probe hang-after clean stall slow clean}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/run.db"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

sqlite3 "$db" "CREATE TABLE IF NOT EXISTS run(at TEXT, policy TEXT, seed, kind
    TEXT, program TEXT, tasks INTEGER, inject TEXT, hangs INTEGER, fault TEXT,
    faulty INTEGER, found TEXT, ranks TEXT, delay_s REAL, right INTEGER,
    blamed INTEGER, status INTEGER, why TEXT);"

# lot N: a number below N; the next one of the seed.
state=$((seed * 2654435761 % 2147483647 + 1))
lot() { state=$((state * 48271 % 2147483647)); lot=$((state % $1)); }
pick() { lot $#; shift $lot; picked=$1; }

# What the run came to, as SQL values: fault, faulty, found, ranks, delay,
# right, blamed, why. blamed counts ranks in "0-3,7".
outcome()
{
    sqlite3 "$HECTOR_DB" "WITH RECURSIVE
        f AS (SELECT rank, label, enter_ns FROM events WHERE job = $1 AND
            label LIKE 'injected:%' ORDER BY enter_ns LIMIT 1),
        v AS (SELECT kind, ranks, at_ns, why FROM verdicts WHERE job = $1 AND
            kind IN ('hang', 'deadlock') ORDER BY at_ns LIMIT 1),
        part(rest, a, b) AS (SELECT (SELECT ranks FROM v) || ',', NULL, NULL
            UNION ALL SELECT substr(rest, instr(rest, ',') + 1),
            CAST(substr(rest, 1, instr(rest, ',') - 1) AS INTEGER),
            CAST(replace(substr(rest, 1, instr(rest, ',') - 1), rtrim(substr(
            rest, 1, instr(rest, ',') - 1), '0123456789'), '') AS INTEGER)
            FROM part WHERE rest <> '' AND rest <> ',')
        SELECT quote((SELECT label FROM f)), quote((SELECT rank FROM f)),
            quote((SELECT kind FROM v)), quote((SELECT ranks FROM v)),
            quote(((SELECT at_ns FROM v) - (SELECT enter_ns FROM f)) / 1e9),
            quote(EXISTS (SELECT 1 FROM part, f WHERE rank BETWEEN a AND b)),
            quote(ifnull((SELECT sum(b - a + 1) FROM part), 0)),
            quote((SELECT why FROM v))" -separator ,
}

one()           # KIND
{
    kind=$1
    pick cg stencil transpose wavefront imbalance farm poll
    program=$picked seconds=120 hangs=1
    lot 25
    after=$(echo $lot | awk '{ printf "%.1f", 0.2 + $1 / 10 }')
    lot "$tasks"
    inject="rank=$lot,call=MPI_*,after=$after,fault=$kind"
    case $kind in
    clean) inject='' hangs=0 ;;
    stall) inject=$inject,time=2 hangs=0 ;;
    slow) inject=$inject,time=20ms hangs=0 ;;
    drop) inject=$(echo "$inject" | sed 's/MPI_\*/MPI_*send/')
        pick stencil wavefront poll
        program=$picked ;;
    esac
    [ $hangs = 1 ] || seconds=${CLEAN_SECONDS:-8}
    rm -f "$HECTOR_DB"*
    status=0
    "$build/bin/hector-run" -n "$tasks" --oversubscribe --timeout 150 \
        --policy none --policy "$policy" --on-hang kill \
        ${inject:+--inject "$inject"} "$build/apps/$program" 16 "$seconds" \
        >"$dir/out" 2>"$dir/err" || status=$?
    result=$(outcome 1)
    sqlite3 "$db" "INSERT INTO run(fault, faulty, found, ranks, delay_s, right,
        blamed, why, at, policy, seed, kind, program, tasks, inject, hangs,
        status) VALUES($result, datetime(), '$policy', $seed, '$kind',
        '$program', $tasks, '$inject', $hangs, $status)"
    sqlite3 -separator ' ' "$db" "SELECT kind, program, CASE
        WHEN hangs AND fault IS NULL THEN 'was over before its fault'
        WHEN hangs AND found IS NULL AND status <> 124 THEN 'did not hang'
        WHEN hangs AND found IS NULL THEN 'NOT FOUND'
        WHEN hangs THEN printf('%s of %s after %.1f s, faulty is %d', found,
            ranks, delay_s, faulty)
        WHEN found IS NOT NULL THEN 'FALSE ALARM: ' || ifnull(why, '')
        ELSE 'left alone' END FROM run ORDER BY rowid DESC LIMIT 1"
}

first=$(sqlite3 "$db" 'SELECT ifnull(max(rowid), 0) FROM run')
i=0
while [ $i -lt "$runs" ]; do
    # shellcheck disable=SC2086 # words
    set -- $kinds
    shift $((i % $#))
    one "$1"
    i=$((i + 1))
done

# Of K in N, the rate that is too high in 95 of 100 cases (Clopper, Pearson).
sqlite3 -separator ' ' "$db" "SELECT
    count(*) FILTER (WHERE hangs AND fault IS NOT NULL AND
        (found IS NOT NULL OR status = 124)),
    count(*) FILTER (WHERE hangs AND fault IS NOT NULL AND found IS NOT NULL),
    count(*) FILTER (WHERE NOT hangs),
    count(*) FILTER (WHERE NOT hangs AND found IS NOT NULL),
    ifnull(avg(delay_s) FILTER (WHERE hangs), 0),
    ifnull(avg(delay_s * delay_s) FILTER (WHERE hangs), 0),
    ifnull(max(delay_s) FILTER (WHERE hangs), 0),
    count(*) FILTER (WHERE kind LIKE '%-after' AND found IS NOT NULL),
    count(*) FILTER (WHERE kind LIKE '%-after' AND found IS NOT NULL AND right),
    ifnull(sum(blamed) FILTER (WHERE kind LIKE '%-after'), 0)
    FROM run WHERE rowid > $first" | awk -v policy="$policy" '
function tail(k, n, p,    i, c, s) {    # probability of at most k
    c = (1 - p) ^ n
    for (i = 0; i <= k; i++) { s += c; c *= (n - i) / (i + 1) * p / (1 - p) }
    return s
}
{
    low = $4 / ($3 ? $3 : 1); high = 1
    for (i = 0; i < 60; i++) {
        p = (low + high) / 2
        if ($3 && $4 < $3 && tail($4, $3, p) > 0.05) low = p; else high = p
    }
    printf "%s: accuracy %d of %d; false alarms %d of %d, rate below %.3f; ",
        policy, $2, $1, $4, $3, $3 ? low : 1
    printf "delay %.2f s, deviation %.2f, largest %.2f; ", $5,
        sqrt($6 > $5 * $5 ? $6 - $5 * $5 : 0), $7
    printf "faulty task right in %d of %d computation hangs, precision %.3f\n",
        $9, $8, $10 ? $9 / $10 : 0
}'
