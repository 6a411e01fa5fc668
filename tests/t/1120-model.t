# The model of a task under a real MPI: sites with their stacks, how often one
# follows the other, phases. The program compares its page with what it did.
# limit: 60
. "${0%/*}/../lib/t.sh"

well()          # DESCRIPTION PHASES [HECTOR_PHASE]
{
    if [ $# -eq 3 ]; then export HECTOR_PHASE="$3"; else unset HECTOR_PHASE; fi
    run hector-run --oversubscribe -n 3 "$APPS/model" 12 "$2"
    is "$status" 0 "$1"
    like "$T/out" '^model: all right$' '... as the program has done it'
}

well 'one phase' 0
well 'a phase for each tag' 12 tag
well 'only for one text' 12 tag:step
well 'none for another text' 0 tag:stop
well 'each sum' 12 MPI_Allreduce
well 'each fifth exchange' 240 MPI_Sendrecv_replace:5

unset HECTOR_PHASE
run hector-run --phase MPI_Allreduce --oversubscribe -n 3 "$APPS/model" 12 12
is "$status" 0 'a phase for each sum, by an option'
for bad in MPI_Alreduce MPI_Send:0 MPI_Send@here sums; do
    run hector-run --phase $bad -n 1 "$APPS/hello"
    is "$status $(wc -l <"$T/err") $(wc -c <"$T/out")" '2 1 0' \
        "--phase $bad: refused in one line, nothing is started"
done
export HECTOR_PHASE=MPI_Alreduce
run hector-run -n 1 "$APPS/hello"
is "$status" 0 'a description that makes no sense harms nobody'
like "$T/err" 'HECTOR_PHASE makes no sense' '... and is told'
done_testing
