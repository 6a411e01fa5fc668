#!/bin/sh
# look.sh - what watching costs, at 5, 20 and 100 looks a second at all tasks of
# a node: processor time of master and slave for each look and its share of one
# processor and of the node, each from alternating runs with and without a
# policy that only looks; the same of a process that does nothing but wake up as
# often, which is the limit; and the bytes that are recorded. The instructions of
# one look, without what it takes to wake the two, and the share that they are of
# a processor that does 3 * 10^9 a second. And how much longer a program takes.
#
# usage: look.sh BUILD [RUNS [SECONDS]]
set -eu
build=$1 runs=${2:-5} seconds=${3:-4}
dir=$(mktemp -d)
run=
trap 'test -z "$run" || kill "$run" 2>/dev/null; wait; rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db"
cpus=$(nproc)

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
        hector-master | hector-judge | hector-slave) cat "/proc/$p/schedstat" ;;
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
        "$build/apps/stencil" 64 $((seconds + 5)) >/dev/null 2>"$dir/err" &
    run=$!
    sleep 4                     # what it does at first is over
    a=$(busy $run)
    if [ "$name" = wake ]; then
        "$build/bench/bench_wake" 10 "$seconds" >>"$dir/wake"
    else
        sleep "$seconds"
    fi
    b=$(busy $run)
    wait $run || { cat "$dir/err" >&2; exit 1; }
    run=
    [ "$name" = wake ] || echo $(((b - a) / seconds)) >>"$dir/$name"
}
kept() { sqlite3 "$HECTOR_DB" "SELECT ifnull(sum(length(data)), 0) FROM look
    WHERE job = (SELECT max(job) FROM job)"; }

for n in 2 16; do
    i=0
    rm -f "$dir/0" "$dir/5" "$dir/20" "$dir/100" "$dir/wake"
    while [ $i -lt "$runs" ]; do
        measure 0 "$n"
        measure wake "$n"
        measure 5 "$n" --policy null:every=0.2
        measure 20 "$n" --policy null:every=0.05
        measure 100 "$n" --policy null:every=0.01
        bytes=$(kept)
        i=$((i + 1))
    done
    for rate in 5 20 100; do
        echo "$n $rate $(median "$dir/0") $(median "$dir/$rate") $cpus $runs"
    done | awk '{
        printf "look n=%d, %d a second: %.1f us a look, %.3f %% of a " \
            "processor, %.4f %% of the node'\''s %d, %.4f %% of one a task " \
            "(median of %d)\n", $1, $2, ($4 - $3) / $2 / 1e3, ($4 - $3) / 1e7,
            ($4 - $3) / 1e7 / $5, $5, ($4 - $3) / 1e7 / $1, $6
    }'
    echo "$n $(median "$dir/0") $(median "$dir/100") $(median "$dir/wake")" \
        "$cpus" | awk '{ look = ($3 - $2) / 100; printf "look n=%d: to wake up " \
            "takes %.1f us here, 100 times a second %.4f %% of the node; a " \
            "look %.2f of that\n", $1, $4 / 1e3, $4 / 1e5 / $5, look / $4 }'
    echo "$bytes $n $seconds" | awk '{
        printf "look n=%d: recorded %.1f B a task and look at 100 a second\n",
            $2, $1 / (($3 + 5) * 100) / $2 }'
done

# Instructions: the first look, which sees everything for the first time, is
# taken off again.
if command -v valgrind >/dev/null && [ -x "$build/bench/bench_look" ]; then
    for n in 0 1000; do
        valgrind -q --tool=callgrind --callgrind-out-file="$dir/out" \
            --toggle-collect=look_once "$build/bench/bench_look" $n \
            >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 1; }
        awk '/^(summary|totals):/ { n = $2 } END { print n }' "$dir/out"
    done | awk '{ v[NR] = $1 } END { n = (v[2] - v[1]) / 1000
        printf "look: %.0f instructions for 16 tasks that have moved, %.0f a " \
            "task; at 100 a second %.4f %% of each task'\''s processor\n",
            n, n / 16, n / 16 * 100 / 3e7 }'
fi

# Runs in pairs: CPU time of one task alone, which waits for nobody.
i=0
rm -f "$dir/ratio"
while [ $i -lt "$runs" ]; do
    for every in none null:every=0.01; do
        KERNEL_ROUNDS=${ROUNDS:-60000} "$build/bin/hector-run" -n 1 \
            --policy none --policy $every "$build/apps/cg" 100 2>"$dir/err" \
            >/dev/null
        sed -n 's/^cg: [0-9.]* \([0-9.]*\)$/\1/p' "$dir/err"
    done | awk '{ v[NR] = $1 } END { print v[2] / v[1] }' >>"$dir/ratio"
    i=$((i + 1))
done
echo "look: a program looked at 100 times a second takes $(median "$dir/ratio")" \
    "times as long (median of $runs pairs)"
