#!/bin/sh
# pbs.sh - a job in PBS: qsub pbs.sh
#PBS -l nodes=2:ppn=2
#PBS -l walltime=4:00:00
cd "$PBS_O_WORKDIR" || exit
exec hector-run --launch-agent pbs_tmrsh --on-hang kill ./tide april.in >tide.out
