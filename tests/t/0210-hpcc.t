# hpcc, unmodified from the distribution, with its HPL inside, gives the same
# verdict as under mpirun.
# limit: 60
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/inputs.sh"
need hpcc mpirun

# On fewer processors than tasks it measures for minutes how they wait for each other.
tasks=4 rows=2
[ "$(nproc)" -ge 4 ] || tasks=2 rows=1
hpl_input 200 32 $rows 2
verdicts()      # what does not depend on speed
{
    # PTRANS: CPU|WALL M N MB NB P Q TIME VERDICT GB/s RESIDUAL; how many of
    # them depends on whether a clock has moved
    awk '/PASSED|FAILED|completed and passed/ {
        if ($1 == "CPU" || $1 == "WALL") $1 = $8 = $10 = ""
        print }' hpccoutf.txt | sed 's/= *[0-9.e+-]* \.* */ /' | sort -u
    grep -E '^(Success|.*_Errors?|.*_[nN]|NB|CommWorldProcs)=' hpccoutf.txt |
        sort
}
run mpirun --oversubscribe -n $tasks hpcc
is "$status" 0 'under mpirun'
verdicts >theirs
rm -f hpccoutf.txt
run hector-run --oversubscribe -n $tasks hpcc
is "$status" 0 'under hector-run'
verdicts >ours
like ours '^Success=1' 'hpcc calls it a success'
like ours 'PASSED' 'HPL passed'
ok 'the same verdicts under both' sh -c 'diff theirs ours >&2'
is "$(sql 'SELECT count(*) FROM tasks WHERE mpi_calls > 1000')" $tasks \
    'its MPI calls were seen'
done_testing
