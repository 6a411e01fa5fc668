#!/bin/sh
# model.sh - the whole way of a merged model, from the question to the answer
# with ranks: emulated slaves, real sockets, the real master, the same way as
# the call trees of tree.sh. The model of each slave, with some 60 kinds of steps
# of 128 tasks in two phases, is made before the question.
#
# usage: model.sh BUILD [QUESTIONS]
set -eu
build=$1
questions=${2:-9}
. "${0%/*}/../lib/emulated.sh"

# curve DAEMONS TASKS-OF-EACH LEVELS
curve()
{
    answer=$("$build/bin/hector-emulate" -j --gather model -D "$1" -n "$2" \
        -t 1 -m 1 -d "$3" -i "$questions" --no-end)
    awk -v tasks=$(($1 * $2)) -v levels="$3" -v n="$questions" \
        -v first="$(of first asked_ns)" -v asked="$(of merge asked_ns)" \
        -v path="$(of merge path_ns)" -v finish="$(of merge finish_ns)" \
        -v cpu="$(of merge cpu_master_ns)" -v edges="$(field found_edges)" \
        -v slaves="$(of merge cpu_daemons_ns)" -v peak="$(field peak_bytes)" \
        -v idle="$(field idle_bytes)" -v found="$(field found_tasks)" \
        -v bytes="$(of merge result_bytes)" 'BEGIN {
        if (found != tasks)
            print "model: only " found " of " tasks " tasks are in it"
        printf "model of %d tasks, %d edges, %d levels: %.3f s (median of " \
            "%d), the first %.3f s; merging on a path %.4f s, to ranks %.4f " \
            "s; CPU of the master %.4f s, of all slaves %.4f s; memory of " \
            "the master %.0f MB, %.1f bytes a task; the result %.0f kB\n",
            tasks, edges, levels, asked / 1e9, n, first / 1e9, path / 1e9,
            finish / 1e9, cpu / 1e9, slaves / 1e9, peak / 1048576,
            (peak - idle) / tasks, bytes / 1024 }'
}
for levels in 1 2 3; do
    curve 128 128 $levels
    curve 1024 128 $levels
done
