# LAMMPS, unmodified from the distribution (C++): a Lennard-Jones melt gives
# the same numbers as under mpirun.
# limit: 60
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/inputs.sh"
need lmp mpirun

melt_input 6 100
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
