#!/bin/sh
# slurm-adopt.sh - tasks that srun starts, watched by Hector
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --time=4:00:00
exec hector-run --adopt --on-hang kill -- srun --mpi=pmix ./tide april.in >tide.out
