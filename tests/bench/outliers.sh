#!/bin/sh
# outliers.sh - how long it takes to compare all tasks of a job with a sample: emulated
# slaves, real sockets, the real master, and what the slaves of all nodes compute on the
# processors of this host. AutomaDeD takes less than 5 s for 5,832 tasks, and 11.29 s
# for 100,000 as extrapolated (SC11, section 4.4); the growth is that of the tree, and
# of the tasks that one host has to compute here.
#
# usage: outliers.sh BUILD [QUESTIONS]
set -eu
build=$1
questions=${2:-3}
. "${0%/*}/../lib/emulated.sh"

# curve DAEMONS TASKS-OF-EACH SECONDS-OF-THE-PAPER: 0, not known
curve()
{
    answer=$("$build/bin/hector-emulate" -j --gather outliers -D "$1" -n "$2" \
        -t 1 -m 1 -i "$questions" --workers 4 --policy none --wait 600s --no-end)
    awk -v tasks=$(($1 * $2)) -v each="$2" -v n="$questions" -v paper="$3" \
        -v asked="$(of merge asked_ns)" -v path="$(of merge path_ns)" \
        -v cpu="$(of merge cpu_master_ns)" -v slaves="$(of merge cpu_daemons_ns)" \
        -v made="$(field question_ns)" -v down="$(field question_bytes)" \
        -v up="$(of merge received_bytes)" -v levels="$(field levels)" \
        -v found="$(field found_tasks)" -v polish="$(field polish)" 'BEGIN {
        if (found != tasks || polish != 1)
            print "outliers: " found " of " tasks " tasks compared, the odd one is " polish "."
        printf "outliers of %d tasks, 200 edges: %.3f s (median of %d)%s; the question " \
            "%.0f kB, made in %.3f s; a node of %d tasks computes for %.4f s, merging " \
            "on a path of %d levels takes %.4f s, the master computes for %.4f s and " \
            "gets %.1f kB\n", tasks, asked / 1e9, n, paper ? sprintf(", %.2f of the " \
            "paper'\''s", asked / 1e9 / paper) : "", down / 1024, made / 1e9, each,
            slaves / 1e9 * each / tasks, levels, path / 1e9, cpu / 1e9, up / 1024 }'
}
curve 8 128 0
curve 54 108 5
curve 128 128 0
curve 782 128 11.29
curve 1024 1024 0
