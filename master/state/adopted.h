/* adopted.h - what is known of a job whose tasks others have started, besides
 * what is known of any job; adopt.h says what happens to it. */
#ifndef HECTOR_ADOPTED_H
#define HECTOR_ADOPTED_H

#include <stdbool.h>

struct job;

struct adopt {
    struct job *session;        /* borrowed; the job itself if it is one; NULL
                                   when the session is gone */
    struct job *worlds;         /* borrowed: further ones of a session */
    struct job *next;           /* in that list */
    char *world;                /* owned; NULL: no task has come yet */
    bool named;                 /* the user has named the job */
    bool closing;               /* no more tasks will come */
    bool known;                 /* the exit code is */
    int code;
    bool left;                  /* a task went without MPI_Finalize */
};

#endif
