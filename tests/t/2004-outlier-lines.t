# Who asks for the tasks that are furthest from their like gets the lines of all steps
# that he is shown, also where nobody is odd and no verdict names a step.
# limit: 60
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"
need sqlite3

begin env KERNEL_ROUNDS=100000000 hector-run -n 8 --oversubscribe --policy none \
    --policy outlier:every=3600,score=1000,least=1000 "$APPS/stencil" 32
steps()         # CONDITION: how many of the last answer
{
    sql "SELECT count(*) FROM steps WHERE job = $job AND $1 AND
        at_ns = (SELECT max(at_ns) FROM outliers WHERE job = $job)"
}
asked()         # a job that has just begun has no steps that come again
{
    hector why "$job" --outliers >"$T/now" 2>"$T/why" && [ "$(steps 1)" -gt 2 ]
}
ok 'there are steps' wait_for asked
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job")" 0 '... and no verdict'
ok 'all of them have lines at both ends' wait_for \
    '[ "$(steps "(from_line IS NULL OR to_line IS NULL)")" = 0 ]'
shown()
{
    hector why "$job" --outliers -k 3 >"$T/now" 2>"$T/why" &&
        [ "$(grep -cE '^ +[0-9]+ +[0-7] +MPI_[A-Za-z]+ +(stencil.c|kernel.h) +[0-9]+ '\
'MPI_[A-Za-z]+ +(stencil.c|kernel.h) +[0-9]+ ' "$T/now")" = 3 ]
}
ok '... which are shown' wait_for shown
kill -TERM "$runner"
end
done_testing
