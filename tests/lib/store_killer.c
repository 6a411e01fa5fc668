/* store_killer.c - in front of SQLite: a master ends as by kill -9 right behind
 * the transaction in which a row has come into the table that KILL_AT begins
 * with, with all of the texts that it names besides ("rung leave doing"); or,
 * once, the processes whose pids are in the file KILL_PIDS do, or get the signal
 * KILL_SIGNAL. Preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char into[80], words[4][40];
static int nwords = -1;
static unsigned seen;
static sqlite3_stmt *of;        /* whose texts those seen are */
static int armed;

static void read_wish(void)
{
    char table[40] = "";
    const char *at = getenv("KILL_AT");

    nwords = at ? sscanf(at, "%39s %39s %39s %39s %39s", table, words[0], words[1],
                         words[2], words[3]) - 1 : 0;
    snprintf(into, sizeof(into), "INTO %s(", table);
}

int sqlite3_bind_text(sqlite3_stmt *s, int i, const char *text, int n,
                      void (*f)(void *))
{
    int (*real)(sqlite3_stmt *, int, const char *, int, void (*)(void *)) =
        (int (*)(sqlite3_stmt *, int, const char *, int, void (*)(void *)))
        dlsym(RTLD_NEXT, "sqlite3_bind_text");
    size_t len = text ? n < 0 ? strlen(text) : (size_t)n : 0;
    const char *sql = sqlite3_sql(s);

    if (nwords < 0)
        read_wish();
    if (nwords > 0 && sql && strstr(sql, into)) {
        seen = of == s ? seen : 0;
        of = s;
        for (int k = 0; k < nwords; k++)
            if (len == strlen(words[k]) && memcmp(text, words[k], len) == 0)
                seen |= 1u << k;
        armed |= seen == (1u << nwords) - 1;
    }
    return real(s, i, text, n, f);
}

static void strike(void)
{
    const char *name = getenv("KILL_PIDS"), *sig = getenv("KILL_SIGNAL");
    FILE *f = name && *name ? fopen(name, "r") : NULL;
    int pid;

    if (!name || !*name)
        kill(getpid(), SIGKILL);
    while (f && fscanf(f, "%d", &pid) == 1)
        kill(pid, sig ? atoi(sig) : SIGKILL);
    if (f)
        fclose(f);
    armed = nwords = 0;
}

int sqlite3_step(sqlite3_stmt *s)
{
    int (*real)(sqlite3_stmt *) =
        (int (*)(sqlite3_stmt *))dlsym(RTLD_NEXT, "sqlite3_step");
    const char *sql = sqlite3_sql(s);
    int commits = armed && sql && strcmp(sql, "COMMIT") == 0, rc = real(s);

    if (s == of)
        of = NULL;
    if (commits && rc == SQLITE_DONE)
        strike();
    return rc;
}
