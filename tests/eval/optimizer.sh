#!/bin/sh
# optimizer.sh - what an optimizer is worth, by wall clock: three simulated hosts, of
# which n1 has a quota of half a processor. A job of two tasks with so much to compute
# is placed on n1, and on n2 and n3; under a master that asks balance, and under one
# that asks stay, by turns. Of each the seconds that it took (of all runs, the median
# last) and the moves that were made.
#
# Badly placed it has to end sooner with balance than with stay, and to have moved; well
# placed nothing may move.
#
# usage: HECTOR_BUILD=BUILD sh optimizer.sh
#   RUNS=5        of each kind
#   ROUNDS=400    of 20 ms of a processor, that each task computes
# limit: 86400
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
hosts 3
need sqlite3
cpu=/sys/fs/cgroup/cpu/hector-eval.$$
mkdir -p "$cpu" 2>/dev/null || skip_all 'no control groups of processors here'
echo 50000 >"$cpu/cpu.cfs_quota_us"
runs=${RUNS:-5} rounds=${ROUNDS:-400}

HECTOR_KEY_FILE=$T/key
export HECTOR_KEY_FILE
at=tcp:10.66.0.254:7119
master=unix:$T/master.sock
printf '[master]\nlisten = %s\ndatabase = %s\njoin_wait = 10s\noptimizer_period = 1s\n' \
    "$master,$at" "$HECTOR_DB" >"$T/master.conf"
echo "rounds $rounds" >"$T/order"
start slave-n1 sh "$AGENT" n1 sh -c "echo \$\$ >$cpu/cgroup.procs &&
    exec hector-slave -d -v --master $at --name n1"
for h in n2 n3; do
    start slave-$h sh "$AGENT" $h hector-slave -d -v --master $at --name $h
done

# Under a master that asks this one. The first that -H names comes first, where
# there is room; balance may move it to the others.
one()           # OPTIMIZER KIND HOSTS
{
    launch_master master -v --optimizer "$1"
    nodes_joined master
    run hector-run --master $master --migratable -H "$3" -n 2 \
        "$build/apps/paced" 20 "$T/order" cpu
    [ "$status" = 0 ] || fail "$1, $2: a job ends well" "$(cat "$T/err")"
    job=$(sql 'SELECT max(job) FROM jobs')
    sql "SELECT (ended_ns - started_ns) / 1e9 FROM jobs WHERE job = $job" \
        >>"$T/$1.$2"
    sql "SELECT count(*) FROM plans WHERE job = $job AND kind = 'move' AND
        state = 'done'" >>"$T/$1.$2.moves"
    kill -TERM $master_pid
    wait_for '! kill -0 $master_pid 2>/dev/null'
}
i=0
while [ $i -lt "$runs" ]; do
    for o in balance stay; do
        one $o badly n1:2,n2:2,n3:2
        one $o well n2:1,n3:1,n1:2
    done
    i=$((i + 1))
done
median()        # FILE
{
    sort -n "$1" | awk '{ v[NR] = $1 } END {
        printf "%.1f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
moves()         # FILE: all of them
{
    awk '{ n += $1 } END { print n + 0 }' "$1.moves"
}
for kind in badly well; do
    for o in balance stay; do
        echo "# optimizer: $kind placed, $o: $(awk '{ printf "%.1f ", $1 }' "$T/$o.$kind")" \
            "s, median $(median "$T/$o.$kind") s, $(moves "$T/$o.$kind") moves"
    done
    echo "# optimizer: $kind placed, balance to stay:" \
        "$(median "$T/balance.$kind") $(median "$T/stay.$kind")" |
        awk '{ printf "%s\n", $0 " = " $(NF - 1) / $NF }'
done
sooner()
{
    awk -v b="$(median "$T/balance.badly")" -v s="$(median "$T/stay.badly")" \
        'BEGIN { exit !(b < s) }'
}
ok 'a job that was placed badly ends sooner with balance than with stay' sooner
ok '... as it was moved, each time' [ "$(sort -n "$T/balance.badly.moves" | head -n 1)" -ge 1 ]
is "$(moves "$T/stay.badly")$(moves "$T/stay.well")" 00 'stay moves nothing'
is "$(moves "$T/balance.well")" 0 'nothing moves where nothing is to be gained'
rmdir "$cpu" 2>/dev/null || :
done_testing
