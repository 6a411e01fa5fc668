#!/bin/sh
# checkpoint.sh - what checkpoints of a job of 4 tasks with so much memory each cost.
# How long the job stood for one, and how long it took until it was whole, against
# what dd takes for as many bytes, of all tasks at once, to the same place, until
# they are on the disk; and how long it took from the kill of a task until all tasks
# had joined again. Medians:
#
#   checkpoint of 4 x 100 MB: the job stood for 0.33 s, whole after 0.80 s, dd of
#   423 MB takes 0.32 s, ratios 1.02 and 2.50 (median of 3)
#   back to 4 x 100 MB: all tasks ran 0.32 s after the kill (median of 3)
#
# then a program of a job that has a directory for checkpoints and makes none,
# against the same of one whose tasks can be moved:
#
#   checkpoint stencil: 1.002 of the time without (median of 5 pairs)
#
# usage: checkpoint.sh BUILD      RUNS=3 SIZES='5 100 500' PAIRS=5 in the environment
# shellcheck disable=SC2016,SC2034,SC2154 # wait_for expands; by rounds.sh; t.sh's
if [ $# -gt 0 ]; then
    HECTOR_BUILD=$(cd "$1" && pwd)
    export HECTOR_BUILD
fi
. "${0%/*}/../lib/t.sh"
need sqlite3
. "$top/tests/lib/rounds.sh"
runs=${RUNS:-3} sizes=${SIZES:-5 100 500} pairs=${PAIRS:-5}
R='hector-run -q --policy none --oversubscribe'
tasks=4
D=$T/images

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
give_up()
{
    echo "checkpoint.sh: $*"
    cat "$T/rounds.err" "$T/made"
    exit 1
}
seconds()       # COMMAND...: that it took
{
    tap_a=$(date +%s%N)
    "$@"
    tap_b=$(date +%s%N)
    echo "$tap_a $tap_b" | awk '{ printf "%.3f\n", ($2 - $1) / 1e9 }'
}
copy()          # of all images at once
{
    mkdir "$T/copies"
    tap_pids=
    for r in 0 1 2 3; do
        dd if="$D/$number/rank-$r.image" of="$T/copies/$r" bs=1M conv=fsync \
            2>"$T/dd.$r" &
        tap_pids="$tap_pids $!"
    done
    for p in $tap_pids; do wait "$p"; done
}
one_checkpoint()
{
    hector checkpoint "$job" >"$T/made" 2>&1 || give_up 'there is no checkpoint'
    number=$(sql "SELECT max(number) FROM checkpoints WHERE job = $job")
    sql "SELECT stood_ns / 1e9 FROM checkpoints WHERE job = $job AND number = $number" \
        >>"$T/stood"
    sql "SELECT (sealed_ns - at_ns) / 1e9 FROM checkpoints WHERE job = $job AND
        number = $number" >>"$T/whole"
    bytes=$(sql "SELECT image_bytes FROM checkpoints WHERE job = $job AND
        number = $number")
    seconds copy >>"$T/alone"
    rm -rf "$T/copies"
}
joined()        # times that a task of the job has joined the others
{
    sql "SELECT count(*) FROM transition WHERE job = $job AND event = 'connect'"
}
one_return()
{
    wanted=$(($(joined) + tasks))
    killed_ns=$(date +%s%N)
    kill -KILL "$(pid_of 1)"
    wait_for "[ \"\$(joined)\" -ge $wanted ] || ! kill -0 $runner 2>/dev/null"
    sql "SELECT (max(at_ns) - $killed_ns) / 1e9 FROM transition WHERE job = $job AND
        event = 'connect'" >>"$T/back"
    further 2
}

for mb in $sizes; do
    : >"$T/stood"
    : >"$T/whole"
    : >"$T/alone"
    : >"$T/back"
    rm -rf "$D"
    more=ballast=$mb
    begin --checkpoint-dir "$D" --max-restarts "$runs"
    for _ in $(seq "$runs"); do one_checkpoint; done
    for _ in $(seq "$runs"); do one_return; done
    finish
    [ "$status $(grep -c 'of 4 wrong 0' "$T/rounds.out")" = '0 4' ] ||
        give_up "the job ended with $status"
    echo "$bytes $(median "$T/stood") $(median "$T/whole") $(median "$T/alone") $(
        median "$T/back")" | awk -v mb="$mb" -v runs="$runs" '{
            printf "checkpoint of 4 x %d MB: the job stood for %.2f s, whole after " \
                "%.2f s, dd of %.0f MB takes %.2f s, ratios %.2f and %.2f (median " \
                "of %d)\n", mb, $2, $3, $1 / 1e6, $4, $2 / $4, $3 / $4, runs
            printf "back to 4 x %d MB: all tasks ran %.2f s after the kill (median " \
                "of %d)\n", mb, $5, runs }'
done
rm -rf "$D"

stencil()       # WORD...: the seconds that it says
{
    KERNEL_ROUNDS=500 $R "$@" -n 2 "$build/apps/stencil" 512 >/dev/null 2>"$T/err" ||
        { cat "$T/err"; exit 1; }
    sed -n 's/^stencil: *[0-9.]* \([0-9.]*\)$/\1/p' "$T/err"
}
for i in $(seq "$pairs"); do
    stencil --migratable >>"$T/without"
    stencil --checkpoint-dir "$T/none.$i" >>"$T/with"
done
echo "$(median "$T/with") $(median "$T/without")" | awk -v pairs="$pairs" '{
    printf "checkpoint stencil: %.3f of the time without (median of %d pairs)\n",
        $1 / $2, pairs }'
t_stop_started
