#!/bin/sh
# instructions.sh - how many instructions the recording of one call of
# MPI_Iprobe takes, counted by callgrind: against the bare call and an empty
# wrapper. And of one MPI_Testany over 1,000 requests, again and again.
#
# usage: instructions.sh BUILD
set -eu
build=$1
command -v valgrind >/dev/null || exit 0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db"

# count PROGRAM HOW: per call; the first hundred, which see everything for the first
# time, are taken off again
count()
{
    for n in 0 1000; do
        "$build/bin/hector-run" -q -n 1 valgrind -q --tool=callgrind \
            --callgrind-out-file="$dir/out" --toggle-collect=bench_calls \
            "$build/bench/$1" "$2" $n >"$dir/log" 2>&1 ||
            { cat "$dir/log" >&2; exit 1; }
        awk '/^(summary|totals):/ { n = $2 } END { print n }' "$dir/out"
    done | awk '{ v[NR] = $1 } END { printf "%.0f", (v[2] - v[1]) / 1000 }'
}
bare=$(count bench_call 0)
empty=$(count bench_call 1)
everything=$(count bench_call 6)
tagged=$(count bench_call 7)
echo "instructions of a call: bare $bare, empty wrapper +$((empty - bare))," \
    "untagged, everything +$((everything - bare))," \
    "tagged +$((tagged - bare))"
bare=$(count bench_poll 0)
echo "instructions of MPI_Testany of 1,000 requests: bare $bare," \
    "everything +$(($(count bench_poll 1) - bare))"
