/* worker.h - a process that plays many daemons. */
#ifndef HECTOR_EMULATE_WORKER_H
#define HECTOR_EMULATE_WORKER_H

#include <sys/types.h>

#include "slave/emulate/daemon.h"

struct worker {
    pid_t pid;
    int control;                /* to it: what to do, a letter each */
    volatile struct daemon_count *count;        /* shared memory */
};
enum { WORKER_RUN = 'r', WORKER_STOP = 's',     /* samples and events */
       WORKER_QUIT = 'q' };

/* Start the number-th of all workers. It ends when told to. */
int worker_start(struct worker *w, const struct emulate *e,
                 const char *master, const char *dir,
                 const struct conn_conf *conn, uint32_t number,
                 struct err *err);
void worker_tell(const struct worker *w, char what);
void worker_end(struct worker *w);

#endif
