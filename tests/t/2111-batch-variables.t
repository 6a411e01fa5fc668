# Variables of batch systems that make no sense: one sentence, and status 2, before
# anything is started. They are all that is looked at here; 2112 is in a real Slurm.
# limit: 60
# shellcheck disable=SC2086 # $nobody is words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/nobody.sh"
nobody_rather
for v in $(env | sed -n 's/^\([A-Z0-9_]*\)=.*/\1/p' |
           grep -E '^(SLURM|PBS_|LSB_|PE_HOSTFILE|JOB_ID|NSLOTS)'); do
    unset "$v"
done
refused()       # SENTENCE DESCRIPTION VARIABLE=VALUE... [COMMAND...]
{
    said=$1 what=$2
    shift 2
    run $nobody env "$@" hector-run --adopt -- touch "$PWD/started"
    is "$status $(cat "$T/err")" "2 hector: $said" "$what"
    run $nobody env "$@" hector-run touch "$PWD/started"
    is "$status $(cat "$T/err")" "2 hector: $said" '... adopted or not'
}

refused 'SLURM_TASKS_PER_NODE does not fit SLURM_JOB_NODELIST: 2(x3) is for 3 nodes, n[1-2] has 2' \
    'Slurm with counts for more nodes than there are' \
    SLURM_JOB_NODELIST='n[1-2]' SLURM_TASKS_PER_NODE='2(x3)'
refused 'SLURM_TASKS_PER_NODE does not fit SLURM_JOB_NODELIST: 2 is for 1 node, n[1-2] has 2' \
    '... for fewer' SLURM_JOB_NODELIST='n[1-2]' SLURM_TASKS_PER_NODE=2
refused 'SLURM_TASKS_PER_NODE is "many": numbers are wanted, as in 2(x3),1' \
    '... that are none' SLURM_JOB_NODELIST=n1 SLURM_TASKS_PER_NODE=many
refused 'SLURM_JOB_NODELIST: hosts "n[1-": brackets do not match' \
    '... a list that is cut' SLURM_JOB_NODELIST='n[1-'
refused 'this is a heterogeneous job of Slurm, of 2 components: hector-run works in '\
'one of them, as in srun --het-group=0 -n 1 hector-run' \
    'a heterogeneous job' SLURM_HET_SIZE=2 SLURM_JOB_ID=7
refused "PBS_NODEFILE: cannot read the hostfile $T/none: No such file or directory" \
    'PBS without its file' PBS_NODEFILE="$T/none" PBS_JOBID=7
: >"$T/empty"
refused "PBS_NODEFILE: $T/empty names no host" \
    '... with one that is empty' PBS_NODEFILE="$T/empty"
mkdir -p "$T/active_jobs/7.1"
echo 'n1 2 all.q@n1 UNDEFINED' >"$T/active_jobs/7.1/pe_hostfile"
refused 'PE_HOSTFILE is that of job 7 of Grid Engine, but JOB_ID is 17' \
    "Grid Engine with another job's file" JOB_ID=17 \
    PE_HOSTFILE="$T/active_jobs/7.1/pe_hostfile"
refused "PE_HOSTFILE: cannot read $T/active_jobs/8.1/pe_hostfile: No such file or directory: \
has job 8 of Grid Engine ended?" \
    '... with one that is gone' JOB_ID=8 PE_HOSTFILE="$T/active_jobs/8.1/pe_hostfile"
: >"$T/active_jobs/7.1/none"
refused "PE_HOSTFILE: $T/active_jobs/7.1/none names no host" \
    '... with one that is empty' JOB_ID=7 PE_HOSTFILE="$T/active_jobs/7.1/none"
mkdir "$T/aux"
echo n1 >"$T/aux/7.login"
refused 'PBS_NODEFILE is that of job 7 of PBS, but PBS_JOBID is 17.login' \
    "PBS with another job's file" PBS_JOBID=17.login PBS_NODEFILE="$T/aux/7.login"
refused "PBS_NODEFILE: cannot read the hostfile $T/aux/8.login: No such file or directory: \
has job 8 of PBS ended?" \
    '... with one that is gone' PBS_JOBID=8.login PBS_NODEFILE="$T/aux/8.login"
ok 'nothing was started' [ ! -e "$PWD/started" ]

# Hosts that were not given; what cannot be known is left to the person.
or='name one of them, or a --launch-agent'
echo 'n1' >"$T/nodes"
run $nobody env PBS_NODEFILE="$T/nodes" PBS_JOBID=7 hector-run -H n2 true
is "$status $(cat "$T/err")" \
    "2 hector: n2 is not a host of PBS 7, which has given n1: $or" \
    '-H outside of an allocation'
echo 'n2 slots=1' >"$T/hostfile"
run $nobody env LSB_MCPU_HOSTS='n1 2 n3.x.org 2' LSB_JOBID=9 \
    hector-run --hostfile "$T/hostfile" true
is "$status $(cat "$T/err")" \
    "2 hector: n2 is not a host of LSF 9, which has given n1 and others: $or" \
    '--hostfile outside of it'
here=$(uname -n)
run $nobody env LSB_MCPU_HOSTS="$here 2" hector-run -H "$here" echo here
is "$status $(out)$(cat "$T/err")" '0 here' 'a host that is inside'
run $nobody env LSB_MCPU_HOSTS="n1 2" hector-run --launch-agent "echo no" -H n2 true
is "$status" 125 'somebody else is named who gets there: his affair'
run $nobody env LSB_MCPU_HOSTS="$here 2" hector-run -n 3 echo here
is "$status $(out | xargs) $(cat "$T/err")" \
    '0 here here here hector: 3 tasks, where LSF has granted 2: oversubscribed' \
    'more tasks than granted: one warning'
run $nobody env LSB_MCPU_HOSTS="$here 2" hector-run -n 3 --oversubscribe echo here
is "$status $(cat "$T/err")" '0 ' '... unless it is meant'

# The one that starts slaves is not there.
mkdir "$T/bin"
for p in env sh; do ln -s "$(command -v $p)" "$T/bin/$p"; done
run $nobody env PATH="$BIN:$T/bin" SLURM_JOB_ID=7 SLURM_JOB_NODELIST='n[1-2]' hector-run true
is "$status $(cat "$T/err")" \
    '125 hector: no srun in PATH, which is to start a slave on other hosts' \
    'Slurm without srun'

# Variables of two: as long as nobody above us tells, Slurm is looked at before others.
run $nobody env PBS_NODEFILE="$T/none" SLURM_JOB_ID=7 SLURM_JOB_NODELIST="$here" \
    hector-run -v echo here
is "$status $(out)" '0 here' 'variables of Slurm and of PBS'
like "$T/err" 'hector: Slurm 7 in PBS: the first one says which hosts there are' \
    '... said with --verbose'
done_testing
