/* stacker_note.c - sentences about tasks whose stacks could not be taken. */
#include "slave/stacks/stacker_note.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void note_set(char note[STACKER_NOTE], const char *fmt, ...)
{
    va_list ap;

    if (*note)
        return;
    va_start(ap, fmt);
    vsnprintf(note, STACKER_NOTE, fmt, ap);
    va_end(ap);
}

void note_gone(char note[STACKER_NOTE], pid_t pid)
{
    char path[40];
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    f = pid > 0 ? fopen(path, "re") : NULL;
    if (!f && (errno == EACCES || errno == EPERM) && pid > 0) {
        note_set(note, "we may not look at it: it is another user's, or has"
                 " more rights than we");
        return;
    }
    if (f)
        fclose(f);
    note[0] = '\0';
    note_set(note, "there is no such process any more");
}

/* Where in the kernel a thread sleeps, as far as we may know. */
void note_late(char note[STACKER_NOTE], pid_t tid)
{
    char path[40], where[60] = "";
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/wchan", (int)tid);
    f = fopen(path, "re");
    if (f && !fgets(where, sizeof(where), f))
        where[0] = '\0';
    if (f)
        fclose(f);
    if (*where && strcmp(where, "0") != 0)
        note_set(note, "it does not stop: it sleeps in the kernel, in %s",
                 where);
    else
        note_set(note, "it does not stop: it sleeps in the kernel, or gets no"
                 " processor");
}

void note_told(char note[STACKER_NOTE], const char *why, pid_t pid)
{
    char path[40];
    struct stat st;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    if (pid > 0 && stat(path, &st) == 0 && st.st_nlink > 2 + 1)
        note_set(note, "%s: only its main thread has told its stack", why);
    else
        note_set(note, "%s: the task has told its stack itself", why);
}
