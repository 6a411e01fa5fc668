/* main.c - hector-judge(8): one policy, in a process of its own. */
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "master/judge/confine.h"
#include "master/judge/policy.h"
#include "master/judge/serve.h"
#include "master/watch/judgewire.h"
#include "proto/base/args.h"

struct options {
    bool check;
    uint64_t memory_bytes;
    uint32_t uid;
};

#define OPTION(f) offsetof(struct options, f)
static const struct args_option options[] = {
    { NULL, "c check", ARGS_NONE, NULL,
      "can it be loaded, with these parameters?", args_flag, OPTION(check),
      0, 0 },
    { NULL, "m memory", ARGS_VALUE, "BYTES",
      "how much memory it may have; 0: no limit", args_u64,
      OPTION(memory_bytes), 0, INT64_MAX },
    { NULL, "u user", ARGS_VALUE, "UID", "whose rights to load it with",
      args_u32, OPTION(uid), 0, UINT32_MAX - 1 },
    ARGS_COMMON
};

static const struct args_program program = {
    "hector-judge",
    "usage: hector-judge -c POLICY\n"
    "Otherwise hector-master starts it, and hector replay: hector-judge(8).\n",
    options, sizeof(options) / sizeof(options[0])
};

/* A sentence on stdout, for who has asked. */
static int check(const char *policy)
{
    struct policy p;
    struct err err;

    confine_processes();
    if (policy_open(&p, policy, &err)) {
        puts(err.text);
        return 2;
    }
    policy_close(&p);
    return 0;
}

static int judge(const struct options *o, const char *policy)
{
    struct policy p = { 0 };
    struct err err;
    int rc = 1;

    confine_files(JUDGEWIRE_KEPT);
    if (confine_user((uid_t)o->uid, &err)) {
        serve_refuse(err.text);
        return 1;
    }
    confine_life();
    confine_memory(o->memory_bytes);
    confine_processes();
    if (policy_open(&p, policy, &err))
        serve_refuse(err.text);
    else
        rc = serve(&p);
    policy_close(&p);
    return rc;
}

int main(int argc, char **argv)
{
    struct options o = { .uid = (uint32_t)geteuid() };
    int word = 0, rc = args_program(&program, &o, argc, argv, &word);

    if (rc >= 0)
        return rc;
    if (word + 1 != argc) {
        fputs(program.usage, stderr);
        return ARGS_USAGE;
    }
    return o.check ? check(argv[word]) : judge(&o, argv[word]);
}
