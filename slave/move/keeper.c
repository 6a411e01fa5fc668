/* keeper.c - see keeper.h. */
#include "slave/move/keeper.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/paths.h"
#include "proto/base/pipes.h"

static int start(struct keeper *k, const struct job *j, char *const *argv, int in,
                 struct err *err)
{
    char *no_env[] = { NULL };
    struct exec_search search;
    struct launch_spec spec = {
        .search = &search, .env = no_env, .wdir = "/", .user = &j->user };

    if (exec_search_init(&search, argv, NULL, err))
        return -1;
    if (pipes_open(&k->words, &spec.fds[2], true)) {
        exec_search_fini(&search);
        return err_sys(err, "cannot make a pipe");
    }
    spec.fds[0] = in;
    spec.fds[1] = site_null(j->part.node->site);
    k->pid = launch_start(&spec, &k->report, err);
    close(spec.fds[2]);
    exec_search_fini(&search);
    if (k->pid > 0)
        return 0;
    k->pid = 0;
    return -1;
}

int keeper_start(struct keeper *k, const struct job *j, char **argv, int in,
                 struct err *err)
{
    char program[PATHS_MAX];

    if (paths_sibling("hector-keep", program, sizeof(program), err))
        return -1;
    argv[0] = program;
    return start(k, j, argv, in, err);
}

void keeper_kill(const struct keeper *k)
{
    if (k->pid > 0)
        kill(-k->pid, SIGKILL);
}

void keeper_fini(struct keeper *k)
{
    if (k->report >= 0)
        close(k->report);
    if (k->words >= 0)
        close(k->words);
    *k = KEEPER_NONE;
}

int keeper_words(const struct keeper *k, const struct job *j, char *to, size_t size)
{
    const char *node = j->part.node->name;
    char words[400];
    ssize_t n = read(k->words, words, sizeof(words) - 1);
    struct exec_report r;

    words[n > 0 ? n : 0] = '\0';
    words[strcspn(words, "\n")] = '\0';
    if (launch_report(k->report, &r) == 1)
        exec_sentence(&r, node, "hector-keep", "/", to, size);
    else if (*words)
        snprintf(to, size, "%s: %s", node, strncmp(words, "hector-keep: ", 13)
                                           ? words : words + 13);
    else
        return -1;
    return 0;
}

void keeper_end_words(const struct keeper *k, const struct job *j, int status,
                      char *to, size_t size)
{
    const char *node = j->part.node->name;

    if (keeper_words(k, j, to, size) == 0)
        return;
    if (WIFSIGNALED(status))
        snprintf(to, size, "%s: hector-keep was killed by signal %d", node,
                 WTERMSIG(status));
    else
        snprintf(to, size, "%s: hector-keep exited with code %d", node,
                 WEXITSTATUS(status));
}
