/* options_adopt.c - options that mean nothing for tasks that others start.
 * Part of options.h. */
#include <errno.h>
#include <string.h>

#include "proto/base/parse.h"
#include "redirector/options/options.h"

static const char tasks[] = "its launcher starts the tasks",
    streams[] = "the tasks' streams are their launcher's",
    here[] = "the command has our directory and environment";

static const struct { const char *name, *why; } refused[] = {
    { "-n", tasks },
    { "-N", tasks },
    { "--pernode", tasks },
    { "--map-by", tasks },
    { "--bynode", tasks },
    { "--byslot", tasks },
    { "--oversubscribe", tasks },
    { "--wdir", here },
    { "-x", here },
    { "-genv", here },
    { "--migratable", tasks },
    { "--checkpoint-dir", tasks },
    { "--checkpoint-every", tasks },
    { "--checkpoint-local", tasks },
    { "--checkpoint-rate", tasks },
    { "--max-restarts", tasks },
    { "--restart", tasks },
    { "--inject", tasks },
    { "--phase", here },
    { "--stdin", streams },
    { "--label", streams },
    { "--tag-output", streams },
    { "--timestamp-output", streams },
    { "--output-dir", streams },
    { "--merge-stderr-to-stdout", streams },
    { "--pty", streams },
    { "--buffer", streams },
    { "--unbuffered", streams },
};

bool options_adopts(const struct options *o)
{
    return o->adopt || o->adopt_env;
}

int options_check_adopt(const struct options *o, struct err *err)
{
    const char *mode = o->adopt_env ? "--adopt-env" : "--adopt";
    uint64_t pid;

    if (!options_adopts(o))
        return 0;
    if (o->adopt && o->adopt_env)
        return err_set(err, EINVAL, "--adopt runs a command, --adopt-env "
                       "watches a shell; give one of them");
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (options_seen(o, refused[i].name))
            return err_set(err, EINVAL, "%s has no use with %s: %s",
                           refused[i].name, mode, refused[i].why);
    if (o->napps > 1)
        return err_set(err, EINVAL, "--adopt stands in front of the whole "
                       "command");
    if (o->adopt)
        return 0;
    if (o->apps[0].argc > 0)
        return err_set(err, EINVAL, "--adopt-env takes no command: it is the "
                       "shell that is watched");
    if (o->timeout_ns)
        return err_set(err, EINVAL, "--timeout has no use with --adopt-env: "
                       "the shell is not ours to end");
    if (*o->adopt_env && parse_u64(&pid, o->adopt_env, 2, 1 << 30, NULL) < 0)
        return err_set(err, EINVAL, "--adopt-env=%.40s: the number of a "
                       "process is wanted, as $$", o->adopt_env);
    return 0;
}
