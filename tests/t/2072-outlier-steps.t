# Who is far from its like, by its group or its neighbours, is told with the step in
# which it differs most: from call to call of the program as it is, though chains of
# steps are compared as one.
# limit: 60
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"
need sqlite3

begin env KERNEL_ROUNDS=100000000 hector-run -n 8 --oversubscribe --policy none \
    --policy outlier:every=3600,score=1000,least=1000 \
    --inject rank=3,call=MPI_Isend:5,fault=slow-after,time=20ms "$APPS/stencil" 32
first()         # METHOD: rank and step of the furthest
{
    sql "SELECT rank || ' ' || step FROM outliers WHERE job = $job AND method = '$1' AND
        place = 1 ORDER BY at_ns DESC LIMIT 1"
}
# A model of a few rounds on a busy machine may make four groups of eight tasks, too
# small for polish: each question is one about the model as it is by then.
named()
{
    hector why "$job" --outliers >"$T/now" 2>"$T/why" && for by in neighbour polish; do
        grep -qE "^$by +1 +3 .* MPI_Isend stencil.c:[0-9]+ to MPI_" "$T/now" || return
    done
}
ok 'the step of the furthest task is named, with its lines, also by polish' wait_for named
like "$T/now" '^METHOD .* STEP' '... in a column'
ok '... and in the view' test -n "$(first neighbour | grep '^3 MPI_Isend stencil.c:[0-9]* to')"
is "$(sql "SELECT count(*) FROM outliers WHERE job = $job AND method IN ('polish', 'stands')
    AND step IS NULL")" 0 '... which has one for each that is slow in one'
step='"step":"MPI_Isend stencil.c:[0-9]+ to MPI_'
wait_for 'hector why "$job" --outliers -j >"$T/now" 2>"$T/why"; grep -Eq "$step" "$T/now"'
like "$T/now" "$step" '... and in JSON'
kill -TERM "$runner"
end
done_testing
