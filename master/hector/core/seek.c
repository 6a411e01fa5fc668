/* seek.c - where the master is. */
#include "master/hector/core/seek.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "master/store/query.h"
#include "proto/base/paths.h"

struct place { char *address; bool found, ended; };

static int on_address(void *arg, const char *address, bool ended)
{
    struct place *p = arg;

    p->found = true;
    p->ended = ended;
    if (address)
        snprintf(p->address, ADDR_LIST_MAX, "%s", address);
    return 0;
}

static int ask_database(const struct tool *t, uint64_t job, struct place *p,
                        struct err *err)
{
    struct store *st = tool_open_store(t);
    int rc;

    if (!st)
        return err_set(err, ENOENT, "cannot look for its master");
    rc = query_address(st, job, on_address, p, err);
    store_close(st);
    return rc;
}

int seek_master(const struct tool *t, uint64_t job,
                char address[ADDR_LIST_MAX], struct err *err)
{
    struct place p = { .address = address };

    address[0] = '\0';
    if (t->address) {
        snprintf(address, ADDR_LIST_MAX, "%s", t->address);
        return 0;
    }
    if (ask_database(t, job, &p, err))
        return -1;
    if (!p.found)
        return err_set(err, ESRCH, job ? "there is no such job"
                                       : "there is no master; name it with"
                                         " -s ADDRESS");
    if (p.ended)
        return err_set(err, ESRCH, job ? "it has ended"
                                       : "the last master has ended");
    if (!address[0])
        return err_set(err, ENOENT, "its master has left no address;"
                       " name it with -s ADDRESS");
    return 0;
}

int seek_key(const char *address, struct conn_conf *conf, struct key *key,
             struct err *err)
{
    char path[PATHS_MAX];

    if (!strstr(address, "tcp:"))
        return 0;
    if (paths_key_file(path, sizeof(path), err) || key_load(key, path, err))
        return -1;
    conf->key = key;
    return 0;
}
