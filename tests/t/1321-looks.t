# What policies see of tasks that stand: who waits for input, is stopped by
# somebody, by us, or in the kernel; and of a real hang: who it is, where in the
# source, that the same comes out of a replay, and that nothing is said of the
# run without it.
# limit: 80
. "${0%/*}/../lib/t.sh"
need cc

cc -shared -fPIC -I "$top/policies" -o odd.so "$top/tests/lib/odd_policy.c"
# Of the last verdict that is there: four, one after the other.
flags() { sql "SELECT detail FROM verdict WHERE job = 1 ORDER BY at_ns" 2>/dev/null |
    sed -n "s/^  rank $1: .*flags=\([0-9a-f]*\) .*/\1/p" | tail -n 1; }
seen() { echo "$(flags 0) $(flags 1) $(flags 2) $(flags 3)"; }
running() { [ "$(sql "SELECT count(*) FROM tasks WHERE job = 1 AND
    state = 'running'" 2>/dev/null)" = 4 ]; }

# Tasks that are no MPI programs: one reads a terminal or pipe, the others
# sleep, one of them stopped, one suspended.
mkfifo in
cp odd.so later.so
hector-run --stdin 0 --policy none --policy "$T/odd.so:mode=1,at=90,every=0.03,tagged=0" \
    --policy "$T/later.so:mode=1,at=600,every=0.03,tagged=0" \
    -n 1 cat : -n 3 sleep 300 <in >"$T/out" 2>"$T/err" &
runner=$!
exec 3>in
wait_for running
kill -STOP "$(sql 'SELECT pid FROM tasks WHERE rank = 2')"
hector suspend 1.3 >/dev/null
wait_for '[ "$(seen)" = "80 0 100 10" ]'
is "$(seen)" '80 0 100 10' 'waits for input, sleeps, is stopped, is suspended'
kill -CONT "$(sql 'SELECT pid FROM tasks WHERE rank = 2')"
hector kill 1 >/dev/null
exec 3>&-
wait $runner
rm -f in

# A hang: found, the right task, at once where it can be proven.
hang()          # FAULT KIND [PROGRAM [OPTION...]]: ended with status 123; what
                # was said is in $T/said
{
    job=$((job + 1))
    from=$(date +%s)
    kind=$2 program=${3:-stencil}
    set -- "$1" "${4:---oversubscribe}" "${5:---oversubscribe}"
    run hector-run -n 4 --oversubscribe "$2" "$3" --on-hang "$on_hang" --timeout 300 \
        --inject "rank=2,call=MPI_$1" "$APPS/$program" 16 100
    cp "$T/err" "$T/said"
    is "$status" 123 "$1: found and ended"
    echo "# $(($(date +%s) - from)) s"
    is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = '$kind'
        AND policy = 'hang'")" 1 "... as $kind"
    run hector replay "$job"
    is "$(out)" "$(sql "SELECT group_concat(detail, '') FROM verdict
        WHERE job = $job AND policy = 'hang'")" '... and so by the replay'
}
# Who asks in a loop may stop asking: that is only a notice, and ended for who
# has no patience; with what all tasks were at.
job=1 on_hang=kill:patience=1s
hang 'Waitall:200,fault=spin' notice
run hector why "$job"
like "$T/out" '^  stacks: 4 tasks, 3 samples, [0-9] classes' \
    '... hector why has the stacks of all tasks'
like "$T/out" '^ +[0-9] +\[[0-9,-]+\] +main > exchange \(stencil.c:[0-9]+\)' \
    '... by classes, with lines'
run hector stack "$job" --last
like "$T/out" "^job $job at .*, when a policy found that it hangs: 4 tasks" \
    '... and hector stack --last the tree'
mkdir -p "$T/conf/hector"
printf '[master]\nhang_samples = 0\n' >"$T/conf/hector/hector.conf"
XDG_CONFIG_HOME=$T/conf
export XDG_CONFIG_HOME
hang 'Waitall:200,fault=spin' notice
unset XDG_CONFIG_HOME
run hector stack "$job" --last
is "$status" 1 'hang_samples = 0: no stacks are taken'

on_hang=kill:age=1s

blamed() { sql "SELECT ranks || ' ' || phase FROM verdicts WHERE job = $job
    AND policy = 'hang'"; }
# A task that sleeps in a call is named, where in its source it is, and where
# the others are; before there is any history, too, and in MPI_Init.
hang 'Waitall:200,fault=hang' hang
is "$(blamed)" '2 communication' '... with the task that sleeps'
like "$T/said" '^hector:   task 2 on [^ ]+ is in MPI_Waitall for .*, and sleeps there until a '\
'signal comes.*, in exchange \(stencil\.c:[0-9]+\)' '... its function, file and line'
like "$T/said" '^hector:   task [013] on [^ ]+(:.*)? waits? in MPI_.* \([a-z]+\.[ch]:[0-9]+\)' \
    '... and those of others'
hang '*:1,fault=hang' hang
is "$(blamed)" '2 communication' '... with the task that sleeps'
like "$T/said" 'task 2 on [^ ]+ is in MPI_Init for ' '... in MPI_Init'
# In the computation, in the phase that it is in.
hang 'Allreduce:500,fault=hang-after' hang phases --phase pcontrol
is "$(blamed)" '2 computation' '... with the task that sleeps'
like "$T/said" 'task 2 on [^ ]+ is outside of MPI .*, in sum_up \(phases\.c:[0-9]+\)' \
    '... where it is'
like "$T/out" ', phase [1-9][0-9]*, score' '... and its phase'

run hector-run -n 4 --oversubscribe --on-hang kill:age=1s "$APPS/stencil" 16 3
is "$status|$(cat "$T/err")" '0|' 'without a fault nothing is said'
job=$((job + 1))
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job")" 0 '... or found'
ok '... and what was seen is kept' [ "$(sql "SELECT sum(length(data)) FROM look
    WHERE job = $job")" -gt 100 ]
done_testing
