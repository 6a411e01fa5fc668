# slurm.sh - a real Slurm over the simulated hosts of t.sh, for a test that
# says
#
#     . "${0%/*}/../lib/t.sh"
#     . "$top/tests/lib/slurm.sh"
#     slurm N
#
# first thing: as after `hosts N`, but n1..nN run a slurmd each, `login`, where
# the test is, munged and slurmctld, and sbatch, salloc, srun and scancel work.
# Each node has four processors and the partition all of them, which several
# jobs may share. Everything is in $T and in the hosts' own network, and ends
# with the test. $slurm_more are lines for slurm.conf, $slurm_node what a node has, or
# $slurm_nodes the lines of all of them, and $slurm_tasks the TaskPlugin; after
# slurm_cgroups jobs are in control groups. Where there is no Slurm, or no root, which
# its daemons insist on, the file is skipped.
# shellcheck shell=sh disable=SC2154 # $T is t.sh's

as=             # words before sbatch, salloc and hector-run: $nobody of nobody.sh
slurm()         # N
{
    [ "$(id -u)" = 0 ] || skip_all "Slurm's daemons run as root only"
    need munged slurmctld slurmd slurmstepd srun salloc sbatch scancel sinfo
    # shellcheck disable=SC2046 # names
    unset $(env | sed -n 's/^\(SLURM[A-Z0-9_]*\)=.*/\1/p')
    hosts "$1"
    slurm_dir=$T/slurm
    mkdir -p "$slurm_dir/state" "$slurm_dir/munge"
    slurm_conf "$1" >"$slurm_dir/slurm.conf"
    export SLURM_CONF="$slurm_dir/slurm.conf"
    slurm_munge || slurm_fail 'no munged'
    slurm_control
    for slurm_h in $t_hosts; do
        slurmd_on "$slurm_h"
    done
    wait_for "[ \"\$(sinfo -h -p all -N -o %t 2>/dev/null | grep -cx idle)\" = $1 ]" ||
        slurm_fail 'the nodes do not come up'
}

# Control groups of version 1, those of the machine: there Slurm wants the root of each
# hierarchy. Nodes of other tests have the same names, so one at a time.
slurm_cgroups()
{
    for slurm_g in cpuset memory freezer; do
        slurm_g=/sys/fs/cgroup/$slurm_g
        if ! [ -f "$slurm_g/release_agent" ] || ! mkdir "$slurm_g/hct.$$" 2>/dev/null
        then
            skip_all "no control groups can be had: $slurm_g"
        fi
        rmdir "$slurm_g/hct.$$"
    done
    exec 9>/run/lock/hector-slurm-cgroups
    flock 9 || skip_all 'control groups are in use'
    slurm_cgroups_left
    if ls -d /sys/fs/cgroup/*/slurm_n[1-9] >/dev/null 2>&1; then
        skip_all 'another Slurm has control groups here'
    fi
    mkdir -p "$T/slurm"
    cat >"$T/slurm/cgroup.conf" <<'END'
CgroupMountpoint=/sys/fs/cgroup
CgroupAutomount=no
CgroupPlugin=cgroup/v1
ConstrainCores=yes
ConstrainRAMSpace=yes
ConstrainSwapSpace=yes
END
    # shellcheck disable=SC2034 # slurm_conf's
    slurm_tasks=task/cgroup,task/affinity slurm_track=cgroup slurm_select=CR_Core_Memory
}
slurm_cgroups_left()    # those of nodes, that no process is in
{
    find /sys/fs/cgroup/*/slurm_n[1-9] -depth -type d -exec rmdir {} + 2>/dev/null || :
}

slurm_fail()    # WHY: a Slurm that does not start is no reason to skip
{
    for slurm_log in munged slurmctld; do
        sed "s/^/$slurm_log: /" "$T/$slurm_log.log"
    done >&2
    fail "a real Slurm: $1"
    exit 1
}

slurm_left()    # processes that are neither the test's nor Slurm's daemons
{
    for slurm_p in $(t_processes); do
        case $(cat "/proc/$slurm_p/comm" 2>/dev/null) in
        '' | munged | slurmctld | slurmscriptd | slurmd) ;;
        *) tr '\0' ' ' <"/proc/$slurm_p/cmdline"; echo "($slurm_p)" ;;
        esac
    done 2>/dev/null
}

slurm_strays()  # HOST...: processes there of other sessions than the test's, of
{               # which Slurm's daemons are, whatever they are called
    slurm_sid=$(ps -o sid= -p $$)
    for slurm_h in "$@"; do
        slurm_p=$(processes_of "$slurm_h" | paste -sd,)
        [ -n "$slurm_p" ] || continue
        ps -o sid=,pid=,args= -p "$slurm_p" |
            awk -v sid="$slurm_sid" -v host="$slurm_h" \
                '$1 != sid { $1 = host ":"; print }'
    done
}
slurm_stopped() # PROGRAM: how many processes of it stand, on any host
{
    for slurm_h in $t_hosts; do
        for slurm_p in $(processes_of "$slurm_h"); do
            grep -qs "^[0-9]* ($1) T" "/proc/$slurm_p/stat" && echo "$slurm_p"
        done
    done | wc -l
}
slurm_queue()   # the jobs in the queue, but one that $lasts
{
    { squeue -h -o %A || echo 'nobody knows'; } | grep -vx "${lasts:-none}"
}

slurm_over()    # back when no node is still being cleared of a job before
{
    # What a slurmd has said while slurmctld was away it says again minutes later.
    wait_for '[ -z "$(slurm_queue)" ]'
}

# srun that gets SIGTERM has its step killed, the slave among it, which may need longer
# to put away what it has: the next one of the same user does.
slurm_sweep()
{
    for slurm_h in $t_hosts; do
        # shellcheck disable=SC2086 # words
        ! on "$slurm_h" ls -A "$TMPDIR" /dev/shm | grep -q '^hector-' ||
            on "$slurm_h" $as hector-run -n 1 true >&2
    done
}
slurm_clear()   # DESCRIPTION: a test: no job in the queue, nothing left of any, by
{               # the environment that it had and by the hosts that it was on
    # shellcheck disable=SC2086 # names
    if wait_only '[ -z "$(squeue -h)$(slurm_left)$(slurm_strays $t_hosts)" ]' 300; then
        pass "$1"
    else
        fail "$1" "$(squeue)" "$(slurm_left)" "$(slurm_strays $t_hosts)"
    fi
    slurm_sweep
}

# ------------------------------------------------------------- jobs in it
alloc()         # ARGUMENT...: of salloc, and the command
{
    slurm_over
    # shellcheck disable=SC2086 # words
    run $as salloc -Q "$@"
}
batch()         # ARGUMENT...: of sbatch, and a script from stdin; $status is
{               # the script's, its output in $T/out and $T/err
    { echo '#!/bin/sh'; cat; } >"$T/script"
    slurm_over
    fresh out err
    [ -z "$as" ] || chmod 666 "$T/out" "$T/err"
    status=0
    # shellcheck disable=SC2086 # words
    $as sbatch -Q --wait -o "$T/out" -e "$T/err" "$@" "$T/script" >/dev/null ||
        status=$?
}
submit()        # ARGUMENT...: of sbatch, and a script from stdin, which runs a
{               # job of Hector: $id is Slurm's number
    { echo '#!/bin/sh'; cat; } >"$T/script"
    slurm_over
    fresh out err
    [ -z "$as" ] || chmod 666 "$T/out" "$T/err"
    id=$($as sbatch --parsable -o "$T/out" -e "$T/err" "$@" "$T/script")
    job=$((${job:-$(sql 'SELECT max(job) FROM jobs')} + 1))
    wait_for 'sql "SELECT state FROM jobs WHERE job = $job" 2>/dev/null |
        grep -q running'
}
ended()         # MORE ("", ", COLUMN"): how the two of them say it has ended
{
    slurm_over
    echo "$(scontrol show job "$id" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p')" \
        "$(sql "SELECT state, exit_code${1:-} FROM jobs WHERE job = $job")"
}

# ------------------------------------------------------------- its daemons
slurm_control() # $slurmctld is its pid
{
    start slurmctld slurmctld -D -f "$SLURM_CONF"
    # shellcheck disable=SC2034 # the tests'
    slurmctld=$started
}
slurm_stop()    # slurmctld, which keeps what it knows
{
    kill -TERM "$slurmctld"
    wait_for "! kill -0 $slurmctld 2>/dev/null"
}
slurm_again()   # ... and is there again
{
    slurm_control
    wait_for 'scontrol ping 2>/dev/null | grep -q UP'
}
slurmd_on()     # HOST
{
    start "slurmd-$1" sh "$AGENT" "$1" slurmd -D -f "$SLURM_CONF" -N "$1"
}
slurmd_of()     # HOST: its pid, which is of the session that the test is of
{
    for slurm_p in $(processes_of "$1"); do
        [ "$(cat "/proc/$slurm_p/comm")" != slurmd ] || echo "$slurm_p"
    done 2>/dev/null
}
slurm_state()   # NODE: idle, mixed, down, drained ...
{
    sinfo -h -N -p all -n "$1" -o %T
}
slurm_back()    # HOST: after all on it were killed, as a machine that is on again
{
    on "$1" sh -c 'rm -rf "$TMPDIR"/hector-* /dev/shm/hector-*'
    slurmd_on "$1"
    scontrol update NodeName="$1" State=resume 2>/dev/null
    wait_for "slurm_state $1 | grep -Eqx 'idle|mixed|allocated'"
}

slurm_munge()
{
    (umask 077; head -c 1024 /dev/urandom >"$slurm_dir/munge/key")
    chmod 755 "$slurm_dir/munge"
    start munged munged --foreground --force --num-threads=2 \
        --key-file="$slurm_dir/munge/key" \
        --socket="$slurm_dir/munge/socket" \
        --pid-file="$slurm_dir/munge/pid" \
        --log-file="$slurm_dir/munge/log" --seed-file="$slurm_dir/munge/seed"
    # shellcheck disable=SC2034 # the tests'
    munged=$started
    wait_for "[ -S '$slurm_dir/munge/socket' ]"
}

slurm_more=
slurm_conf()    # N
{
    cat <<END
$slurm_more
ClusterName=hector
SlurmctldHost=login(10.66.0.254)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm_dir/munge/socket,cred_expire=5
CryptoType=crypto/munge
StateSaveLocation=$slurm_dir/state
SlurmdSpoolDir=$slurm_dir/spool.%n
SlurmctldPidFile=$slurm_dir/slurmctld.pid
SlurmdPidFile=$slurm_dir/slurmd.%n.pid
TmpFS=$TMPDIR
ProctrackType=proctrack/${slurm_track:-linuxproc}
TaskPlugin=${slurm_tasks:-task/none}
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=${slurm_select:-CR_Core}
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=1,requeue_delay=0
JobAcctGatherType=jobacct_gather/none
KillWait=30
Licenses=queue:3
ReturnToService=2
PropagateResourceLimits=NONE
SlurmdParameters=config_overrides
${slurm_nodes:-NodeName=n[1-$1] NodeAddr=10.66.0.[1-$1] ${slurm_node:-CPUs=4} RealMemory=1000}
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=all Nodes=n[1-$1] Default=YES State=UP OverSubscribe=FORCE:4
PartitionName=low Nodes=n[1-$1] State=UP PriorityTier=1
PartitionName=high Nodes=n[1-$1] State=UP PriorityTier=9
END
}
