#!/bin/sh
# progress.sh - how long it takes to say which tasks have made the least progress,
# beside the time of PDI (figure 8: less than 1 s for 32,768 tasks, with its rounds
# of messages, which are not in here).
#
# usage: progress.sh BUILD
set -eu
"$1/bench/bench_progress" 1024 32768 1048576 | awk '
    { printf "progress of %7d tasks: by models %.3f s, %.2f us a task", $1, $2, 1e6 * $2 / $1
      if ($3 > 0) printf " (%.1f us if no two are alike)", 1e6 * $3 / $1
      printf "; by calls %.3f s\n", $4
      if ($1 == 32768 && ($2 > 0.3 || $4 > 0.3)) bad = 1
      if ($1 == 1048576 && ($2 > 5 || $4 > 5)) bad = 1 }
    END {
        print bad ? "TOO SLOW: 0.3 s and 5 s are the bounds" : "within 0.3 s and 5 s"
        exit bad
    }'
