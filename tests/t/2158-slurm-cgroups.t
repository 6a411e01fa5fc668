# Jobs of an ordinary user in control groups of a real Slurm (proctrack/cgroup, task/cgroup
# with task/affinity, cores and memory constrained): slaves and tasks are in those of their
# job, a job that is cancelled leaves nothing there, and a task that had no more memory is
# named, with why.
# limit: 60
# shellcheck disable=SC2034,SC2086,SC2154 # slurm.sh's; $id is submit's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
if ! taskset -c 0 true || ! taskset -c 1 true; then
    skip_all 'processors 0 and 1 are wanted'
fi
slurm_node='CPUs=2 Sockets=1 CoresPerSocket=2 ThreadsPerCore=1'
slurm_more='PartitionName=own Nodes=n[1-2] OverSubscribe=NO'
slurm_cgroups
slurm 2
nobody_only
job=0
cat >task <<'END'
#!/bin/sh
group() { sed -n 's/^[0-9]*:memory:.*\(job_[0-9]*\).*/\1/p' "/proc/$1/cgroup"; }
cpus() { sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/status"; }
echo "task on $(uname -n) in $(group $$), slave in $(group $PPID), cpus $(cpus $$)"
END
chmod 755 task
batch -p own -N2 -n4 --mem=300 <<'END'
hector-run ./task
hector-run "$APPS/hello"
seq 1000 | hector-run --stdin all cat | sort -n | uniq -c | awk '$1 == 4' | wc -l
hector-run "$APPS/exits" 1 exit 7
END
is "$status $(grep '^task on' "$T/out" | sort | uniq -c | sed 's/^ *//; s/job_[0-9]*/J/g')" \
    "7 2 task on n1 in J, slave in J, cpus 0-1
2 task on n2 in J, slave in J, cpus 0-1" 'tasks and slaves are in the control groups of the job'
is "$(grep -c '^task [0-3] of 4' "$T/out")" 4 '... where a program of MPI runs'
is "$(tail -n 1 "$T/out")" 1000 '... the streams are whole'

batch -p own -N2 -n2 --mem=100 <<'END'
hector-run sh -c '[ "$PMIX_RANK" = 0 ] && exec sleep 1000; exec tail /dev/zero'
END
is "$status" 137 'a task that wants more memory than the job may have'
like "$T/err" "^hector: task 1 on n2 was killed by signal 9 \\(Killed\\): the memory that its \
control group may have was used up\$" '... is named, with why'
batch -p own -N1 -n1 --mem=100 <<'END'
hector-run sh -c 'tail /dev/zero; exit $?'
END
is "$(sql 'SELECT state, exit_code FROM jobs ORDER BY job DESC LIMIT 1')" 'failed|137' \
    'a process of a task that does so'
like "$T/err" '^hector: task 0 on n[12] exited with code 137: the memory that .* used up$' \
    '... is told of'
batch -p own -N1 -n1 --mem=100 <<'END'
hector-run sh -c 'kill -KILL $$'
END
like "$T/err" '^hector: task 0 on n[12] was killed by signal 9 \(Killed\)$' \
    'a signal of somebody else is that'

# ------------------------------------------------------------------ it ends
job=$(sql 'SELECT max(job) FROM jobs')
submit -p own -N2 -n4 --mem=300 <<'END'
exec hector-run sh -c 'trap "" TERM; while :; do sleep 0.1; done'
END
$nobody scancel "$id"
is "$(ended ', reason')" 'CANCELLED killed|143|cancelled' 'a job that is cancelled'

# Where a shell is the first process it ends by the signal, and Slurm kills the rest of
# the step at once: there may be no time to record why, or that.
by_shell()      # ARGUMENT...: of sbatch
{
    submit -p own -N2 -n4 --mem=300 "$@" <<'END'
eval "$stays"
hector-run sleep 1000
echo "status $?" >status
END
    host=$(squeue -h -j "$id" -o %B)
}
found()         # STATE-IN-SLURM DESCRIPTION
{
    slurm_over
    wait_for 'on "$host" $nobody hector ps >>ps 2>&1 && [ -n "$(sql "SELECT ended_ns FROM jobs
        WHERE job = $job")" ]'
    ended ', reason' >how
    cat how >&2
    like how "^$1 (killed\\|143\\|(cancelled|time limit)?|failed\\|125\\|)\$" "$2"
}
by_shell
$nobody scancel "$id"
found CANCELLED 'a shell is above hector-run'
by_shell
$nobody scancel --batch --signal=KILL "$id"
found FAILED '... and is killed alone'
by_shell --time=600
scontrol update JobId="$id" EndTime=now+1
found TIMEOUT '... its time is over'
export stays='trap : TERM'
by_shell
$nobody scancel "$id"
is "$(ended ', reason') $(cat status)" 'CANCELLED killed|143|cancelled status 143' \
    '... it stays: why is known'
slurm_clear 'nothing of them is left'
procs() { find /sys/fs/cgroup/*/slurm_n[12] -name cgroup.procs -exec cat {} +; }
ok '... in any control group' wait_for '[ -z "$(procs)" ]'
slurm_cgroups_left
for h in $t_hosts; do           # of those that were killed at once
    on "$h" sh -c 'rm -rf "$TMPDIR"/hector-* /dev/shm/hector-*'
done
done_testing
