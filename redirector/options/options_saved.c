/* options_saved.c - what of the options goes with checkpoints. Part of options.h. */
#include <errno.h>
#include <string.h>

#include "proto/conf/onhang.h"
#include "redirector/options/options.h"

/* Times that a job goes back, unless somebody says so. */
enum { RESTARTS = 3 };
/* Bytes a second that a node copies, unless somebody says so. */
enum { RATE = 100 << 20 };

/* All that is in the images. */
static const char *const with_images[] = {
    "--wdir", "-x", "-genv", "--buffer", "--unbuffered", "--inject", "--phase",
};

static int check_restart(const struct options *o, struct err *err)
{
    for (size_t i = 0; i < sizeof(with_images) / sizeof(with_images[0]); i++)
        if (options_seen(o, with_images[i]))
            return err_set(err, EINVAL, "%s has no use with --restart: the "
                           "tasks go on as they were saved", with_images[i]);
    return 0;
}

static bool moves_on_hang(const struct options *o)
{
    struct onhang h;

    return o->on_hang && onhang_parse(&h, o->on_hang, NULL) == 0 &&
           h.action == ONHANG_MIGRATE;
}

static int check_local(struct options *o, struct err *err)
{
    if (o->checkpoint_local && !o->checkpoint_dir)
        return err_set(err, EINVAL, "--checkpoint-local needs --checkpoint-dir "
                       "DIR: where are the images to be copied to?");
    if (o->checkpoint_local && *o->checkpoint_local != '/')
        return err_set(err, EINVAL, "--checkpoint-local \"%.80s\": a directory of "
                       "each node is wanted, which begins with /",
                       o->checkpoint_local);
    if (!o->checkpoint_local && o->checkpoint_rate)
        return err_set(err, EINVAL, "--checkpoint-rate needs --checkpoint-local "
                       "DIR: else nothing is copied");
    if (o->checkpoint_local && !o->checkpoint_rate)
        o->checkpoint_rate = RATE;
    return 0;
}

int options_check_saved(struct options *o, struct err *err)
{
    const char *option = o->checkpoint_dir ? "--checkpoint-dir" : "--restart";

    if (!o->checkpoint_dir && o->checkpoint_every_ns)
        return err_set(err, EINVAL, "--checkpoint-every needs --checkpoint-dir "
                       "DIR: where are the checkpoints to be?");
    if (!o->checkpoint_dir && o->before_limit &&
        strcmp(o->before_limit, "checkpoint") == 0)
        return err_set(err, EINVAL, "--before-limit TIME:checkpoint needs "
                       "--checkpoint-dir DIR: where is it to be?");
    if (check_local(o, err))
        return -1;
    if (!o->checkpoint_dir && options_seen(o, "--max-restarts"))
        return err_set(err, EINVAL, "--max-restarts needs --checkpoint-dir DIR: "
                       "there is nothing to go back to without");
    if (!options_saves(o) && !o->migratable && moves_on_hang(o))
        return err_set(err, EINVAL, "--on-hang migrate needs --migratable: no "
                       "task can be moved without");
    if (!options_saves(o))
        return 0;
    if (o->pty)
        return err_set(err, EINVAL, "--pty has no use with %s: a terminal "
                       "cannot be saved", option);
    if (o->restart && check_restart(o, err))
        return -1;
    o->migratable = true;
    if (o->checkpoint_dir && !options_seen(o, "--max-restarts"))
        o->max_restarts = RESTARTS;
    return 0;
}

bool options_saves(const struct options *o)
{
    return o->checkpoint_dir || o->restart;
}
