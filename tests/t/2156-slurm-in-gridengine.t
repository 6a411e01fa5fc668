# A job of an ordinary user in a real Slurm that has brought the variables of Grid
# Engine and of PBS along, as from sbatch in a job of theirs: what has started us is the
# one whose hosts there are, and whose commands are asked. 2113 has the other order.
# limit: 60
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 1
nobody_rather
mkdir -p active_jobs/12.1
echo 'm1 2 all.q@m1 UNDEFINED' >active_jobs/12.1/pe_hostfile
echo 'm2' >nodes
export JOB_ID=12 RESTARTED=1 PE_HOSTFILE="$PWD/active_jobs/12.1/pe_hostfile" \
    PBS_NODEFILE="$PWD/nodes" PBS_JOBID=3.login
alloc -N1 -n2 hector-run -v "$APPS/where"
is "$status $(sed -n 's/^rank \([0-9]\) on \([^ ]*\) .*/\1 \2/p' "$T/out" | sort | xargs)" \
    '0 0 n1 1 n1' 'Slurm in Grid Engine: the hosts are those of Slurm'
like "$T/err" \
    '^hector: Slurm [0-9]+ in Grid Engine 12 in PBS 3.login: the first one says which hosts' \
    '... said with --verbose'
is "$(sql "SELECT batch LIKE 'Slurm %', limit_ns IS NULL, ifnull(restarts, 0) FROM job")" \
    '1|1|0' '... and the job is one of Slurm, of which this is the first run'
slurm_clear 'nothing of it is left'
done_testing
