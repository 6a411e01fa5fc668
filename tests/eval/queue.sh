#!/bin/sh
# queue.sh - a hundred jobs through the queue of a real Slurm: tests/t/2123 with more of
# them, see tests/lib/queue.sh.
#
# usage: HECTOR_BUILD=BUILD JOBS=100 SEED=1 sh queue.sh
JOBS=${JOBS:-100} exec sh "${0%/*}/../t/2123-slurm-queue.t"
