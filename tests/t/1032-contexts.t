# Calls that are reached in several ways with the stack equally high are told
# apart in the report.
. "${0%/*}/../lib/t.sh"

run hector-run -n 2 --oversubscribe "$APPS/contexts"
is "$status" 0 'a program that calls one function from several lines'
line()          # COMMENT: of the source
{
    grep -n "/\* $1 \*/" "$top/tests/apps/contexts.c" | cut -d : -f 1
}
calls()         # PLACE DEPTH: of the sites whose caller at this depth is there
{
    sql "SELECT sum(calls) FROM cost WHERE site IN (SELECT site FROM callers
        WHERE place = '$1' AND depth = $2)"
}
is "$(calls "main contexts.c:$(line 'the warm-up')" 1)" 2 'the warm-up'
is "$(calls "main contexts.c:$(line 'the loop')" 1)" 100 \
    'the loop, which is not the warm-up'
is "$(calls "main contexts.c:$(line seven)" 2)" 14 'a caller two levels up'
is "$(calls "main contexts.c:$(line nine)" 2)" 18 '... and another one'
run hector report 1
like "$T/out" "Allreduce .* 100 .* step contexts.c" 'the report has them'
like "$T/out" "^ +main contexts.c:$(line 'the loop')" '... with their lines'
done_testing
