# hpcc, unmodified from the distribution, with its HPL inside, gives the same
# verdict as under mpirun.
# limit: 600
. "${0%/*}/../lib/t.sh"
need hpcc mpirun

cat >hpccinf.txt <<'END'
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
200          Ns
1            # of NBs
32           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
2            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0                               Number of additional problem sizes for PTRANS
1200 10000 30000                values of N
0                               number of additional blocking sizes for PTRANS
40 9 8 13 13 20 16 32 64        values of NB
END
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
run mpirun --oversubscribe -n 4 hpcc
is "$status" 0 'under mpirun'
verdicts >theirs
rm -f hpccoutf.txt
run hector-run --oversubscribe -n 4 hpcc
is "$status" 0 'under hector-run'
verdicts >ours
like ours '^Success=1' 'hpcc calls it a success'
like ours 'PASSED' 'HPL passed'
ok 'the same verdicts under both' sh -c 'diff theirs ours >&2'
is "$(sql 'SELECT count(*) FROM tasks WHERE mpi_calls > 1000')" 4 \
    'its MPI calls were seen'
done_testing
