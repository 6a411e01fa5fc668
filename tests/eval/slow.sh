#!/bin/sh
# slow.sh - how well does the policy slow find who becomes slow, and is it silent
# where nobody does? Simulated jobs first, some hundreds, which test_slow sums up by
# itself; then some real ones: the program paced, eight tasks on two simulated hosts,
# of which a task, all of one host or all work for 1.2 to 4 times as long from a
# random moment on, or in which there is imbalance, work that wanders, a heavier
# phase or a short stall. Its tasks sleep instead of computing, since there are more
# of them than processors.
#
# usage: HECTOR_BUILD=BUILD sh slow.sh [SIMULATED [REAL]]
#   SIMULATED=400 runs that become slow and as many that do not; REAL=24 likewise
#   SEED=1          another one draws other runs
#   LANES=4         so many real runs at a time
#   KEEP=DIR        gets the database and the output of those that were wrong
#   ROWS=DIR        has the row of each run as soon as it is over. Runs that it has
#                   are not made again, and all of it, of any seed, is summed up
# limit: 86400
# shellcheck disable=SC2154 # $build, $top: t.sh
. "${0%/*}/../lib/t.sh"
if [ -z "${T_INSIDE:-}" ]; then
    "$build/unit/test_slow" "${1:-400}" "${SEED:-1}"
    export SLOW_REAL="${2:-24}"
fi
hosts 2
need sqlite3
seed=${SEED:-1} lanes=${LANES:-4} rows=${ROWS:-$T/rows.d} first=${SEED:-1}
mkdir -p "$rows"

draw()          # LIMIT: the next number below it
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}
ask() { sqlite3 -cmd '.timeout 20000' "$1/run.db" "$2" 2>/dev/null; }
until_true()    # CONDITION SECONDS
{
    until_s=$(($(date +%s) + $2))
    until eval "$1"; do
        [ "$(date +%s)" -lt $until_s ] || return 1
        sleep 0.2
    done
}
# DIR KIND FACTOR MS SECONDS ORDER...: a row "KIND FACTOR MS DELAY RANKS WHERE WHY"
one()
{
    dir=$1 kind=$2 factor=$3 ms=$4 after=$5
    shift 5
    mkdir -p "$dir"
    echo none >"$dir/order"
    case $1 in                  # which have always been there
    uneven | wander) echo "$*" >"$dir/order" ;;
    esac
    HECTOR_DB=$dir/run.db hector-run --launch-agent "$AGENT" -H n1:4,n2:4 -n 8 \
        --phase tag --policy none --policy slow "$APPS/paced" "$ms" "$dir/order" \
        >"$dir/out" 2>"$dir/err" </dev/null &
    pid=$!
    until_true '[ "$(ask "$dir" "SELECT ifnull(max(seq), 0) FROM look" ||
        echo 0)" -gt 5 ]' 60
    sleep "$after"
    early=$(ask "$dir" "SELECT count(*) FROM verdicts WHERE kind = 'slowdown'" ||
        echo 0)
    echo "$*" >"$dir/order.new"
    mv "$dir/order.new" "$dir/order"
    until_true '[ "$(ask "$dir" "SELECT count(*) FROM verdicts WHERE
        kind = '\''slowdown'\''" || echo 0)" -gt "$early" ]' 40
    echo end >"$dir/order.new"
    mv "$dir/order.new" "$dir/order"
    wait $pid
    at=$(sed -n "s/^paced: $1 //p" "$dir/err" | head -n 1)
    ask "$dir" "SELECT '$kind', $factor, $ms, ${early:-0},
        round((at_ns - ${at:-0}) / 1e9, 1), ranks, why FROM verdicts WHERE
        kind = 'slowdown' ORDER BY at_ns LIMIT 1 OFFSET ${early:-0}" >"$dir/row"
    [ -s "$dir/row" ] || echo "$kind|$factor|$ms|${early:-0}|||" >"$dir/row"
    echo "$wanted|$(cat "$dir/row")" >"$dir.row"
    mv "$dir.row" "$rows/$first.$number"
}
# NUMBER: which run it is
begin()
{
    draw 29
    factor=$(echo $drawn | awk '{ print 1.2 + $1 / 10 }')
    draw 4
    ms=$(echo $drawn | awk '{ print 10 * 2 ^ $1 }')
    draw 12
    after=$((12 + drawn))
    draw 8
    case $(($1 % 8)) in
    0) set -- "$1" rank slow "$factor" $drawn $drawn ;;
    1) set -- "$1" clean none ;;
    2) set -- "$1" node slow "$factor" 4 7 ;;
    3) set -- "$1" uneven uneven "$factor" ;;
    4) set -- "$1" all slow "$factor" 0 7 ;;
    5) set -- "$1" wander wander 1.8 "$((3 + drawn))" ;;
    6) set -- "$1" rank slow "$factor" $drawn $drawn ;;
    7) if [ $((drawn % 2)) = 0 ]; then
        set -- "$1" phase phase "$factor"
    else
        set -- "$1" stall stall 3 2
    fi ;;
    esac
    dir=$T/run$1 number=$1 kind=$2
    shift 2
    wanted=''
    case $kind in
    rank) wanted=$3 ;;
    node) wanted=4-7 ;;
    esac
    [ -s "$rows/$first.$number" ] ||
        one "$dir" "$kind" "$factor" "$ms" "$after" "$@" &
}

n=0
while [ $n -lt $((2 * SLOW_REAL)) ]; do
    lane=0 lot=''
    while [ $lane -lt "$lanes" ] && [ $n -lt $((2 * SLOW_REAL)) ]; do
        begin $n
        lot="$lot $!"
        lane=$((lane + 1)) n=$((n + 1))
    done
    for pid in $lot; do wait "$pid"; done
done

# One line a run: who was wanted, and what was said.
cat "$rows"/*.* >"$T/rows"
[ -z "${KEEP:-}" ] || { mkdir -p "$KEEP" && cp -r "$T"/run[0-9]* "$T/rows" "$KEEP"; }
awk -F '|' '
    function median(v, n,   i, j, x) {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && v[j - 1] > v[j]; j--) {
                x = v[j]; v[j] = v[j - 1]; v[j - 1] = x
            }
        return n ? v[int((n + 1) / 2)] : 0
    }
    # Between what bounds it is in 95 %: Wilson, Probable inference, 1927.
    function of(n, all,   z, m, p, h) {
        z = 1.96 * 1.96; m = all ? all : 1; p = n / m
        h = 1.96 * sqrt(p * (1 - p) / m + z / (4 * m * m)) / (1 + z / m)
        m = (p + z / (2 * m)) / (1 + z / m)
        return sprintf("%d of %d (95 %%: %.0f to %.0f %%)", n, all,
            100 * (m - h > 0 ? m - h : 0), 100 * (m + h))
    }
    {
        kind = $2; said = $8 != ""; runs[kind]++; alarms += $5 > 0
        told[kind] += said
        if (kind !~ /^(rank|node|all)$/) { alarms += said; next }
        right = said && $7 == $1 && (kind != "node" || $8 ~ /^node/)
        step = said && $8 ~ /between MPI_Allreduce and MPI_Irecv/
        good[kind] += right && step
        if ($3 >= 1.5) { large++; large_good += right && step }
        if (said) { d[++nd] = $6; it[nd] = $6 * 1000 / $4 / $3 }
    }
    END {
        print "real jobs, 8 tasks on 2 hosts:  runs  said  right task, node and step"
        for (k in runs)
            printf "%-30s %5d %5d  %s\n", k, runs[k], told[k],
                k ~ /^(rank|node|all)$/ ? good[k] + 0 : ""
        printf "at factors >= 1.5: %s; false alarms %s; median delay " \
            "%.1f s, %d iterations\n", of(large_good, large), of(alarms, NR),
            median(d, nd), median(it, nd)
    }' "$T/rows"
