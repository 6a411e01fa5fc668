# outliers.awk - the runs of outliers.sh, as a table: a line is
#   fault program rank polish-and-stands polish step right wrong call line
# and for neighbour and cluster merged, and both whole, the places of task and step; then
# how many steps are left when chains are merged, and how many there are.
function per_cent(a, b) { return b ? sprintf("%3.0f %%", 100 * a / b) : "  -  " }
function add(class,    w)
{
    n[class]++
    said[class] += $7 > 0
    for (w = 1; w <= ways; w++) {
        one[class, w] += $task[w] == 1
        five[class, w] += $task[w] <= 5
        right[class, w] += $task[w] <= 5 && $step[w] <= 5
    }
}
function row(class,    w)
{
    printf "%-12s %4d ", class, n[class]
    for (w = 1; w <= ways; w++)
        printf " %s %s %s", per_cent(one[class, w], n[class]),
            per_cent(five[class, w], n[class]), per_cent(right[class, w], five[class, w])
    printf "  %s\n", per_cent(said[class], n[class])
}
BEGIN {
    ways = split("polish, stands|neighbour, merged|cluster, merged|neighbour, whole|" \
        "cluster, whole", way, "|")
    split("4 11 13 15 17", task, " ")
    split("6 12 14 16 18", step, " ")
}
$1 == "unstruck" { unstruck++; next }   # the call was not made
$1 == "none" { clean++; alarms += $7 + $8 > 0; next }
{
    if (!($1 in n))
        fault[++faults] = $1
    if (!($2 in before))
        program[++programs] = $2
    others += $8 > 0
    add($1)
    add("all")
    before[$2] = $20
    after[$2] = $19
}
END {
    printf "outliers: top 1 and top 5 of %d tasks (by chance %.0f %% and %.0f %%), and of " \
        "those among five\nhow often the step is among five of the task; last, how often a " \
        "verdict names the task\n%-17s ", tasks, 100 / tasks, 500 / tasks, "fault   runs"
    for (w = 1; w <= ways; w++)
        printf " %-17s", way[w]
    print ""
    for (i = 1; i <= faults; i++)
        row(fault[i])
    row("all")
    print "steps, and left when chains are merged (the paper's ratios: 1.59 to 5.25):"
    for (i = 1; i <= programs; i++)
        printf "%s %d, %d (%.2f)%s", program[i], before[program[i]], after[program[i]],
            after[program[i]] ? before[program[i]] / after[program[i]] : 0,
            i < programs ? "; " : "\n"
    print "AutomaDeD, BT and CPU_INTENSIVE, among five of 529: neighbour 100 % merged, 85 % " \
        "whole; cluster 90 % and 60 %"
    if (unstruck)
        printf "in %d other runs the fault did not strike in time\n", unstruck
    printf "verdicts about another task in %d of these runs; in %d of %d without a fault\n",
        others, alarms, clean
}
