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
# field NAME: a number of the answer; of PHASE NAME: one of a phase
field() { printf '%s\n' "$answer" | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; }
of()
{
    printf '%s\n' "$answer" |
        sed -n "s/.*\"$1\":{[^}]*\"$2\":\([0-9]*\).*/\1/p"
}

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
