# The phase of the program in which its tasks differ most from earlier phases: a task is
# slow from some round on, in one of three phases that come in turn. It is that one that
# is named, by the first of it that was compared; of a healthy job none is.
# limit: 60
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"
need sqlite3

policy=outlier:every=0.2,least=0.05
# Phases last long enough to be seen, with so few calls that a busy machine reaches the
# eighth soon: call 201 of MPI_Allreduce is in it, of 100 in each.
from=8

run_phases()    # OPTION...
{
    begin env KERNEL_ROUNDS=1000000 PHASES_REST=100 hector-run -n 8 --oversubscribe --phase tag \
        --policy none --policy $policy "$@" "$APPS/phases" 100
}
phase()         # the number of the one that is named so
{
    sed -n "s/^ *phase \([0-9]*\) 'sum' is where its tasks differ most from earlier \
phases: task 2 is .*/\1/p" "$1"
}
named()
{
    hector why "$job" >"$T/now" 2>"$T/why" && [ "$(phase "$T/now")" ]
}

run_phases --inject rank=2,call=MPI_Allreduce:201,fault=slow-after,time=20ms
ok 'a verdict names the phase that differs from earlier ones' wait_for named
cat "$T/now" >&2
first=$(phase "$T/now" | head -n 1)
is "$((first % 3)) $((first >= from))" '2 1' '... one in which the task is slow'
ok 'so does who asks for tasks that are odd' wait_for \
    'hector why "$job" --outliers >"$T/now" 2>"$T/why"'
is "$(phase "$T/now")" "$first" '... the same, when others have come that are no better'
ok '... also as JSON' wait_for 'hector why "$job" --outliers -j >"$T/now" 2>"$T/why"'
like "$T/now" '"text":"phase [0-9]+ '\''sum'\'' is where' '... which is whole'
is "$(sql "SELECT count(*) > 0 FROM remarks WHERE job = $job AND place = 1 AND
    text LIKE 'phase $first ''sum'' is where %'")" 1 '... and in the view of remarks'
kill -TERM "$runner"
end
run hector why "$job" --outliers
is "$(phase "$T/out")" "$first" 'it is kept when the job is over'
run hector replay "$job" --policy $policy
is "$(phase "$T/out" | head -n 1)" "$first" 'a replay finds the same'

# ----------------------------------------------------------------------- healthy
run_phases
compared()
{
    hector why "$job" --outliers >"$T/now" 2>"$T/why" &&
        [ "$(hector model "$job" --phases 2>"$T/why" |
            awk '$1 ~ /^[0-9]+$/ { print $1 }' | sort -n | tail -n 1)" -ge 8 ]
}
ok 'a healthy job has many phases' wait_for compared
is "$(grep -c 'differ most' "$T/now")" 0 '... of which none differs'
kill -TERM "$runner"
end
done_testing
