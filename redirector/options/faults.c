/* faults.c - the grammar of --inject, see hector-inject(7).
 *
 * Items KEY=VALUE divided by commas, each key at most once; a list of ranks
 * may have commas of its own, as an item without "=" belongs to the one
 * before. Everything that a fault has no use for is refused: a description
 * that is not wholly understood would give a wrong experiment. */
#include "redirector/options/faults.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/parse.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"

enum { RULES_MAX = 32, TEXT_MAX = 1024, PATTERN_MAX = 63, RANDOM_CALLS = 1000,
       RULES_BYTES_MAX = 4095, SIDE_MAX = 100000 };
#define COUNT_MAX (UINT64_C(1) << 62)
#define BYTES_MAX (UINT64_C(1) << 50)

static const struct { const char *name; unsigned number; bool sends; } calls[] = {
#define CALL_KIND(name, number, sends) { name, number, sends },
#include "call_kinds.inc"
#undef CALL_KIND
};
enum { NCALLS = sizeof(calls) / sizeof(calls[0]) };

/* Which keys a fault may have; the time and size it has without. */
enum { MAY_TIME = 1, MAY_SIDE = 2, MAY_BYTES = 4, MAY_CODE = 8,
       MAY_AFTER = 16, ALWAYS_AFTER = 32, SENDS = 64 };
static const struct kind {
    const char *name;
    unsigned may;
    uint64_t time_ns, size;
} kinds[] = {
    { "cpu", MAY_TIME | MAY_SIDE | MAY_AFTER, 0, 1000 },
    { "mem", MAY_TIME | MAY_BYTES | MAY_AFTER, 0, 1 << 30 },
    { "hang", MAY_AFTER, 0, 0 },
    { "stall", MAY_TIME | MAY_AFTER, 5 * CLOCK_NS_PER_S, 0 },
    { "slow", MAY_TIME | MAY_AFTER, CLOCK_NS_PER_S / 1000, 0 },
    { "drop", SENDS, 0, 0 },
    { "exit", MAY_CODE | MAY_AFTER, 0, 0 },
    { "segv", MAY_AFTER, 0, 0 },
    { "kill", MAY_AFTER, 0, 0 },
    { "spin", ALWAYS_AFTER, 0, 0 },
    { "probe", ALWAYS_AFTER, 0, 0 },
};
enum { NKINDS = sizeof(kinds) / sizeof(kinds[0]) };

#define KEYS(X) X(RANK, "rank") X(CALL, "call") X(FAULT, "fault") \
    X(AFTER, "after") X(SEED, "seed") X(TIME, "time") X(SIZE, "size") \
    X(CODE, "code")
enum key {
#define X(id, name) KEY_##id,
    KEYS(X)
#undef X
    NKEYS
};
static const char *const keys[NKEYS] = {
#define X(id, name) name,
    KEYS(X)
#undef X
};

struct rule {
    char text[TEXT_MAX];
    const char *value[NKEYS];   /* into text; NULL: not given */
    const struct kind *kind;
    bool after;
    char ranks[TEXT_MAX];
    const char *pattern;
    uint64_t first, last, seed, not_before_ns, time_ns, size, code;
};

/* ---------------------------------------------------------------- pieces */

static int find_key(const char *name, size_t n)
{
    for (int i = 0; i < NKEYS; i++)
        if (strlen(keys[i]) == n && memcmp(keys[i], name, n) == 0)
            return i;
    return -1;
}

/* Cut r->text into values. */
static int split(struct rule *r, const char *text, struct err *err)
{
    char *comma = NULL;         /* the one in front of the item */
    int key = -1;               /* of the item before */

    if (strlen(text) >= sizeof(r->text))
        return err_set(err, E2BIG, "longer than %d bytes", TEXT_MAX - 1);
    strcpy(r->text, text);
    for (char *p = r->text; p; p = comma ? comma + 1 : NULL) {
        size_t n = strcspn(p, ",="), all = strcspn(p, ",");

        if (p[n] != '=' && key != KEY_RANK)
            return err_set(err, EINVAL, "\"%.*s\": KEY=VALUE is wanted",
                           (int)(all < 40 ? all : 40), p);
        if (p[n] == '=') {
            key = find_key(p, n);
            if (key < 0)
                return err_set(err, EINVAL, "there is no \"%.*s\"; known are "
                               "rank, call, fault, after, seed, time, size "
                               "and code", (int)(n < 40 ? n : 40), p);
            if (r->value[key])
                return err_set(err, EINVAL, "%s is given twice", keys[key]);
            if (comma)
                *comma = '\0';
            r->value[key] = p + n + 1;
        }
        comma = p[all] == ',' ? p + all : NULL;
    }
    return 0;
}

static int take_fault(struct rule *r, struct err *err)
{
    const char *name = r->value[KEY_FAULT];
    struct str names = { 0 };
    size_t n;

    if (!name)
        return err_set(err, EINVAL, "no fault=NAME");
    n = strlen(name);
    r->after = n > 6 && strcmp(name + n - 6, "-after") == 0;
    if (r->after)
        n -= 6;
    for (int i = 0; i < NKINDS; i++) {
        if (strlen(kinds[i].name) == n && memcmp(kinds[i].name, name, n) == 0)
            r->kind = &kinds[i];
        str_addf(&names, "%s%s", i ? ", " : "", kinds[i].name);
    }
    if (!r->kind)
        err_set(err, EINVAL, "there is no fault \"%.40s\"; known are %s", name,
                str_text(&names));
    str_fini(&names);
    if (!r->kind)
        return -1;
    if (r->after && !(r->kind->may & (MAY_AFTER | ALWAYS_AFTER)))
        return err_set(err, EINVAL, "%s strikes inside of a call: "
                       "there is no %s", r->kind->name, name);
    r->after = r->after || r->kind->may & ALWAYS_AFTER;
    return 0;
}

static int take_ranks(struct rule *r, struct err *err)
{
    const char *text = r->value[KEY_RANK];
    struct taskset set = { 0 };
    struct err why;
    int n;

    if (!text)
        return err_set(err, EINVAL, "no rank: rank=3, rank=0-3,7, rank=all "
                       "or rank=random");
    if (strcmp(text, "all") == 0 || strcmp(text, "random") == 0) {
        strcpy(r->ranks, text);
        return 0;
    }
    if (taskset_parse(&set, text, 1 << 24, &why) < 0)
        return err_set(err, EINVAL, "rank=%.60s: %.100s", text, why.text);
    n = taskset_format(&set, r->ranks, sizeof(r->ranks));
    taskset_fini(&set);
    if (n == 0)
        return err_set(err, EINVAL, "rank= names no rank");
    return n < (int)sizeof(r->ranks) ? 0 : err_set(err, E2BIG, "rank=%.40s: "
                                                   "too many ranges", text);
}

/* What stands behind the function: nothing, N, A-B or random. */
static int take_count(struct rule *r, char *text, struct err *err)
{
    char *dash = text ? strchr(text, '-') : NULL;
    int bad = 0;

    r->first = r->last = 1;
    if (!text)
        return 0;
    if (strcmp(text, "random") == 0) {
        r->last = RANDOM_CALLS;
        return 0;
    }
    if (dash)
        *dash = '\0';
    bad |= parse_u64(&r->first, text, 1, COUNT_MAX, NULL);
    r->last = r->first;
    if (dash) {
        *dash = '-';
        bad |= parse_u64(&r->last, dash + 1, 1, COUNT_MAX, NULL);
    }
    if (bad || r->last < r->first)
        return err_set(err, EINVAL, "call %.40s: a number from 1, a range as "
                       "1-500 or random is wanted", text);
    return 0;
}

static int take_call(struct rule *r, struct err *err)
{
    char *pattern = (char *)r->value[KEY_CALL];
    char *colon = pattern ? strchr(pattern, ':') : NULL;
    bool known = false, sends = false;

    if (!pattern && !r->value[KEY_AFTER])
        return err_set(err, EINVAL, "when? call=MPI_Send:10, or after=2.5s");
    if (take_count(r, colon ? colon + 1 : NULL, err) < 0)
        return -1;
    if (colon)
        *colon = '\0';
    r->pattern = pattern ? pattern : "MPI_*";
    if (strlen(r->pattern) > PATTERN_MAX || strpbrk(r->pattern, " ;"))
        return err_set(err, EINVAL, "call=%.40s is not the name of an MPI "
                       "function", r->pattern);
    for (int i = 0; i < NCALLS; i++)
        if (fnmatch(r->pattern, calls[i].name, FNM_CASEFOLD) == 0) {
            known = true;
            sends = sends || calls[i].sends;
        }
    if (!known)
        return err_set(err, EINVAL, "call=%.60s: MPI has no such function",
                       r->pattern);
    if ((r->kind->may & SENDS) && !sends)
        return err_set(err, EINVAL, "call=%.60s sends nothing that could be "
                       "dropped", r->pattern);
    return 0;
}

static int take_amounts(struct rule *r, struct err *err)
{
    const char *time = r->value[KEY_TIME], *size = r->value[KEY_SIZE];
    const char *code = r->value[KEY_CODE], *after = r->value[KEY_AFTER];
    const struct kind *k = r->kind;
    int bad;

    if ((time && !(k->may & MAY_TIME)) || (code && !(k->may & MAY_CODE)) ||
        (size && !(k->may & (MAY_SIDE | MAY_BYTES))))
        return err_set(err, EINVAL, "%s has no use for %s", k->name,
                       time && !(k->may & MAY_TIME) ? "time" :
                       code && !(k->may & MAY_CODE) ? "code" : "size");
    r->time_ns = k->time_ns;
    r->size = k->size;
    r->code = k->may & MAY_CODE ? 1 : 0;
    if (time && (parse_duration(&r->time_ns, time, NULL) < 0 || !r->time_ns))
        return err_set(err, EINVAL, "time=%.40s: a time is wanted, as 5s or "
                       "200ms", time);
    if (after && parse_duration(&r->not_before_ns, after, NULL) < 0)
        return err_set(err, EINVAL, "after=%.40s: a time is wanted, as 2.5s",
                       after);
    if (code && parse_u64(&r->code, code, 0, 255, NULL) < 0)
        return err_set(err, EINVAL, "code=%.40s: a number from 0 to 255 is "
                       "wanted", code);
    if (!size)
        return 0;
    bad = k->may & MAY_SIDE ? parse_u64(&r->size, size, 1, SIDE_MAX, NULL)
                            : parse_bytes(&r->size, size, NULL);
    if (bad < 0 || r->size < 1 || r->size > BYTES_MAX)
        return err_set(err, EINVAL, k->may & MAY_SIDE ?
                       "size=%.40s: the length of the loops is wanted, from 1 "
                       "to 100000" : "size=%.40s: bytes are wanted, as 64M",
                       size);
    return 0;
}

static int take_seed(struct rule *r, uint64_t seed, struct err *err)
{
    const char *text = r->value[KEY_SEED];
    bool random = r->last > r->first || strcmp(r->ranks, "random") == 0;

    r->seed = random ? seed : 0;
    if (text && !random)
        return err_set(err, EINVAL, "seed has no use: nothing is random");
    if (text && parse_u64(&r->seed, text, 0, UINT64_MAX, NULL) < 0)
        return err_set(err, EINVAL, "seed=%.40s: a number is wanted", text);
    return 0;
}

/* ----------------------------------------------------------------- rules */

static int append(char **rules, const struct rule *r, struct err *err)
{
    struct str s = { 0 };
    size_t n = 1;
    char *text;

    for (const char *p = *rules; p && *p; p++)
        n += *p == ';';
    if (*rules && n >= RULES_MAX)
        return err_set(err, E2BIG, "more than %d faults", RULES_MAX);
    str_addf(&s, "%s%s%s %s %s %s %llu %llu %llu %llu %llu %llu %llu",
             *rules ? *rules : "", *rules ? ";" : "", r->kind->name,
             r->after ? "after" : "in", r->ranks, r->pattern,
             (unsigned long long)r->first, (unsigned long long)r->last,
             (unsigned long long)r->seed,
             (unsigned long long)r->not_before_ns,
             (unsigned long long)r->time_ns, (unsigned long long)r->size,
             (unsigned long long)r->code);
    text = str_take(&s);
    if (!text)
        return err_memory(err);
    if (strlen(text) > RULES_BYTES_MAX) {
        free(text);
        return err_set(err, E2BIG, "the faults take too much room");
    }
    free(*rules);
    *rules = text;
    return 0;
}

int faults_add(char **rules, const char *text, uint64_t seed, struct err *err)
{
    struct rule *r = calloc(1, sizeof(*r));
    struct err why;
    int rc;

    if (!r)
        return err_memory(err);
    rc = split(r, text, &why) < 0 || take_fault(r, &why) < 0 ||
         take_ranks(r, &why) < 0 || take_call(r, &why) < 0 ||
         take_amounts(r, &why) < 0 || take_seed(r, seed, &why) < 0 ||
         append(rules, r, &why) < 0;
    free(r);
    return rc ? err_set(err, why.code, "--inject: %s", why.text) : 0;
}

int faults_check(const char *rules, uint32_t ntasks, struct err *err)
{
    for (const char *p = rules; p && *p; p += strcspn(p, ";"), p += *p == ';') {
        char ranks[TEXT_MAX];
        struct taskset set = { 0 };
        int rc;

        if (sscanf(p, "%*s %*s %1023s", ranks) != 1)
            return err_set(err, EINVAL, "--inject: no ranks in \"%.40s\"", p);
        if (strcmp(ranks, "all") == 0 || strcmp(ranks, "random") == 0)
            continue;
        rc = taskset_parse(&set, ranks, ntasks, NULL);
        taskset_fini(&set);
        if (rc < 0)
            return err_set(err, EINVAL, "--inject: rank=%.60s: the ranks go "
                           "from 0 to %u", ranks, ntasks - 1);
    }
    return 0;
}
