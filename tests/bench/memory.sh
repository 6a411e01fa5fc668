#!/bin/sh
# memory.sh - resident memory of master and slave for each task they look
# after: the growth from a job of 4 tasks to one of 64, divided by the 60
# tasks, while the tasks sleep in a barrier.
#
# usage: memory.sh BUILD
set -eu
build=$1
dir=$(mktemp -d)
run=
trap 'test -z "$run" || kill "$run" 2>/dev/null; wait; rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db"

# below PID: all its descendants
below()
{
    tr ' ' '\n' <"/proc/$1/task/$1/children" | while read -r p; do
        echo "$p"
        below "$p"
    done
}

# rss PID NAME: kB of those whose program is NAME
rss()
{
    below "$1" | while read -r p; do
        if [ "$(cat "/proc/$p/comm")" = "$2" ]; then
            cat "/proc/$p/status"
        fi
    done | awk '/^(RssAnon|RssShmem):/ { s += $2 } END { print s }'
}

for n in 4 64; do
    rm -f "$dir/ready"
    "$build/bin/hector-run" -n $n --oversubscribe \
        "$build/apps/hello" --wait-for "$dir/go" --say "$dir/ready" >/dev/null &
    run=$!
    until [ -e "$dir/ready" ]; do
        kill -0 $run 2>/dev/null || { echo "memory.sh: the job ended early" >&2; exit 1; }
        sleep 0.05
    done
    echo "$n $(rss $run hector-master) $(rss $run hector-slave)" >>"$dir/rss"
    : >"$dir/go"
    wait $run
    run=
    rm -f "$dir/go"
done
awk '{ n[NR] = $1; master[NR] = $2; slave[NR] = $3 }
END {
    tasks = n[2] - n[1]
    printf "memory: master %.1f MB at %d tasks, %.1f kB a task; ",
           master[2] / 1024, n[2], (master[2] - master[1]) / tasks
    printf "slave %.1f MB, %.1f kB a task\n",
           slave[2] / 1024, (slave[2] - slave[1]) / tasks
}' "$dir/rss"
