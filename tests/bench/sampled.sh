#!/bin/sh
# sampled.sh - how much slower HPL (of hpcc) gets when all its tasks are sampled
# each 100 ms, as in the paper about STAT, which measured 4 %: one run that solves
# one system after the other, 16 s with two requests of 80 samples each, 16 s
# without, in turns. HPL's own rate of the solutions that lie in a time
# with samples, against those in the times before and after it: median and
# quartiles. How long the slave held a task for a sample (how long a task stands
# as it sees it itself, and the least of that: bench_halt). And the processor time
# that Hector took for a stack of one task, more than without sampling, and its
# share of all processors.
#
# usage: sampled.sh BUILD        (SOLVE 20 * 10 systems of size N, 3000)
set -eu
. "$(dirname "$0")/../lib/inputs.sh"
build=$1
dir=$(mktemp -d)
run=
trap 'test -z "$run" || kill "$run" 2>/dev/null; wait; rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db" PATH="$build/bin:$PATH"
command -v hpcc >/dev/null || { echo 'sampled: no hpcc here'; exit 0; }
solve=${SOLVE:-10} n=${N:-3000} tasks=2 cpus=$(nproc)

cd "$dir"
hpl_input "$n" 64 1 $tasks "$solve"
hector-run -q -n $tasks hpcc >/dev/null 2>&1 &
run=$!
living() { kill -0 $run 2>/dev/null; }
until grep -q '^Begin of HPL' hpccoutf.txt 2>/dev/null; do
    living || { echo 'sampled: hpcc did not run' >&2; exit 1; }
    sleep 0.2
done
slave=$(pgrep -P "$(pgrep -P $run hector-slave)" hector-slave ||
    pgrep -P $run hector-slave)

# When, and what HPL says of its rate. The file is followed, not searched.
tail --pid=$run -s 0.1 -n +1 -f hpccoutf.txt 2>/dev/null |
    while read -r what _ _ _ _ seconds rate; do
        case $what in
        W[RC][0-9][0-9][A-Z]*) echo "$(date +%s.%N) $seconds $rate" ;;
        esac
    done >solved &

used()          # ns of the slave, and of the unwinder that it has now
{
    read -r used_slave _ <"/proc/$slave/schedstat" || return
    used_scribe=0
    read -r children <"/proc/$slave/task/$slave/children" || :  # no end of line
    for p in $children; do
        ! grep -qx hector-unwind "/proc/$p/comm" ||
            read -r used_scribe _ <"/proc/$p/schedstat"
    done
    echo "$used_slave $used_scribe"
} 2>/dev/null

# "MODE BEGIN END SLAVE SCRIBE SLAVE SCRIBE": ns used before, and after
window()        # on|off
{
    at=$(date +%s.%N) before=$(used) || return 0
    for i in 1 2; do
        living || return 0
        if [ "$1" = on ]; then
            hector stack -j --samples 80 --interval 100 1 >"stops.$at.$i" || return 0
        else
            sleep 8
        fi
    done 2>/dev/null
    after=$(used) || return 0
    echo "$1 $at $(date +%s.%N) $before $after" >>windows
}
while living; do
    window off
    window on
done
window off
wait
run=

# "MEDIAN (QUARTILE-QUARTILE)" of the numbers on stdin, in this format.
spread()
{
    sort -g | awk -v f="$1" '{ v[NR] = $1 } END {
        printf f " (" f "-" f ")", v[int((NR + 1) / 2)],
            v[int((NR + 3) / 4)], v[int((3 * NR + 1) / 4)] }'
}
field()         # NAME: of the requests, in us
{
    sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" stops.* |
        awk '{ print $1 / 1000 }' | spread %.1f
}

# Of each window with samples: what it has lost in rate, as time.
awk 'NR == FNR { end[NR] = $1; begin[NR] = $1 - $2; rate[NR] = $3; n = NR; next }
    { sum = count = 0
      for (i = 1; i <= n; i++)
          if (begin[i] >= $2 && end[i] <= $3) { sum += rate[i]; count++ }
      w++; mode[w] = $1; mean[w] = count ? sum / count : 0 }
    END { for (i = 2; i < w; i++)
        if (mode[i] == "on" && mean[i - 1] && mean[i] && mean[i + 1])
            print (mean[i - 1] + mean[i + 1]) / 2 / mean[i] }' \
    solved windows >ratios

echo "sampled: the slave held a task for $(field held_p50_ns) us (p50)," \
    "$(field held_p99_ns) us (p99) for a sample; since it was asked to stop" \
    "$(field total_p50_ns) us (p50)"
# The unwinder is gone when nobody asks: what it has used began with the window.
awk -v cpus="$cpus" -v tasks=$tasks '
    { t[$1] += $3 - $2; slave[$1] += $6 - $4
      unwinder[$1] += $7 >= $5 ? $7 - $5 : $7 }
    END { stacks = 10 * tasks
      a = (slave["on"] / t["on"] - slave["off"] / t["off"]) / 1e3
      b = (unwinder["on"] / t["on"] - unwinder["off"] / t["off"]) / 1e3
      printf "sampled: the slave takes %.0f us of processor time for a stack, " \
          "its reader %.0f us: together %.3f %% of the processors\n",
          a / stacks, b / stacks, (a + b) / cpus / 1e4 }' windows
echo "sampled: HPL ($n, $(wc -l <solved) solutions) at a sample each 100 ms takes" \
    "$(spread %.4f <ratios) of the time without: median (quartiles) of" \
    "$(wc -l <ratios) windows; the paper 1.04"
