# inputs.sh - input files of the distribution's programs, for tests and
# measurements that run them.
# shellcheck shell=sh

# The first number as often as the second says.
again() { awk -v n="$2" -v x="$1" 'BEGIN { while (n--) printf "%s ", x }'; }

hpl_input()     # N NB P Q [TIMES]: HPL's, of hpcc, with P x Q tasks; it solves
                # 20 * TIMES systems, or one: hpccinf.txt
{
    hpl_of=1 hpl_times=${5:-1}
    [ $# -lt 5 ] || hpl_of=20
    cat >hpccinf.txt <<END
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
$hpl_of           # of problems sizes (N)
$(again "$1" "$hpl_of")           Ns
$hpl_times            # of NBs
$(again "$2" "$hpl_times")           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
$3            Ps
$4            Qs
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
}

melt_input()    # CELLS STEPS: a Lennard-Jones melt for LAMMPS: in.melt
{
    cat >in.melt <<END
units           lj
atom_style      atomic
lattice         fcc 0.8442
region          box block 0 $1 0 $1 0 $1
create_box      1 box
create_atoms    1 box
mass            1 1.0
velocity        all create 3.0 87287
pair_style      lj/cut 2.5
pair_coeff      1 1 1.0 1.0 2.5
neighbor        0.3 bin
fix             1 all nve
thermo          20
run             $2
END
}
