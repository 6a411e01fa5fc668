#!/bin/sh
# deadline.sh - how long after the exit of a tagged call a policy hears of it, and what
# deadlines cost: four tasks make some 1,000 instances a second. The limits of both are
# 20 ms of 99 in 100, and 1 % of a processor for master and slave (with the policy in
# its own process beside it).
#
#   deadline: 10000 calls, 950 a second, told after 4.3 ms (of half of them), 9.1 ms
#   (99 %), 12.2 ms (all): ratio of the 99 % to 20 ms 0.46
#   deadline: master 0.8 %, slave 0.6 %, policy 0.4 % of a processor; without deadlines
#   0.2 %, 0.6 %
#
# usage: deadline.sh BUILD [SECONDS]
# shellcheck disable=SC2016 # wait_for expands
if [ $# -gt 0 ]; then
    HECTOR_BUILD=$(cd "$1" && pwd)
    export HECTOR_BUILD
    shift
fi
seconds=${1:-10}
. "${0%/*}/../lib/t.sh"
need sqlite3

${CC:-cc} -shared -fPIC -I "$top/policies" -o "$T/lag.so" "$top/tests/lib/lag_policy.c"
ticks=$(getconf CLK_TCK)

spent()         # NAME: processor time of those processes of the run, in ticks
{
    for p in $(pgrep -x "$1"); do
        ! grep -qs "$T" "/proc/$p/environ" ||
            awk '{ print $14 + $15 }' "/proc/$p/stat" 2>/dev/null
    done | awk '{ n += $1 } END { print n + 0 }'
}

# OPTION...: what master, slave and judge take of a processor, in %: $took; $job
measure()
{
    fresh out
    rm -f "$T/order"
    mortal hector-run --oversubscribe --policy none "$@" -n 4 "$APPS/beat" 4 \
        "$T/order" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    job_runs
    sleep 1                     # they have begun
    master=$(spent hector-master) slave=$(spent hector-slave) judge=$(spent hector-judge)
    began=$(date +%s%N)
    sleep "$seconds"
    took=$(echo "$(spent hector-master) $master $(spent hector-slave) $slave \
$(spent hector-judge) $judge $began $(date +%s%N)" | awk -v hz="$ticks" '{
        s = ($8 - $7) / 1e9 * hz / 100
        printf "master %.1f %%, slave %.1f %%, policies %.1f %%",
            ($1 - $2) / s, ($3 - $4) / s, ($5 - $6) / s }')
    echo end >"$T/order"
    wait $runner || { cat "$T/err"; exit 1; }
}

measure --policy deadline --deadline 'beat/10s' --deadline 'in..out<=10s'
with=$took due=$job
measure
without=$took
calls=$(sql "SELECT count(*) FROM deadlines WHERE job = $due")
rate=$(sql "SELECT round(count(*) / (max(exit_ns) - min(exit_ns)) * 1e9) FROM
    (SELECT exit_ns * 1.0 AS exit_ns FROM events WHERE job = $due)")
hector replay "$due" --policy "$T/lag.so:every=500" | sed -n 's/.*lag of \(.*\) ms.*/\1/p' |
    tail -n 1 | awk -v rate="$rate" '{ printf "deadline: %d calls, %d a second, told " \
        "after %s ms (of half of them), %s ms (99 %%), %s ms (all): ratio of the 99 %% " \
        "to 20 ms %.2f\n", $1, rate, $3, $4, $5, $4 / 20 }'
echo "deadline: $with of a processor ($calls instances); without deadlines $without"
t_stop_started
