/* main.c - hector-judge(8): one policy, or one optimizer, in a process of its own. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "master/judge/confine.h"
#include "master/judge/policy.h"
#include "master/judge/serve.h"
#include "master/watch/judgewire.h"
#include "proto/base/args.h"
#include "proto/plan/optimizer.h"

struct options {
    bool check;
    uint64_t memory_bytes;
    uint32_t uid;
    const char *kind;
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
    { NULL, "k kind", ARGS_VALUE, "KIND", "policy or optimizer; default: policy",
      args_text, OPTION(kind), 0, 0 },
    ARGS_COMMON
};

static const struct args_program program = {
    "hector-judge",
    "usage: hector-judge [-k KIND] -c POLICY\n"
    "Otherwise hector-master starts it, and hector replay: hector-judge(8).\n",
    options, sizeof(options) / sizeof(options[0])
};

/* What is judged by: one of both. */
struct object {
    bool plans;
    struct policy policy;
    struct optimizer optimizer;
};

static int open_object(struct object *o, const char *spec, struct err *err)
{
    return o->plans ? optimizer_open(&o->optimizer, spec, err)
                    : policy_open(&o->policy, spec, err);
}

static void close_object(struct object *o)
{
    if (o->plans)
        optimizer_close(&o->optimizer);
    else
        policy_close(&o->policy);
}

/* A sentence on stdout, for who has asked. */
static int check(struct object *o, const char *spec)
{
    struct err err;

    confine_processes();
    if (open_object(o, spec, &err)) {
        puts(err.text);
        return 2;
    }
    close_object(o);
    return 0;
}

static int judge(const struct options *o, struct object *by, const char *spec)
{
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
    if (open_object(by, spec, &err))
        serve_refuse(err.text);
    else
        rc = by->plans ? serve_plans(&by->optimizer) : serve(&by->policy);
    close_object(by);
    return rc;
}

int main(int argc, char **argv)
{
    struct options o = { .uid = (uint32_t)geteuid(), .kind = "policy" };
    struct object by = { .plans = false };
    int word = 0, rc = args_program(&program, &o, argc, argv, &word);

    if (rc >= 0)
        return rc;
    by.plans = strcmp(o.kind, "optimizer") == 0;
    if (word + 1 != argc || (!by.plans && strcmp(o.kind, "policy") != 0)) {
        fputs(program.usage, stderr);
        return ARGS_USAGE;
    }
    return o.check ? check(&by, argv[word]) : judge(&o, &by, argv[word]);
}
