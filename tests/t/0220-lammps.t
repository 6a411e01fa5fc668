# LAMMPS, unmodified from the distribution (C++): a Lennard-Jones melt gives
# the same numbers as under mpirun.
# limit: 300
. "${0%/*}/../lib/t.sh"
need lmp mpirun

cat >in.melt <<'END'
units           lj
atom_style      atomic
lattice         fcc 0.8442
region          box block 0 6 0 6 0 6
create_box      1 box
create_atoms    1 box
mass            1 1.0
velocity        all create 3.0 87287
pair_style      lj/cut 2.5
pair_coeff      1 1 1.0 1.0 2.5
neighbor        0.3 bin
fix             1 all nve
thermo          20
run             100
END
thermo() { awk '/^ *Step /{ on = 1 } /^Loop time/{ on = 0 } on' "$1"; }
for n in 2 4; do
    run mpirun --oversubscribe -n $n lmp -in in.melt -log none
    thermo "$T/out" >theirs
    run hector-run --oversubscribe -n $n lmp -in in.melt -log none
    is "$status" 0 "$n tasks: status 0"
    thermo "$T/out" >ours
    is "$(wc -l <ours)" 7 "$n tasks: it ran to the end"
    ok "$n tasks: the same energies, temperatures and pressures" \
        sh -c 'diff theirs ours >&2'
done
done_testing
