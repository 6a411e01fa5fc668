#!/bin/sh
# sampled.sh - how much slower HPL (of hpcc) gets when all its tasks are sampled
# each 100 ms, as in the paper about STAT, which measured 4 %: requests of 80
# samples each while it runs. After a run to warm up, pairs of runs with and
# without, in turns; of each pair the ratio of HPL's own time and of the processor time of
# its tasks: median and quartiles. How long the slave held a task for a sample
# (how long a task stands as it sees it itself, and the least of that:
# bench_halt). And the processor time that Hector took for a stack of one task,
# more than without sampling, and its share of all processors.
#
# usage: sampled.sh BUILD           (ROUNDS pairs, 9, of problem size N, 3000)
set -eu
. "$(dirname "$0")/../lib/inputs.sh"
build=$1
dir=$(mktemp -d)
watcher=
trap 'test -z "$watcher" || kill $watcher 2>/dev/null; rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db" PATH="$build/bin:$PATH"
command -v hpcc >/dev/null || { echo 'sampled: no hpcc here'; exit 0; }
rounds=${ROUNDS:-9} n=${N:-3000} tasks=2 cpus=$(nproc)

cd "$dir"
hpl_input "$n" 64 1 $tasks

ask() { hector sql "$1" 2>/dev/null | tail -n 1 | tr -d ' '; }

# What slave and scribe have used, as long as they are there: ns each.
watch_cpu()     # SLAVE JOB
{
    slave_ns=0 scribe_ns=0
    while read -r slave_ns _ <"/proc/$1/schedstat"; do
        read -r children <"/proc/$1/task/$1/children" || :  # no end of line
        for p in $children; do
            read -r name <"/proc/$p/comm" || continue
            [ "$name" != hector-scribe ] ||
                read -r scribe_ns _ <"/proc/$p/schedstat" || :
        done
        echo "$slave_ns $scribe_ns" >"used.$2"
        sleep 0.2
    done
} 2>/dev/null

job=0
hpl()           # on|off: appends to wall.MODE, cpu.MODE, ours.MODE
{
    rm -f hpccoutf.txt
    job=$((job + 1))
    hector-run -q -n $tasks hpcc >/dev/null 2>&1 &
    run=$!
    pid=
    while kill -0 $run 2>/dev/null; do
        pid=$(ask "SELECT min(pid) FROM task WHERE job = $job AND pid > 0") || :
        case $pid in '' | *[!0-9]*) sleep 0.05 ;; *) break ;; esac
    done
    slave=$(sed 's/.*) . //; s/ .*//' "/proc/$pid/stat") || slave=none
    watch_cpu "$slave" $job &
    watcher=$!
    begin=$(date +%s.%N)
    while [ "$1" = on ] && kill -0 $run 2>/dev/null; do
        if hector stack -j --samples 80 --interval 100 $job >one.json 2>/dev/null
        then
            mv one.json "stops.$job.json"
        else
            sleep 0.05          # it does not run any more, or not yet
        fi
    done
    wait $run || :
    kill $watcher 2>/dev/null || :
    wait $watcher 2>/dev/null || :
    watcher=
    awk '/^W[RC][0-9][0-9][A-Z]/ { t = $6 } END { print t }' hpccoutf.txt \
        >>"wall.$1"
    ask "SELECT sum(cpu_ns) / 1e9 AS s FROM task WHERE job = $job" >>"cpu.$1"
    echo "$(cat "used.$job") $begin $(date +%s.%N)" |
        awk '{ print $1, $2, $4 - $3 }' >>"ours.$1"
}

hpl off                         # to warm up
rm -f wall.* cpu.* ours.*
i=0
while [ $i -lt "$rounds" ]; do
    if [ $((i % 2)) -eq 0 ]; then hpl off; hpl on; else hpl on; hpl off; fi
    i=$((i + 1))
done

# "MEDIAN (QUARTILE-QUARTILE)" of the numbers on stdin, in this format.
spread()
{
    sort -g | awk -v f="$1" '{ v[NR] = $1 } END {
        printf f " (" f "-" f ")", v[int((NR + 1) / 2)],
            v[int((NR + 3) / 4)], v[int((3 * NR + 1) / 4)] }'
}
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
ratios() { paste -d ' ' "$1.on" "$1.off" | awk '{ print $1 / $2 }' | spread %.4f; }
field()         # NAME: of the jobs, in us
{
    sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" stops.*.json |
        awk '{ print $1 / 1000 }' | spread %.1f
}
column() { awk -v c="$2" '{ print $c }' "$1" | median; }

echo "sampled: the slave held a task for $(field held_p50_ns) us (p50)," \
    "$(field held_p99_ns) us (p99) for a sample; since it was asked to stop" \
    "$(field total_p50_ns) us (p50)"
for used in slave:1 scribe:2; do
    echo "$(column ours.on "${used#*:}") $(column ours.off "${used#*:}")" \
        "$(column ours.on 3) $tasks $cpus ${used%:*}"
done | awk '{ us = ($1 - $2) / 1e3; sum += us / $3 / $5
    printf "sampled: the %s takes %.0f us of processor time for a stack\n", $6,
        us / ($3 * 10 * $4) } END {
    printf "sampled: together %.3f %% of the processors\n", sum / 1e4 }'
echo "sampled: HPL of $(median <wall.off) s at a sample each 100 ms: time" \
    "$(ratios wall) of that without, processor time $(ratios cpu): medians" \
    "(quartiles) of $rounds pairs; the paper 1.04"
