#!/bin/sh
# tree.sh - the whole way of a merged call tree, from the question to the
# answer with ranks: emulated slaves, real sockets, the real master. Figure 4 of
# the paper goes to 131,072 tasks in just over 2.5 s; here on one machine,
# which plays the slaves too. What a real node would do with processors of its
# own, taking the stacks of its tasks, is done before the question and in no
# figure; links between slaves are dialled by the first question, which is told
# apart. bench_tree compares with labels that are text, as STAT's were.
#
# usage: tree.sh BUILD
set -eu
build=$1
. "${0%/*}/../lib/emulated.sh"

# curve DAEMONS TASKS-OF-EACH QUESTIONS
curve()
{
    for levels in 1 2 3; do
        answer=$("$build/bin/hector-emulate" -j -D "$1" -n "$2" \
            -d "$levels" -i "$3" --no-end)
        awk -v tasks=$(($1 * $2)) -v levels=$levels -v n="$3" \
            -v first="$(of first asked_ns)" -v asked="$(of merge asked_ns)" \
            -v path="$(of merge path_ns)" -v cpu="$(of merge cpu_master_ns)" \
            -v slaves="$(of merge cpu_daemons_ns)" -v peak="$(field peak_bytes)" \
            -v idle="$(field idle_bytes)" 'BEGIN {
            printf "tree of %d tasks, %d levels: %.3f s (median of %d), the " \
                "first %.3f s", tasks, levels, asked / 1e9, n, first / 1e9
            goal = tasks > 131072 ? 3 : 0.5
            if (tasks == 131072)
                printf ", the paper %.1f s, ratio %.3f", 2.5, asked / 2.5e9
            if (tasks >= 131072)
                printf ", of the goal %.2f", first / 1e9 / goal
            printf "; merging on a path %.4f s; CPU of the master %.4f s, of " \
                "all slaves %.4f s; memory of the master %.0f MB, %.0f bytes " \
                "a task\n", path / 1e9, cpu / 1e9, slaves / 1e9, peak / 1048576,
                (peak - idle) / tasks }'
    done
}
curve 128 128 9
curve 512 128 9
curve 1024 128 9
curve 1024 1024 5

# The same tasks on ever more slaves, with nobody looking at them: what it costs
# the master, beside 1,024 slaves. Time is that of this machine, which plays all
# of the slaves and is asked by all whether they live.
spread()        # TASKS DAEMONS...
{
    tasks=$1
    shift
    for daemons in "$@"; do
        answer=$("$build/bin/hector-emulate" -j -D "$daemons" \
            -n $((tasks / daemons)) -i 5 --policy none --no-end)
        echo "$daemons $(field launch_ns) $(of first asked_ns)" \
            "$(of merge asked_ns) $(of merge cpu_master_ns)" \
            "$(of merge cpu_daemons_ns) $(of merge messages)" \
            "$(field peak_bytes) $(field found_tasks)"
    done | awk -v tasks="$tasks" '
        $1 == 1024 { for (i = 2; i <= 8; i++) base[i] = $i }
        $9 != tasks { printf "%d of %d tasks: ", $9, tasks }
        {   printf "%d tasks on %d slaves: launch %.2f s, tree %.3f s, the " \
                "first %.3f s; of the master CPU %.4f s, %d messages, %.0f MB " \
                "at most; CPU of all slaves %.3f s", tasks, $1, $2 / 1e9,
                $4 / 1e9, $3 / 1e9, $5 / 1e9, $7, $8 / 1048576, $6 / 1e9
            if (base[8] && $1 > 1024)
                printf "; of 1024 slaves: launch %.1f, tree %.1f, messages " \
                    "%.1f, memory %.1f", $2 / base[2], $4 / base[4],
                    $7 / base[7], $8 / base[8]
            print "" }'
}
spread 131072 256 1024 4096 8192
spread 1048576 1024 8192

# The accounts of all tasks, as their ends bring them: each slave tells what the
# calls of each task have cost, from ten sites. The end without them beside it.
ending()        # [OPTION...]
{
    answer=$("$build/bin/hector-emulate" -j -i 0 -D 1024 -n 128 "$@")
}
ending
without=$(field end_cpu_ns)
ending --sites 10
awk -v with="$(field end_cpu_ns)" -v without="$without" \
    -v costs="$(field costs)" 'BEGIN {
    printf "accounts of 131072 tasks, a message each, %d costs: CPU of " \
        "the master %.2f s, %.2f us a cost; the end without them %.2f s\n",
        costs, (with - without) / 1e9, (with - without) / 1e3 / costs,
        without / 1e9 }'
