/* process.h - child processes of tests: their state, and their end. */
#ifndef HECTOR_TESTS_PROCESS_H
#define HECTOR_TESTS_PROCESS_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* R or S, not t (traced) or T. */
static char state_of(pid_t pid)
{
    char path[40], text[400];
    FILE *f;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    assert_non_null(f);
    n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    text[n] = '\0';
    return *(strrchr(text, ')') + 2);
}

#endif
