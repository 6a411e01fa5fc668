/* stackcmd.h - hector-slave --stack: takes the stacks of any processes of this
 * node, without a daemon, and writes their call tree to stdout as one CallTree
 * (hct.proto). What hector stack --pid calls. */
#ifndef HECTOR_STACKCMD_H
#define HECTOR_STACKCMD_H

/* words: PID[,PID]... SAMPLES INTERVAL_NS LINES THREADS, the last two 0 or
 * 1. Returns an exit status. */
int stackcmd_run(int nwords, char **words);

#endif
