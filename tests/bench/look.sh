#!/bin/sh
# look.sh - what watching costs: processor time of master and slave for each
# look at all tasks of a node, at 100 looks a second, and its share of the
# node; runs with and without a policy that only looks alternate. Then the same
# at the rate of the policy that watches every job, with the bytes it records.
#
# usage: look.sh BUILD [RUNS]
set -eu
build=$1 runs=${2:-5}
dir=$(mktemp -d)
run=
trap 'test -z "$run" || kill "$run" 2>/dev/null; wait; rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db"
cpus=$(nproc)
seconds=4

below()         # PID: all its descendants
{
    tr ' ' '\n' <"/proc/$1/task/$1/children" | while read -r p; do
        echo "$p"
        below "$p"
    done
}
busy()          # PID: ns that Hector's processes below it have used
{
    below "$1" | while read -r p; do
        case $(cat "/proc/$p/comm") in
        hector-master | hector-slave) cat "/proc/$p/schedstat" ;;
        esac
    done | awk '{ s += $1 } END { printf "%d\n", s }'
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# measure NAME TASKS OPTION...: ns of a second, into $dir/NAME
measure()
{
    name=$1 n=$2
    shift 2
    "$build/bin/hector-run" -n "$n" --oversubscribe --policy none "$@" \
        "$build/apps/stencil" 64 $((seconds + 3)) >/dev/null 2>"$dir/err" &
    run=$!
    sleep 1.5
    a=$(busy $run)
    sleep $seconds
    b=$(busy $run)
    wait $run || { cat "$dir/err" >&2; exit 1; }
    run=
    echo $(((b - a) / seconds)) >>"$dir/$name"
}
kept() { sqlite3 "$HECTOR_DB" "SELECT ifnull(sum(length(data)), 0) FROM look
    WHERE job = (SELECT max(job) FROM job)"; }

for n in 2 16; do
    i=0
    rm -f "$dir/without" "$dir/with" "$dir/usual"
    while [ $i -lt "$runs" ]; do
        measure without "$n"
        measure with "$n" --policy null:every=0.01
        bytes=$(kept)
        measure usual "$n" --policy null:every=0.2
        i=$((i + 1))
    done
    echo "$n $(median "$dir/without") $(median "$dir/with") \
        $(median "$dir/usual") $bytes $cpus $runs $((seconds + 3))" | awk '{
        printf "look n=%d: %.1f us a look, %.2f us a task, at 100 looks/s " \
            "%.3f %% of the node'\''s %d processors, at 5/s %.4f %%; " \
            "recorded %.1f B a task and look (median of %d)\n",
            $1, ($3 - $2) / 100 / 1e3, ($3 - $2) / 100 / 1e3 / $1,
            ($3 - $2) / 1e7 / $6, $6, ($4 - $2) / 1e7 / $6,
            $5 / ($8 * 100) / $1, $7 }'
done
