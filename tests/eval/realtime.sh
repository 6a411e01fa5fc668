#!/bin/sh
# realtime.sh - a real-time program (tests/apps/tact.c: four tasks, a cycle of 50 ms,
# 40 % of a processor, less or more by SEED) beside a competing MPI job and plain hogs,
# under one standing master, side by side:
#
#   none     nothing is done for it
#   nice     --priority 20
#   class    --class realtime --priority 20: nice until it is known what tasks need
#   act      --on-deadline act, where hector-run has that; the competing job is less
#            important
#
# What was missed is the program's own count. After 60 cycles the load comes; so many
# cycles after that the last miss was. What the competing job lost is against a run of
# it with the hogs alone, by the calls of MPI that it made a second.
#
# Then: undisturbed runs, in which nobody may say or do anything, and runs in which
# the load rises by a hog each second: which cycle was missed first, and when was
# something done?
#
# usage: HECTOR_BUILD=BUILD sh realtime.sh [WAY...]     -: none of them
#   CYCLES=2000 SEED=1    of the real-time program
#   HOGS=4                plain ones
#   QUIET=10 RISING=10    runs of these kinds, of a tenth of the cycles
# limit: 86400
# shellcheck disable=SC2154 # $master, $status: t.sh
. "${0%/*}/../lib/t.sh"
need sqlite3

cycles=${CYCLES:-2000} seed=${SEED:-1} hogs=${HOGS:-4}
quiet=${QUIET:-10} rising=${RISING:-10}
calm=60                         # cycles before the load
ways=${*:-none nice class act}
start_master
printf 'max_priority = 20\nrealtime = yes\n' >>"$T/master.conf"
kill "$master_pid"
wait "$master_pid" 2>/dev/null || :
launch_master master
start_slave here

options_of()    # WAY: of the real-time program
{
    case $1 in
    none) ;;
    nice) echo --priority 20 ;;
    class) echo --class realtime --priority 20 ;;
    act) echo --on-deadline act --priority 1 ;;
    esac
}
has_way()       # WAY
{
    # shellcheck disable=SC2046 # words
    hector-run --master "$master" -n 1 --deadline 60s $(options_of "$1") true \
        >"$T/has" 2>&1
}
now_s() { date +%s.%N; }
later()         # SECONDS: from now, in seconds since the epoch
{
    echo "$(now_s) $1" | awk '{ printf "%d", $1 + $2 + 1 }'
}
# The real-time program, in the background; its cycle 0 begins at $t0.
begin()         # NAME CYCLES OPTION...
{
    name=$1 of=$2
    shift 2
    t0=$(later 2)
    hector-run --master "$master" --name tact --oversubscribe --policy none \
        --policy deadline -n 4 "$@" --deadline "cycle@$t0+k*50ms" \
        "$APPS/tact" "$of" 50 40 "$seed" "$t0" >"$T/$name.out" 2>"$T/$name.err" \
        </dev/null &
    runner=$!
}
until_cycle()   # NUMBER
{
    sleep "$(now_s | awk -v t="$t0" -v k="$1" \
        '{ s = t + k * 0.05 - $1; print (s > 0 ? s : 0) }')"
}
burning=
burn()          # N: so many hogs more
{
    for _ in $(seq "$1"); do
        sh -c 'while :; do :; done' &
        burning="$burning $!"
    done
}
burn_no_more()
{
    # shellcheck disable=SC2086 # several
    [ -z "$burning" ] || kill $burning
    burning=
}
# The competing job, in the background, for so long; then what it has done a second.
compete()       # NAME SECONDS
{
    hector-run --master "$master" --name other --oversubscribe -n 2 "$APPS/stencil" 64 \
        "$2" >"$T/$1.other" 2>&1 </dev/null &
    other=$!
}
competed()      # NAME: its speed, and its result
{
    other_status=0
    wait "$other" || other_status=$?
    other_result=wrong
    [ $other_status = 0 ] && grep -q 'stencil: ok' "$T/$1.other" && other_result=right
    other_speed=$(sql "SELECT sum(mpi_calls) * 1e9 / (max(ended_ns) - min(started_ns))
        FROM tasks JOIN jobs USING (job) WHERE job =
            (SELECT max(job) FROM jobs WHERE name = 'other')")
}
stopped()       # tasks that stand
{
    sql "SELECT count(*) FROM tasks WHERE state = 'suspended'"
}
of_tact()       # TABLE WHAT: of its last job
{
    sql "SELECT count(*) FROM $1 WHERE $2 AND
        job = (SELECT max(job) FROM jobs WHERE name = 'tact')"
}
steps()         # what was done for its deadlines
{
    of_tact ladder "done_ns NOT NULL"
}
load_s=$(((cycles - calm) / 20))

echo "# $(nproc) processors, load $(cut -d' ' -f1-3 </proc/loadavg), seed $seed: \
$cycles cycles of 50 ms, 4 tasks; then 2 tasks of stencil and $hogs hogs beside them"
burn "$hogs"
compete alone $((load_s < 20 ? load_s : 20))
competed alone
burn_no_more
alone=$other_speed
printf '%-6s %7s %6s %6s %8s %7s %7s %8s %8s %6s %5s\n' WAY CYCLES BEFORE MISSED \
    'LAST AT' WORST LOST RESULT VERDICTS STEPS STOOD
for way in $ways; do
    [ "$way" != - ] || continue
    if ! has_way "$way"; then
        echo "$way: absent: $(head -n 1 "$T/has")"
        continue
    fi
    # shellcheck disable=SC2046 # words
    begin "$way" "$cycles" $(options_of "$way")
    until_cycle $calm
    compete "$way" "$load_s"
    burn "$hogs"
    status=0
    wait $runner || status=$?
    verdicts=$(of_tact verdicts "kind = 'deadline'") steps=$(steps)
    competed "$way"             # with the hogs to its end, as alone
    burn_no_more
    stood=$(stopped)
    awk -v way="$way" -v cycles="$cycles" -v calm=$calm -v status=$status \
        -v alone="$alone" -v speed="$other_speed" -v result="$other_result" \
        -v verdicts="$verdicts" -v steps="$steps" -v stood="$stood" '
        /^missed/ && $2 < calm { before++ }
        /^missed/ && $2 >= calm { n++; last = $2 - calm; if ($3 > worst) worst = $3 }
        END {
            printf "%-6s %7d %6d %6d %8s %7s %6.0f%% %8s %8d %6d %5d%s\n", way, cycles,
                before, n, n ? last : "-", n ? sprintf("%.0fms", worst) : "-",
                100 * (1 - speed / alone), result, verdicts, steps, stood,
                status ? " status " status : ""
        }' "$T/$way.out"
    # What it got of the processors at last.
    sql "SELECT DISTINCT '#        class ' || class || ', nice ' || nice || ', ' || applied
        FROM tasks WHERE class IS NOT NULL AND
        job = (SELECT max(job) FROM jobs WHERE name = 'tact')"
    grep 'hector: node' "$T/$way.err" | sed 's/^/#        /'
done

best=class
has_way act && best=act
for i in $(seq "$quiet"); do
    # shellcheck disable=SC2046 # words
    begin quiet $((cycles / 10)) $(options_of $best)
    wait $runner || echo "# undisturbed run $i: status $?"
    echo "$(grep -c '^missed' "$T/quiet.out") $(of_tact verdicts "kind = 'deadline'") \
$(steps)"
done >"$T/quiets"
[ "$quiet" = 0 ] || awk -v way=$best '
    { missed += $1; said += $2; done += $3 }
    END { printf "%d undisturbed runs (%s): %d missed, %d verdicts, %d steps; load %s\n",
        NR, way, missed, said, done, load }' load="$(cut -d' ' -f1 </proc/loadavg)" \
    "$T/quiets"
for i in $(seq "$rising"); do
    # shellcheck disable=SC2046 # words
    begin rising $((cycles / 10 + 100)) $(options_of $best)
    until_cycle $calm
    compete rising 10
    for _ in $(seq "$hogs"); do
        burn 1
        sleep 1
    done
    wait $runner || echo "# rising load, run $i: status $?"
    burn_no_more
    competed rising
    # The first miss, and the first step before that, in cycles.
    first=$(awk '/^missed/ { print $2; exit }' "$T/rising.out")
    step=$(sql "SELECT min(done_ns) FROM ladder WHERE job =
        (SELECT max(job) FROM jobs WHERE name = 'tact')" |
        awk -v t="$t0" '/./ { print int(($1 / 1e9 - t) / 0.05) }')
    echo "${first:--} ${step:--}"
done >"$T/risings"
[ "$rising" = 0 ] || awk -v way=$best '
    $1 == "-" { never++ }
    $2 != "-" { acted++ }
    $1 != "-" && $2 != "-" && $2 < $1 { before++ }
    $1 != "-" && ($2 == "-" || $2 >= $1) { late++ }
    END { printf "%d runs with a load that rises (%s): nothing missed in %d, something " \
        "done before the first miss in %d, not in %d; something was done in %d\n", NR,
        way, never, before, late, acted }' \
    "$T/risings"
# shellcheck disable=SC2034 # t.sh reads it
tap_well=1
