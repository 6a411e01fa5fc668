#!/bin/sh
# progress.sh - is the task that is behind named? As in PDI, section 5.2: one task of
# a program hangs, in user code behind a call or in a call of MPI; task, call and time
# are by lot, from the seed. Of each program so many runs of both kinds; a line a run,
# and a table of both kinds:
#
#   recall       the faulty task is among those that have made the least progress
#   isolation    it is not, but it is alone in its node
#   imprecision  the part of those named that are not it: mean, and how often it is 0
#
# usage: progress.sh BUILD
#   IN_USER=20 IN_CALLS=5  so many runs of each program; in user code, in calls
#   TASKS=8 SEED=1 PROGRAMS="stencil cg"
#   WAIT=60                seconds for the verdict
set -u
build=$(cd "$1" && pwd)
user=${IN_USER:-20} calls=${IN_CALLS:-5} tasks=${TASKS:-8} seed=${SEED:-1} wait=${WAIT:-60}
programs=${PROGRAMS:-stencil cg}
. "${0%/*}/../lib/campaign.sh"
ask() { sqlite3 -cmd '.timeout 5000' "$HECTOR_DB" "$1" 2>/dev/null; }

# The calls of the program that any task makes, as hector has counted them.
functions()     # PROGRAM
{
    rm -f "$HECTOR_DB"*
    KERNEL_ROUNDS=200 timeout 120 "$build/bin/hector-run" -n "$tasks" --oversubscribe \
        --policy none "$build/apps/$1" 32 >"$dir/out" 2>"$dir/err" </dev/null
    ask "SELECT call || ' ' || min(calls) FROM calls WHERE call NOT IN ('MPI_Init',
        'MPI_Comm_rank', 'MPI_Comm_size', 'MPI_Finalize', 'MPI_Wtime') GROUP BY call
        HAVING count(DISTINCT rank) = $tasks AND min(calls) >= 10 ORDER BY call"
}

one()           # PROGRAM KIND: a run; one line of result
{
    draw "$tasks"
    rank=$drawn
    draw "$(wc -l <"$dir/functions")"
    call=$(sed -n "$((drawn + 1))s/ .*//p" "$dir/functions")
    draw 150
    number=$((drawn + 2))
    fault=hang
    [ "$2" = call ] || fault=hang-after
    rm -f "$HECTOR_DB"*
    KERNEL_ROUNDS=100000000 "$build/bin/hector-run" -n "$tasks" --oversubscribe --policy none \
        --policy hang --policy progress --inject "rank=$rank,call=$call:$number,fault=$fault" \
        "$build/apps/$1" 32 >"$dir/out" 2>"$dir/err" </dev/null &
    runner=$!
    named=
    for _ in $(seq $((wait * 5))); do
        named=$(ask "SELECT ranks FROM verdicts WHERE policy = 'progress' AND ranks <> ''
            ORDER BY at_ns DESC LIMIT 1")
        [ -z "$named" ] || break
        kill -0 $runner 2>/dev/null || break
        sleep 0.2
    done
    alone=$(ask "SELECT count(*) FROM progress WHERE ranks = '$rank'")
    by=$(ask "SELECT decided_by FROM progress WHERE place = 1 ORDER BY at_ns DESC LIMIT 1")
    kill $runner 2>/dev/null
    wait $runner
    runner=
    echo "$2 $rank ${named:-none} ${alone:-0} $1 $call:$number ${by:-nothing}" |
        tee -a "$dir/runs" | awk '{ print "# " $5, $1, $6, "task " $2 ": named " $3,
            substr($0, index($0, $7)) }'
}

: >"$dir/runs"
for program in $programs; do
    functions "$program" >"$dir/functions"
    i=0
    while [ $i -lt "$user" ]; do i=$((i + 1)); one "$program" user; done
    i=0
    while [ $i -lt "$calls" ]; do i=$((i + 1)); one "$program" call; done
done
awk '
    { kind = $1; n[kind]++; found = wrong = all = 0
      m = split($3, part, ",")
      for (i = 1; i <= m && $3 != "none"; i++) {
          k = split(part[i], end, "-")
          for (r = end[1] + 0; r <= end[k] + 0; r++) {
              all++
              if (r == $2) found = 1; else wrong++
          } }
      recall[kind] += found
      isolated[kind] += !found && $4 > 0
      part_wrong[kind] += all ? wrong / all : 0
      precise[kind] += !wrong }
    END { printf "%-10s %5s %8s %10s %12s %14s\n", "fault in", "runs", "recall",
              "isolation", "imprecision", "imprecision 0"
          for (k = 1; k <= 2; k++) {
              kind = k == 1 ? "user" : "call"
              if (n[kind])
                  printf "%-10s %5d %7.1f%% %9.1f%% %12.3f %13.1f%%\n",
                      kind == "user" ? "user code" : "MPI calls", n[kind],
                      100 * recall[kind] / n[kind], 100 * isolated[kind] / n[kind],
                      part_wrong[kind] / n[kind], 100 * precise[kind] / n[kind]
          }
          print "PDI: user code 39 of 40, MPI calls 5 of 10; imprecision 0 in 43 of 50" }
' "$dir/runs"
