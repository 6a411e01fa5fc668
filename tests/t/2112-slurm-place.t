# Where tasks of an ordinary user go in allocations of a real Slurm: as many as granted
# and where that is said, with all processors of a node; what is not in the allocation
# is refused in a sentence, and a node where no slave can be started is named.
# limit: 240
# shellcheck disable=SC2016,SC2086 # scripts are for other shells; $as is words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 3
nobody_only
where()         # host of each rank, in order
{
    sed -n 's/^rank [0-9]* on \([^ ]*\) .*/\1/p' "$T/out" | xargs
}

# ------------------------------------------------------------- what is granted
cat >script <<'END'
#!/bin/sh
hector-run "$APPS/where"
echo "status $?"
END
fresh out err                   # sbatch --wait looks every ten seconds only
chmod 666 "$T/out" "$T/err"
$as sbatch -Q -o "$T/out" -e "$T/err" -N3 -n5 --ntasks-per-node=3 script
wait_for 'grep -q ^status "$T/out"'
is "$(tail -n 1 "$T/out") $(where)$(cat "$T/err")" 'status 0 n1 n1 n2 n2 n3' \
    'not as many as fit on the nodes, but as many as granted'
alloc -N2 --ntasks-per-node=2 sh -c '
    srun --overlap -N2 -n2 sh -c ": >beside.\$SLURM_PROCID; sleep 1000" 2>/dev/null &
    until [ -e beside.0 ] && [ -e beside.1 ]; do sleep 0.1; done
    hector-run "$APPS/where"
    status=$?
    kill $!
    exit $status'
is "$status $(where)" '0 n1 n1 n2 n2' 'so many on each node, with a step beside them'
alloc -N2 -n2 hector-run -n 3 "$APPS/where"
is "$status $(where)" '0 n1 n1 n2' 'more than granted'
is "$(sed 's/Slurm [0-9]*/Slurm N/' "$T/err")" \
    'hector: 3 tasks, where Slurm N has granted 2: oversubscribed' '... one warning'

# Names as Slurm writes them, which it alone can resolve.
cp "$T/etc-hosts" "$T/all-hosts"
grep -v ' n[123]$' "$T/all-hosts" >"$T/etc-hosts"
alloc -w 'n[1,3]' -N2 -n2 sh -c 'getent hosts n1 n3; hector-run "$APPS/where"'
is "$status $(where)$(cat "$T/err")" '0 n1 n3' 'names that do not resolve, as n[1,3]'
alloc -w 'n[2-3]' -N2 -n2 hector-run --adopt -- srun --mpi=pmix "$APPS/where"
is "$status $(where)$(cat "$T/err")" '0 n2 n3' '... nor where srun starts the tasks'
is "$(sql 'SELECT node FROM tasks WHERE job = (SELECT max(job) FROM jobs)
    ORDER BY rank' | xargs)" 'n2 n3' '... which are watched'
cat "$T/all-hosts" >"$T/etc-hosts"

# What is meant for the user's own steps would leave a slave a single processor.
alloc -N1 -n2 -c2 env SRUN_CPUS_PER_TASK=1 SLURM_EXACT=1 \
    hector-run -n 1 scontrol show step
is "$status $(grep -o 'CPUs=[0-9]* Tasks=1 Name=hector-slave' "$T/out")" \
    '0 CPUs=4 Tasks=1 Name=hector-slave' 'a slave has all processors of its node'

# ------------------------------------------------------------ what is not there
alloc -N2 -n2 hector-run -H n2 "$APPS/where"
is "$status $(where)$(cat "$T/err")" '0 n2' 'a host of the allocation, by name'
alloc -N2 -n2 hector-run -H n2,n3 "$APPS/where"
is "$status $(sed 's/Slurm [0-9]*/Slurm N/; s/:[^:]*$//' "$T/err")" \
    '2 hector: n3 is not a host of Slurm N, which has given n1 and others' \
    'one that is not of it'
alloc -N2 -n2 hector-run --adopt -H n3 -- srun --mpi=pmix "$APPS/where"
is "$status" 2 '... nor to be watched'

alloc -N1 -n1 : -N1 -n2 hector-run "$APPS/where"
is "$status $(cut -d , -f 1 "$T/err")" '2 hector: this is a heterogeneous job of Slurm' \
    'a heterogeneous job is refused'
alloc -N1 -n1 : -N1 -n2 srun --het-group=1 -n1 hector-run "$APPS/where"
is "$status $(where)" '0 n2' '... but for a step of one component'

alloc -N2 -n2 sh -c 'env | sed -n "s/^\(SLURM_[A-Z_]*\)=\(.*\)/export \1=\"\2\"/p"'
cp "$T/out" "$T/ended"
slurm_over
run $as sh -c '. "$T/ended"; exec hector-run "$APPS/hello"'
is "$status $(wc -l <"$T/err")" '125 1' 'an allocation that has ended'
like "$T/err" \
    '^hector: cannot reach n[12]: .* from there: srun: error: Slurm job [0-9]+ has expired$' \
    '... in one sentence'

on n2 mount --bind /dev/null "$BIN/hector-slave"
alloc -N2 -n2 hector-run "$APPS/hello"
on n2 umount "$BIN/hector-slave"
is "$status" 125 'a node where no slave can be started'
like "$T/err" '^hector: cannot reach n2: launch agent "srun" ended with status 13' \
    '... is named'
like "$T/err" '^hector: n2: slurmstepd-n2: error: execve.*: Permission denied$' \
    '... with what srun said'
is "$(grep -c 'n1' "$T/err")" 0 '... and nothing of the other node'

# ------------------------------------------------------- one system in another
alloc -N2 -n2 env JOB_ID=9 PE_HOSTFILE="$T/none" PBS_NODEFILE="$T/none" FLUX_URI=local:///x \
    hector-run -v "$APPS/where"
is "$status $(where)" '0 n1 n2' \
    'Slurm in Flux, Grid Engine and PBS: what has started us is the one'
like "$T/err" '^hector: Slurm [0-9]+ in Flux in Grid Engine 9 in PBS: the first one' \
    '... said with --verbose'
slurm_clear 'nothing of them is left'
done_testing
