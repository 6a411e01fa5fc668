#!/bin/sh
# slurm-again.sh - a job in Slurm that goes on where it was, when Slurm begins it again
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --time=4:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
saved=$PWD/saved
if ls "$saved"/*/checkpoint >/dev/null 2>&1
then set -- --restart "$saved"
else set -- ./tide april.in
fi
hector-run --checkpoint-dir "$saved" --checkpoint-every 20m \
    --before-limit 2m:kill "$@" </dev/null
status=$?
[ $status -ne 124 ] || scontrol requeue "$SLURM_JOB_ID"
exit $status
