#!/bin/sh
# table.sh - what the runs of eval.sh came to: one line for each policy and
# kind of fault, one for all, then pairs of policies on the same runs.
#
# usage: table.sh DB [SEED]
set -eu
db=$1 seed=${2:+"AND seed = $2"}
sqlite3 -separator '|' "$db" "SELECT policy, iif(hangs = 2, 'in-part', kind),
    hangs, fault IS NOT NULL, found IS NOT NULL, ifnull(delay_s, -1), right,
    blamed, early + back, ended OR status = 124, seed || ' ' || number,
    min(rowid) OVER (PARTITION BY policy), ifnull(waited_s, 0),
    ifnull(noticed, 0), ifnull(noticed_s, 0)
    FROM run WHERE (status IN (0, 124) OR ended) $seed
    ORDER BY 12, rowid" | awk -F'|' "$(cat "${0%/*}/bound.awk")"'
function sorted(list, v,    n, i, j, x) {
    n = split(list, v, " ")
    for (i = 2; i <= n; i++) {
        x = v[i] + 0
        for (j = i - 1; j > 0 && v[j] + 0 > x; j--) v[j + 1] = v[j]
        v[j + 1] = x
    }
    return n
}
function count(p, k) {
    if (!((p, k) in seen)) { seen[p, k] = 1; kinds[p] = kinds[p] " " k }
    if ($3 && $4 && ($10 || $5)) hangs[p, k]++
    if ($3 && $4 && $5) {
        found[p, k]++
        delays[p, k] = delays[p, k] " " $6
        right[p, k] += $7
        if ($7 && $8) precision[p, k] += 1 / $8
    }
    if (!$3) quiet[p, k]++
    if (!$3 && $5 || $9) alarms[p, k]++
    runs[p, k]++
}
!($1 in known) { known[$1] = 1; policy[++npolicies] = $1 }
{
    count($1, $2)
    if ($3 == 1 && $2 ~ /after|spin|probe|drop|hang/) count($1, $2 ~ /-after$/ ? \
        "=computation" : $2 == "drop" ? "=deadlock" : "=in-MPI")
    if ($3 < 2) count($1, "=all")
    if ($3 && $4 && $5) delay[$1, $11] = $6
    else if ($3 && $4 && $10) waited[$1, $11] = $13
    if ($3 == 1 && $4 && $10 && !$5) {
        missed[$1]++
        if ($14) noticed[$1] = noticed[$1] " " $15
    }
    id[$11] = 1
}
END {
    for (i = 1; i <= npolicies; i++) {
        p = policy[i]
        if (length(p) > 18) printf "%s\n", p
        printf "%-18s %5s %5s %6s %6s %6s %6s %6s %7s %7s %6s %6s\n",
            (length(p) > 18 ? "" : p), "hangs", "found", "mean s", "sd",
            "median", "max", "right", "precis.", "other", "alarms", "below"
        n = split(kinds[p], list, " ")
        for (pass = 0; pass < 2; pass++)
        for (j = 1; j <= n; j++) {
            k = list[j]
            if ((k ~ /^=/) != pass) continue
            m = sorted(delays[p, k], v)
            sum = squares = 0
            for (x = 1; x <= m; x++) sum += v[x]
            for (x = 1; x <= m; x++) squares += (v[x] - sum / m) ^ 2
            printf "  %-16s %5d %5d ", k, hangs[p, k], found[p, k]
            if (m) printf "%6.2f %6s %6.2f %6.2f %6.3f %7.3f ", sum / m,
                (m > 1 ? sprintf("%.2f", sqrt(squares / (m - 1))) : "-"),
                v[int((m + 1) / 2)], v[m], right[p, k] / m, precision[p, k] / m
            else printf "%6s %6s %6s %6s %6s %7s ", "-", "-", "-", "-", "-", "-"
            printf "%7d %6d %6.3f\n", quiet[p, k], alarms[p, k],
                bound(alarms[p, k], runs[p, k])
        }
        m = sorted(noticed[p], v)
        if (m) printf "  of %d that were not found a notice names the task in " \
            "%d, after %.2f s (median)\n", missed[p], m, v[int((m + 1) / 2)]
    }
    for (i = 2; i <= npolicies; i++) {
        both = one = two = a = b = half = 0
        for (r in id) {
            x = (policy[1], r) in delay; y = (policy[i], r) in delay
            if (x && y) { both++; a += delay[policy[1], r]; b += delay[policy[i], r] }
            else if (x) one++
            else if (y) two++
            z = y ? delay[policy[i], r] : waited[policy[i], r]
            if (x && delay[policy[1], r] <= z / 2) half++
        }
        if (both) printf "%s and %s: both find %d, mean %.2f s and %.2f s, " \
            "ratio %.2f; only the first %d, only the other %d\n", policy[1],
            policy[i], both, a / both, b / both, a / b, one, two
        if (both + one + two) printf "%s in at most half the time of %s, or of " \
            "the wait for it: %d of %d\n", policy[1], policy[i], half,
            both + one + two
    }
}'
