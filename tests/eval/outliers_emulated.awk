# outliers_emulated.awk - what outliers_emulated.sh has played, as tables. A line is
#   program spread fault hidden share rank steps right wrong chains
# and, with a fault, for each way (WAYS below) the place of the task and of the step.
function per_cent(a, b) { return b ? sprintf("%3.0f %%", 100 * a / b) : "  -  " }
# Counts of one class of runs: how many, and how many right by each way.
function add(class,    w)
{
    n[class]++
    right[class] += $8 > 0
    wrong[class] += $9 > 0
    for (w = 1; w <= ways; w++) {
        one[class, w] += $(9 + 2 * w) == 1
        five[class, w] += $(9 + 2 * w) <= 5
        steps[class, w] += $(9 + 2 * w) <= 5 && $(10 + 2 * w) <= 5
    }
}
function cells(class, w)
{
    return per_cent(one[class, w], n[class]) "  " per_cent(five[class, w], n[class]) \
        "  " per_cent(steps[class, w], five[class, w])
}
function table(title, large, small,    w)
{
    if (!n[large] && !n[small])
        return
    printf "\n%s\n%-22s %-6s %-6s %-6s   %-6s %-6s %-6s\n", title, "",
        "top 1", "top 5", "step", "top 1", "top 5", "step"
    for (w = 1; w <= ways; w++)
        printf "%-22s %s    %s\n", way[w], cells(large, w), cells(small, w)
    printf "%-22s %-22s   %s\n", "runs", n[large] + 0, n[small] + 0
    printf "%-22s %-22s   %s\n", "a verdict by itself",
        per_cent(right[large], n[large]) ", " wrong[large] + 0 " of others",
        per_cent(right[small], n[small]) ", " wrong[small] + 0 " of others"
}
BEGIN {
    ways = split("polish, stands|neighbour, merged|cluster, merged|neighbour, whole|" \
        "cluster, whole", way, "|")
    split("BT 55 3.76 SP 55 3.25 CG 66 1.95 FT 4 5.25 LU 29 1.59 MG 33 2.45", t, " ")
    for (i = 1; i <= 18; i += 3)
        paper[t[i]] = t[i + 2]
}
{
    if (!($1 in seen)) {
        seen[$1]
        program[++programs] = $1
    }
    if (!($2 in seen_spread)) {
        seen_spread[$2]
        spread[++spreads] = $2
    }
}
$3 == "none" { clean[$2]++; alarms[$2] += $8 + $9 > 0; next }
{
    size = $5 >= 0.01 ? "large" : "small"
    kind = $3 ~ /^hang/ ? "hang" : $4 ? "hidden" : "seen"
    add(kind SUBSEP $2 SUBSEP size)
    if (kind == "seen")
        add("program" SUBSEP $1 SUBSEP size)
    if ($1 == "BT" && $2 == spread[1] && $3 ~ /^cpu/ && kind == "seen")
        add("BT")
    before[$1] = $7
    after[$1] = $10
}
END {
    printf "outliers of %d emulated tasks; by chance a task is first in %.1f %% and " \
        "among five in %.1f %%.\nstep: of those among five, how often the right one is " \
        "among five. Left: faults that cost\n1 %% of the run or more; right: less, " \
        "from 0.2 %%.\n", tasks, 100 / tasks, 500 / tasks
    for (s = 1; s <= spreads; s++)
        table("computation longer, or a call that does not wait; loads +-" spread[s] " %",
            "seen" SUBSEP spread[s] SUBSEP "large", "seen" SUBSEP spread[s] SUBSEP "small")
    for (s = 1; s <= spreads; s++)
        table("in a call that waits, as all others do there; loads +-" spread[s] " %",
            "hidden" SUBSEP spread[s] SUBSEP "large",
            "hidden" SUBSEP spread[s] SUBSEP "small")
    for (s = 1; s <= spreads; s++)
        table("hangs, after 60 s; loads +-" spread[s] " %",
            "hang" SUBSEP spread[s] SUBSEP "large", "hang" SUBSEP spread[s] SUBSEP "small")
    printf "\nby program, all loads, 1 %% or more: steps, merged (ratio; the paper's); " \
        "top 1 and 5 by\npolish, top 5 by neighbour merged and whole, cluster merged and " \
        "whole\n"
    for (p = 1; p <= programs; p++) {
        i = program[p]
        c = "program" SUBSEP i SUBSEP "large"
        printf "%-10s %4d %4d (%.2f%s)  %s %s  %s %s  %s %s\n", i, before[i], after[i],
            after[i] ? before[i] / after[i] : 0, i in paper ? "; " paper[i] : "",
            per_cent(one[c, 1], n[c]), per_cent(five[c, 1], n[c]), per_cent(five[c, 2], n[c]),
            per_cent(five[c, 4], n[c]), per_cent(five[c, 3], n[c]), per_cent(five[c, 5], n[c])
    }
    if (n["BT"])
        printf "\nBT, cpu, loads +-%s %%, all costs, %d runs, among five: neighbour %s whole, " \
            "%s merged\n(the paper's: 85 %%, 100 %%), cluster %s whole, %s merged (60 %%, " \
            "90 %%; of 529 tasks, in\n960 experiments of all programs)\n", spread[1], n["BT"], \
            per_cent(five["BT", 4], n["BT"]),
            per_cent(five["BT", 2], n["BT"]), per_cent(five["BT", 5], n["BT"]),
            per_cent(five["BT", 3], n["BT"])
    print ""
    for (s = 1; s <= spreads; s++)
        printf "without a fault, loads +-%s %%: a verdict in %d of %d runs\n", spread[s],
            alarms[spread[s]], clean[spread[s]]
}
