# How many tasks an ordinary user gets in allocations of a real Slurm whose nodes have
# hyperthreads, or are had as a whole: as many as srun starts where their number is said,
# and as many as granted where it is not.
# limit: 60
# shellcheck disable=SC2016 # scripts are for other shells
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
# shellcheck disable=SC2034 # slurm.sh's
slurm_node='CPUs=8 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2'
slurm 2
nobody_only
counts() { sort "$1" | uniq -c | awk '{ print $2 ":" $1 }' | xargs; }
granted()       # COUNTS ARGUMENT...: of salloc
{
    granted_are=$1
    shift
    alloc "$@" sh -c 'srun uname -n >srun.out 2>/dev/null
        exec hector-run uname -n >hector.out'
    is "$status $(counts hector.out) $(cat "$T/err")" "0 $granted_are " "salloc $*"
}
as_srun()       # ARGUMENT...
{
    granted "$@"
    is "$(counts srun.out)" "$1" '... as many as of srun'
}

as_srun n1:2 -N1 -n2
as_srun 'n1:1 n2:1' -N2 -n2 -c2
as_srun n1:3 -N1 -n3 --threads-per-core=1
as_srun 'n1:1 n2:1' -N2 --exclusive --hint=nomultithread
as_srun n1:4 -N1 --exclusive --ntasks-per-node=4 --hint=nomultithread
as_srun n1:4 -N1 --exclusive -n4
granted 'n1:8 n2:8' -N2 --exclusive
granted 'n1:4 n2:4' -N2 --exclusive -c2
alloc -N1 -n4 --threads-per-core=1 hector-run -n 5 uname -n
is "$status $(sed 's/Slurm [0-9]*/Slurm N/' "$T/err")" \
    '0 hector: 5 tasks, where Slurm N has granted 4: oversubscribed' \
    'more than there are cores, though not more than threads'
slurm_clear 'nothing of them is left'
done_testing
