#!/bin/sh
# tree.sh - the whole way of a merged call tree, from the question to the
# answer with ranks: emulated slaves, real sockets, the real master. Figure 4 of
# the paper goes to 131,072 tasks in just over 2.5 s; here on one machine,
# which plays the slaves too.
#
# usage: tree.sh BUILD
set -eu
build=$1
field() { printf '%s\n' "$answer" | sed -n "s/.*$1\":\\([0-9]*\\).*/\\1/p"; }

for daemons in 128 512 1024; do
    for levels in 1 2 3; do
        answer=$("$build/bin/hector-emulate" -j -D "$daemons" -n 128 \
            -d "$levels" -i 9 --no-end | sed 's/.*"merge"/"merge"/')
        awk -v tasks=$((daemons * 128)) -v levels=$levels \
            -v asked="$(field '"merge":{"asked_ns')" \
            -v path="$(field path_ns)" -v master="$(field master_ns)" \
            -v peak="$(field peak_bytes)" -v idle="$(field idle_bytes)" 'BEGIN {
            printf "tree of %d tasks, %d levels: %.3f s (median of 9)", tasks,
                levels, asked / 1e9
            if (tasks == 131072)
                printf ", the paper %.1f s, ratio %.3f", 2.5, asked / 2.5e9
            printf "; merging %.4f s, master %.4f s; %.0f bytes a task\n",
                path / 1e9, master / 1e9, (peak - idle) / tasks }'
    done
done
answer=$("$build/bin/hector-emulate" -j -D 1024 -n 1024 -d 2 -i 3 --no-end |
    sed 's/.*"first"/"first"/')
awk -v first="$(field '"first":{"asked_ns')" \
    -v asked="$(field '"merge":{"asked_ns')" \
    -v peak="$(field peak_bytes)" -v idle="$(field idle_bytes)" 'BEGIN {
    printf "tree of 1048576 tasks, 2 levels: %.3f s (median of 3), %.3f s " \
        "with making the traces; master %.0f MB, %.0f bytes a task\n",
        asked / 1e9, first / 1e9, peak / 1048576, (peak - idle) / 1048576 }'
