# Slaves and tasks keep the processors that a real Slurm gives an ordinary user's job
# (TaskPlugin task/affinity), on its first node and on others; two jobs on the same nodes
# share none.
# limit: 60
# shellcheck disable=SC2034,SC2154 # slurm.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
if ! taskset -c 0 true || ! taskset -c 1 true; then
    skip_all 'processors 0 and 1 are wanted'
fi
slurm_tasks=task/affinity
slurm_node='CPUs=2 Sockets=1 CoresPerSocket=2 ThreadsPerCore=1'
slurm_more='PartitionName=own Nodes=n[1-2] OverSubscribe=NO'
slurm 2
nobody_only
cat >task <<'END'
#!/bin/sh
allowed() { sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/status"; }
echo "$(uname -n) task $(allowed $$) slave $(allowed $PPID)"
until [ -e go ]; do sleep 0.1; done
END
cat >script <<'END'
#!/bin/sh
echo "$(uname -n) script $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)"
exec hector-run ./task
END
chmod 755 task script
begin()         # OUTPUT ARGUMENT...: of sbatch
{
    begin_out=$1
    shift
    # shellcheck disable=SC2086 # words
    $as sbatch -Q -p own -o "$begin_out" "$@" script
    wait_for "[ \"\$(grep -c slave $begin_out 2>/dev/null)\" = 2 ]"
}
ended_all() { : >go; slurm_over; rm go; }
begin one -N2 -n2
begin two -N2 -n2
ended_all
for i in one two; do
    cpu=$(sed -n 's/^n1 script //p' "$i")
    other=$(sed -n 's/^n2 task \([0-9]*\) .*/\1/p' "$i")
    is "$(grep task "$i" | sort)" "n1 task $cpu slave $cpu
n2 task $other slave $other" "job $i: slave and task have one processor on each node"
    like "$i" '^n1 script [01]$' '... that of the script'
done
is "$(cat one two | sed -n 's/^\(n[12] task [0-9]*\) .*/\1/p' | sort | xargs)" \
    'n1 task 0 n1 task 1 n2 task 0 n2 task 1' '... and none is that of the other job'
begin three -N1 -n2 -c1
ended_all
is "$(sed -n 's/^n[12] task //p' three | sort -u)" '0-1 slave 0-1' \
    'two tasks on one node have its two processors'
# Those that srun starts it binds as it is asked to, watched or not.
cat >bound <<'END'
#!/bin/sh
echo "$SLURM_PROCID $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)"
exec "$APPS/hello" >/dev/null
END
chmod 755 bound
alloc -p own -N1 -n2 hector-run --adopt -- srun --mpi=pmix --cpu-bind=map_cpu:1,0 ./bound
is "$status $(sort "$T/out" | xargs)$(cat "$T/err")" '0 0 1 1 0' \
    'tasks of srun are bound as it is asked'
slurm_clear 'nothing of them is left'
done_testing
