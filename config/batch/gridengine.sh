#!/bin/sh
# gridengine.sh - a job in Grid Engine: qsub gridengine.sh
#$ -cwd -S /bin/sh
#$ -pe mpi 4
#$ -l h_rt=4:00:00
exec hector-run --on-hang kill ./tide april.in >tide.out
