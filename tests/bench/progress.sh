#!/bin/sh
# progress.sh - how long it takes to say which tasks have made the least progress,
# beside the time of PDI (figure 8: less than 1 s for 32,768 tasks). First what the
# policy does once all is known; then what it has to ask of many tasks, two rounds: where
# all are, and what their models say of that: emulated slaves, real sockets, the real
# master, and what the slaves of all nodes compute on the processors of this host. The
# growth is that of the tree, and of the tasks that one host has to compute here.
#
# usage: progress.sh BUILD [QUESTIONS]
set -eu
build=$1
questions=${2:-3}
. "${0%/*}/../lib/emulated.sh"

curve()         # DAEMONS TASKS-OF-EACH SECONDS: the bound; 0: none
{
    answer=$("$build/bin/hector-emulate" -j --gather progress -D "$1" -n "$2" \
        -t 1 -m 1 -i "$questions" --workers 4 --policy none --wait 600s --no-end)
    awk -v tasks=$(($1 * $2)) -v each="$2" -v n="$questions" -v bound="$3" \
        -v asked="$(of merge asked_ns)" -v path="$(of merge path_ns)" \
        -v cpu="$(of merge cpu_master_ns)" -v slaves="$(of merge cpu_daemons_ns)" \
        -v down="$(field question_bytes)" -v up="$(of merge received_bytes)" \
        -v levels="$(field levels)" -v found="$(field found_tasks)" \
        -v late="$(field late)" -v behind="$(field behind)" 'BEGIN {
        right = found == tasks && late == behind
        if (!right)
            print "progress: " found " of " tasks " tasks, " behind " is behind, not " late
        printf "progress of %7d tasks asked: %.3f s (two rounds, median of %d); %.1f kB " \
            "go down; a node of %d tasks computes for %.4f s, merging on a path of %d " \
            "levels takes %.4f s, the master computes for %.4f s and gets %.1f kB%s\n",
            tasks, asked / 1e9, n, down / 1024, each, slaves / 1e9 * each / tasks, levels,
            path / 1e9, cpu / 1e9, up / 1024,
            bound ? ", the bound is " bound " s" : ""
        exit !right || (bound && asked / 1e9 > bound)
    }' || bad=1
}

bad=0
"$build/bench/bench_progress" 1024 32768 1048576 | awk '
    { printf "progress of %7d tasks: by models %.3f s, %.2f us a task", $1, $2, 1e6 * $2 / $1
      if ($3 > 0) printf " (%.1f us if no two are alike)", 1e6 * $3 / $1
      printf "; by calls %.3f s\n", $4
      if ($1 == 32768 && ($2 > 0.3 || $4 > 0.3)) bad = 1
      if ($1 == 1048576 && ($2 > 5 || $4 > 5)) bad = 1 }
    END { exit bad }' || bad=1
curve 8 128 0
curve 32 128 0
curve 256 128 0.3
curve 1024 128 0
curve 1024 1024 5
[ $bad = 0 ] || echo 'TOO SLOW: 0.3 s and 5 s are the bounds'
exit $bad
