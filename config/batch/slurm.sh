#!/bin/sh
# slurm.sh - a job in Slurm: sbatch slurm.sh
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --time=4:00:00
exec hector-run --on-hang kill --before-limit 2m:USR1 ./tide april.in >tide.out
