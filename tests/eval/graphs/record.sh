#!/bin/sh
# record.sh - a real program's model as a graph that hector-emulate plays
# (slave/emulate/trial/graph.h): runs it for some seconds, asks for the model of all its
# tasks, and writes that. How far tasks are from each other is not in it: 2 % of what they
# compute and wait, 3 % of calls that do not wait. Where there are fewer processors than
# tasks most of the time is waiting.
#
# usage: record.sh BUILD TASKS SECONDS PROGRAM [ARGUMENT...] >NAME.graph
set -eu
build=$(cd "$1" && pwd) tasks=$2 seconds=$3
shift 3
. "${0%/*}/../../lib/campaign.sh"
KERNEL_ROUNDS=100000000 hector-run -n "$tasks" --oversubscribe --policy none "$@" \
    >"$dir/out" 2>"$dir/err" </dev/null &
runner=$!
sleep "$seconds"
hector model 1 -j >"$dir/model"
kill "$runner"
wait "$runner" || :
runner=
echo "# $(basename "$1"), $tasks tasks for $seconds s"
sqlite3 -separator ' ' :memory: "
    WITH d(j) AS (SELECT CAST(readfile('$dir/model') AS TEXT)),
    s AS (SELECT json_extract(value, '\$.id') AS id, json_extract(value, '\$.call') AS call
        FROM d, json_each(j, '\$.states')),
    e AS (SELECT json_extract(value, '\$.from') AS f, json_extract(value, '\$.to') AS t,
        json_extract(value, '\$.count') AS n,
        ifnull(json_extract(value, '\$.in_mean_ns'), 0) AS im,
        ifnull(json_extract(value, '\$.in_sd_ns'), 0) AS isd,
        ifnull(json_extract(value, '\$.out_mean_ns'), 0) AS om,
        ifnull(json_extract(value, '\$.out_sd_ns'), 0) AS osd
        FROM d, json_each(j, '\$.edges')),
    p AS (SELECT id, call, row_number() OVER (ORDER BY id) AS number, call GLOB
        'MPI_[BSR]*send' OR call GLOB 'MPI_Sendrecv*' OR call GLOB 'MPI_Recv*' OR
        call GLOB 'MPI_Test*' OR call GLOB 'MPI_*robe' OR call GLOB
        'MPI_Wait*' OR call GLOB 'MPI_All*' OR call GLOB 'MPI_Send' OR call IN ('MPI_Barrier',
        'MPI_Bcast', 'MPI_Reduce', 'MPI_Gather', 'MPI_Scatter', 'MPI_Probe', 'MPI_Init',
        'MPI_Finalize', 'MPI_Comm_split', 'MPI_Comm_dup', 'MPI_Comm_create', 'MPI_Comm_free',
        'MPI_Cart_create') AS waits
        FROM s WHERE call <> 'start'),
    q AS (SELECT id, number, waits FROM p UNION ALL
        SELECT id, 0, 0 FROM s WHERE call = 'start')
    SELECT line FROM (
        SELECT 1 AS part, number AS a, 0 AS b, 'state ' || number || ' ' || call ||
            CASE WHEN waits THEN ' waits' ELSE '' END AS line FROM p
        UNION ALL
        SELECT 2, a.number, b.number, 'step ' || a.number || ' ' || b.number || ' ' ||
            max(1, sum(n) / $tasks) || ' ' || printf('%.0f %.0f %s %.0f %.0f 0.02',
            sum(n * im) / sum(n), sum(n * isd) / sum(n),
            CASE WHEN a.waits THEN '0.02' ELSE '0.03' END, sum(n * om) / sum(n),
            sum(n * osd) / sum(n))
        FROM e JOIN q AS a ON a.id = f JOIN q AS b ON b.id = t
        GROUP BY a.number, b.number)
    ORDER BY part, a, b"
