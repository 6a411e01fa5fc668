#!/bin/sh
# healthy_table.sh - what the runs of healthy.sh came to: a line for each number of
# burners, kind of program, transport and disturbance, one for all, and each run
# of which anything but a notice was said, or which ended badly.
#
#   said     runs of which it was said: a proof, a verdict, that tasks ask in
#            a loop (no percentage), a notice
#   below    the rate of all but notices is below that, with 95 %
#            (bound.awk)
#
# usage: healthy_table.sh DB [SEED]
set -eu
db=$1 where=${2:+"WHERE seed = $2"}
sqlite3 -separator '|' "$db" "SELECT burners || ' burners', kind, transport, substr(
    disturb || ' ', 1, instr(disturb || ' ', ' ') - 1), status, seconds, proofs, verdicts,
    loops, notices, kills, load FROM run $where ORDER BY burners, kind, transport, disturb" |
awk -F'|' "$(cat "${0%/*}/bound.awk")"'
function add(k, group)                  # in groups: loads, kinds, ways, faults
{
    if (!(k in runs)) order[group, ++norder[group]] = k
    runs[k]++; hours[k] += $6 / 3600; proofs[k] += $7 > 0; verdicts[k] += $8 > 0
    loops[k] += $9 > 0; notices[k] += $10 > 0; kills[k] += $11 > 0
    ends[k] += $5 != 0; said[k] += $7 + $8 + $9 > 0
    if ($12 > load[k]) load[k] = $12
}
{
    add($1, 1); add($2, 2)
    add($3 == "shared" ? "shared memory" : $3 == "none" ? "no single copy" : $3, 3)
    add($4 == "no" ? "undisturbed" : $4, 4)
    add("all", 5)
}
function line(k)
{
    printf "%-16s %6d %7.2f %6.1f %6d %8d %6d %8d %6d %6d %9.4f\n", k, runs[k],
        hours[k], load[k], proofs[k], verdicts[k], loops[k], notices[k], kills[k],
        ends[k], bound(said[k], runs[k])
}
END {
    printf "%-16s %6s %7s %6s %6s %8s %6s %8s %6s %6s %9s\n", "", "runs", "hours",
        "load", "proofs", "verdicts", "loops", "notices", "kills", "ends", "below"
    for (g = 1; g <= 5; g++)
        for (i = 1; i <= norder[g]; i++) line(order[g, i])
}'
sqlite3 "$db" "SELECT 'seed ' || seed || ', ' || burners || ' burners, run ' || number ||
    ': ' || kind || ' ' || program || ' -n ' || tasks || ' ' || transport || ', ' ||
    disturb || ': status ' || status || ', ' || coalesce(why, 'nothing was said')
    FROM run ${where:-WHERE 1} AND (status <> 0 OR proofs + verdicts + loops > 0)
    ORDER BY seed, burners, number"
