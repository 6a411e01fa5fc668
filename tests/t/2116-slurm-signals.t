# Signals that an ordinary user has a real Slurm send, by whatever name, in jobs of two
# nodes: those that a program may wait for go to all tasks, those that end it end the
# job. And a job on nodes that have not the same number of processors.
# limit: 90
# shellcheck disable=SC2034,SC2154 # slurm.sh's; $id is submit's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm_nodes='NodeName=n1 NodeAddr=10.66.0.1 CPUs=4 RealMemory=1000
NodeName=n2 NodeAddr=10.66.0.2 CPUs=2 RealMemory=1000
NodeName=n3 NodeAddr=10.66.0.3 CPUs=1 RealMemory=1000'
slurm 3
nobody_only

counts() { sort "$1" | uniq -c | awk '{ print $2 ":" $1 }' | xargs; }
uneven()        # COUNTS ARGUMENT...: of salloc
{
    uneven_are=$1
    shift
    slurm_over
    run $nobody salloc -Q "$@" sh -c 'srun uname -n >srun.out 2>/dev/null
        exec hector-run uname -n >hector.out'
    is "$status $(counts hector.out) $(cat "$T/err")" "0 $uneven_are " "salloc $*"
    [ "$uneven_are" != "$(counts srun.out)" ] || pass '... as many as of srun'
}
uneven 'n1:4 n2:2 n3:1' -N3 -n7
uneven 'n1:3 n2:1 n3:1' -N3 -n5
uneven 'n1:4 n2:2 n3:1' -N3 --exclusive
slurm_over
run $nobody salloc -Q -N3 -n7 hector-run "$APPS/hello"
is "$status $(grep -c '^task [0-6] of 7$' "$T/out")" '0 7' '... one program of MPI'

# Slurm sends them to the steps: the slave on the other node, not the first one's.
job=$(sql 'SELECT max(job) FROM jobs')
for sig in USR1 USR2 ALRM URG XCPU; do
    submit -N2 -n2 --ntasks-per-node=1 <<'END'
exec hector-run sh -c 'trap "echo got $PMIX_RANK; exit 0" USR1 USR2 ALRM URG XCPU
    echo up; while :; do sleep 0.1; done'
END
    wait_for '[ "$(grep -c up "$T/out")" = 2 ]'
    $nobody scancel -s "$sig" "$id"
    is "$(ended ', reason') $(grep got "$T/out" | sort -u | xargs)$(
        grep -v waiting "$T/err" | grep hector)" \
        'COMPLETED done|0| got 0 got 1' "$sig to the steps: its tasks get it"
done
for sig in INT QUIT HUP; do
    submit -N2 -n2 --ntasks-per-node=1 <<'END'
exec hector-run sleep 1000
END
    $nobody scancel -s "$sig" "$id"
    case $sig in INT) n=130 ;; QUIT) n=131 ;; HUP) n=129 ;; esac
    # Slurm may send it to the task as well, which may be faster.
    ended ', reason' >how
    like how "^FAILED (killed|failed)\\|$n\\|\$" "$sig to the steps: the job is ended"
    like "$T/err" "^hector: (SIG$sig to the slave|task [01]) on n[123]( |\$)" \
        '... which is said'
done
# What ends a program in the last minute, by number.
submit -N2 -n2 --ntasks-per-node=1 --signal=14@60 --time=600 <<'END'
exec hector-run sh -c 'trap "echo got $PMIX_RANK; exit 0" ALRM
    echo up; while :; do sleep 0.1; done'
END
wait_for '[ "$(grep -c up "$T/out")" = 2 ]'
scontrol update JobId="$id" EndTime=now+50
is "$(ended ', reason') $(grep got "$T/out" | sort -u | xargs)" \
    'COMPLETED done|0| got 0 got 1' 'sbatch --signal=14@60'
slurm_clear 'nothing of them is left'
done_testing
