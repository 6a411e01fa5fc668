/* options_adopt.c - options that mean nothing for tasks that others start.
 * Part of options.h. */
#include <errno.h>

#include "proto/base/parse.h"
#include "redirector/options/options.h"
#include "redirector/options/usage.h"

static const char tasks[] = "its launcher starts the tasks",
    streams[] = "the tasks' streams are their launcher's",
    here[] = "the command has our directory and environment";

static const struct { enum usage_id id; const char *name, *why; } refused[] = {
    { USAGE_NTASKS, "-n", tasks },
    { USAGE_PER_NODE, "-N", tasks },
    { USAGE_PER_NODE_ONE, "--pernode", tasks },
    { USAGE_MAP_BY, "--map-by", tasks },
    { USAGE_BY_NODE, "--bynode", tasks },
    { USAGE_BY_SLOT, "--byslot", tasks },
    { USAGE_OVERSUBSCRIBE, "--oversubscribe", tasks },
    { USAGE_WDIR, "--wdir", here },
    { USAGE_EXPORT, "-x", here },
    { USAGE_GENV, "-genv", here },
    { USAGE_INJECT, "--inject", tasks },
    { USAGE_PHASE, "--phase", here },
    { USAGE_STDIN, "--stdin", streams },
    { USAGE_LABEL, "--label", streams },
    { USAGE_TAG, "--tag-output", streams },
    { USAGE_TIMESTAMP, "--timestamp-output", streams },
    { USAGE_OUTPUT_DIR, "--output-dir", streams },
    { USAGE_MERGE, "--merge-stderr-to-stdout", streams },
    { USAGE_PTY, "--pty", streams },
    { USAGE_BUFFER, "--buffer", streams },
    { USAGE_UNBUFFERED, "--unbuffered", streams },
};

int options_check_adopt(const struct options *o, struct err *err)
{
    const char *mode = o->adopt_env ? "--adopt-env" : "--adopt";
    uint64_t pid;

    if (!o->adopt && !o->adopt_env)
        return 0;
    if (o->adopt && o->adopt_env)
        return err_set(err, EINVAL, "--adopt runs a command, --adopt-env "
                       "watches a shell; give one of them");
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (o->seen & (uint64_t)1 << refused[i].id)
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
