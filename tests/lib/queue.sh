# queue.sh - many jobs through the queue of a real Slurm, three at a time, four tasks
# each on two nodes: some end well, some fail, some are cancelled at a moment by lot;
# when half of them are over munged is killed and slurmctld goes, and both come back.
# Then the database has each once, with the right end. After `slurm 3`; $as goes
# before sbatch.
# shellcheck shell=sh disable=SC2034,SC2154 # by who reads it; slurm.sh's

queue_plan()    # JOBS SEED: a line for each: what it is, and after how many seconds
{
    awk -v n="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++) {
            lot = int(rand() * 10)
            kind = lot < 4 ? "good" : lot < 6 ? "fails" : "cancelled"
            printf "%s %.2f\n", lot < 9 ? kind : "dropped", rand() * 4
        }
    }'
}

queue_script()  # KIND SECONDS
{
    echo '#!/bin/sh'
    case $1 in
    good)      echo "exec hector-run sh -c 'sleep $2'" ;;
    fails)     echo "exec hector-run \"\$APPS/exits\" 2 exit 7" ;;
    # From inside, at that moment of the job, whatever Slurm does just then.
    cancelled) echo "(sleep $2; until scancel \$SLURM_JOB_ID; do sleep 0.2; done) &"
               echo 'exec hector-run sleep 1000' ;;
    dropped)   echo 'exec hector-run sleep 1000' ;;
    esac
}

queue_gone()    # how many of the campaign Slurm has not any more
{
    squeue -h -o %i >"$T/queued" 2>/dev/null || return
    cut -d' ' -f1 "$T/submitted" | grep -cvxFf "$T/queued"
}

queue_restart() # munged, killed, and slurmctld
{
    kill -KILL "$munged"
    rm -f "$slurm_dir/munge/socket"
    slurm_stop
    slurm_munge
    slurm_again
}

# Whom Slurm takes to run since a minute, though his script has never begun: the order to
# begin it was lost with munged. He is cancelled, and is none of ours.
queue_lost()
{
    squeue -h -t R -o '%M %i' | awk -F '[: ]' '$1 > 0 { print $NF }' >"$T/running"
    while read -r queue_id; do
        queue_n=$(grep -n "^$queue_id " "$T/submitted" | cut -d: -f1)
        [ ! -e "$T/jobs/$queue_n.err" ] && scancel "$queue_id" &&
            sed -i "s/^$queue_id .*/$queue_id dropped/" "$T/submitted"
    done <"$T/running"
}

# What has become of each: its number, kind and ends in the database.
queue_ends()
{
    while read -r queue_id queue_kind; do
        echo "$queue_id $queue_kind $(sql "SELECT state, exit_code, reason FROM jobs
            WHERE batch = 'Slurm $queue_id'" | xargs)"
    done <"$T/submitted"
}

queue_wrong()   # those of queue_ends that are not as they have to be
{
    # Who is cancelled before hector-run was there has no run at all.
    queue_cut='(cancelled|dropped)'
    grep -Ev "^[0-9]+ (good done\|0\||fails failed\|7\||$queue_cut killed\|143\|cancelled|\
$queue_cut )\$" "$T/ends"
}

queue_run()     # JOBS SEED: $T/ends is what has become of them
{
    echo "# seed $2: $1 jobs"
    queue_plan "$1" "$2" >"$T/plan"
    : >"$T/submitted"
    queue_n=0
    while read -r queue_kind queue_s; do
        queue_script "$queue_kind" "$queue_s" >"$T/script"
        queue_n=$((queue_n + 1))
        queue_id=$($as sbatch --parsable -N2 -n4 --ntasks-per-node=2 -L queue --time=600 \
            -o "$T/jobs/$queue_n.out" -e "$T/jobs/$queue_n.err" "$T/script") || return
        echo "$queue_id $queue_kind" >>"$T/submitted"
        [ "$queue_kind" != dropped ] || $as scancel "$queue_id"
    done <"$T/plan"
    [ "$queue_n" = "$1" ] || return
    wait_only "[ \"\$(queue_gone)\" -ge $(($1 / 2)) ]" $((60 + $1 * 6))
    queue_restart
    wait_only "queue_lost; [ \"\$(queue_gone)\" = $1 ]" $((120 + $1 * 6))
    queue_ends >"$T/ends"
}
