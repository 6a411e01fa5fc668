/* inject.c - reads the rules and counts calls. No input, no output, no clock:
 * everything that happens is decided by the text, the rank and the calls. */
#include "mpi-wrappers/inject/inject.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 11, WORD_BYTES = 4096 };

#define CALL_KIND(name, number, sends) [number] = sends,
static const bool call_sends[CALL_END] = {
#include "call_kinds.inc"
};
#undef CALL_KIND

static const struct { const char *name; enum inject_fault fault; } faults[] = {
#define X(id, number, name) { name, INJECT_##id },
    INJECT_FAULTS(X)
#undef X
};
enum { NFAULTS = sizeof(faults) / sizeof(faults[0]) };

const char *inject_name(enum inject_fault fault)
{
    for (unsigned i = 0; i < NFAULTS; i++)
        if (faults[i].fault == fault)
            return faults[i].name;
    return "";
}

/* A well mixed number from two (splitmix64). */
static uint64_t mix(uint64_t seed, uint64_t n)
{
    uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static bool number(const char *word, uint64_t max, uint64_t *to)
{
    char *end;

    if (*word < '0' || *word > '9')
        return false;
    errno = 0;
    *to = strtoull(word, &end, 10);
    return *end == '\0' && errno == 0 && *to <= max;
}

/* Is rank in the list? -1: it is no list. */
static int in_list(const char *list, uint32_t rank)
{
    int found = 0;

    for (;;) {
        char *end;
        unsigned long long first, last;

        if (*list < '0' || *list > '9')
            return -1;
        last = first = strtoull(list, &end, 10);
        if (*end == '-' && end[1] >= '0' && end[1] <= '9')
            last = strtoull(end + 1, &end, 10);
        if (last < first || last >= UINT32_MAX)
            return -1;
        found |= rank >= first && rank <= last;
        if (*end == '\0')
            return found;
        if (*end != ',')
            return -1;
        list = end + 1;
    }
}

static int for_us(const char *ranks, uint64_t seed, uint32_t rank,
                  uint32_t ntasks)
{
    if (strcmp(ranks, "all") == 0)
        return 1;
    if (strcmp(ranks, "random") == 0)
        return ntasks && mix(seed, UINT32_MAX) % ntasks == rank;
    return in_list(ranks, rank);
}

/* Which functions the pattern means; false if none. */
static bool choose_calls(struct inject_plan *p, const struct inject_rule *r)
{
    bool any = false;

    for (unsigned i = 1; i < CALL_END; i++)
        if (*call_name(i) && (r->fault != INJECT_DROP || call_sends[i]) &&
            fnmatch(r->pattern, call_name(i), FNM_CASEFOLD) == 0) {
            p->of_call[i] |= (uint32_t)1 << p->n;
            any = true;
        }
    return any;
}

static int take_rule(struct inject_plan *p, char *word[WORDS], uint32_t rank,
                     uint32_t ntasks)
{
    struct inject_rule *r = &p->rule[p->n];
    uint64_t first, last, seed, code;
    unsigned f;
    int mine;

    if (p->n == INJECT_RULES)
        return -1;
    for (f = 0; f < NFAULTS && strcmp(word[0], faults[f].name) != 0; f++)
        ;
    if (f == NFAULTS || strlen(word[3]) >= sizeof(r->pattern) ||
        (strcmp(word[1], "in") != 0 && strcmp(word[1], "after") != 0))
        return -1;
    r->fault = faults[f].fault;
    r->after = *word[1] == 'a';
    strcpy(r->pattern, word[3]);
    if (!number(word[4], UINT64_MAX / 2, &first) || first == 0 ||
        !number(word[5], UINT64_MAX / 2, &last) || last < first ||
        !number(word[6], UINT64_MAX, &seed) ||
        !number(word[7], UINT64_MAX, &r->not_before_ns) ||
        !number(word[8], UINT64_MAX, &r->time_ns) ||
        !number(word[9], SIZE_MAX / 2, &r->size) ||
        !number(word[10], 255, &code))
        return -1;
    r->code = (int)code;
    r->target = first + mix(seed, rank) % (last - first + 1);
    mine = for_us(word[2], seed, rank, ntasks);
    if (mine < 0)
        return -1;
    if (!mine)
        return 0;
    if (!choose_calls(p, r))
        return -1;
    p->n++;
    return 0;
}

int inject_parse(struct inject_plan *p, const char *text, uint32_t rank,
                 uint32_t ntasks)
{
    char copy[WORD_BYTES], *save_rule = NULL;

    memset(p, 0, sizeof(*p));
    if (strlen(text) >= sizeof(copy))
        return -1;
    strcpy(copy, text);
    for (char *rule = strtok_r(copy, ";", &save_rule); rule;
         rule = strtok_r(NULL, ";", &save_rule)) {
        char *word[WORDS], *save = NULL, *w = strtok_r(rule, " ", &save);
        unsigned n = 0;

        for (; w && n < WORDS; w = strtok_r(NULL, " ", &save))
            word[n++] = w;
        if (w || n != WORDS || take_rule(p, word, rank, ntasks) < 0) {
            memset(p, 0, sizeof(*p));
            return -1;
        }
    }
    return 0;
}

uint32_t inject_due(struct inject_plan *p, unsigned call, int receiver,
                    uint64_t now_ns)
{
    uint32_t due = 0;

    for (uint32_t left = p->of_call[call]; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct inject_rule *r = &p->rule[i];
        uint64_t n;

        if (r->not_before_ns > now_ns ||
            (r->fault == INJECT_DROP && receiver == INJECT_NOBODY))
            continue;
        n = 1 + atomic_fetch_add_explicit(&r->count, 1, memory_order_relaxed);
        if (n == r->target || (n > r->target && r->fault == INJECT_SLOW))
            due |= (uint32_t)1 << i;
    }
    return due;
}

void inject_describe(const struct inject_rule *r, unsigned call, int receiver,
                     char *text, int size)
{
    const char *name = call_name(call);
    bool exact = strcasecmp(r->pattern, name) == 0;
    char to[32] = "";

    if (r->fault == INJECT_DROP)
        snprintf(to, sizeof(to), " to rank %d", receiver);
    snprintf(text, (size_t)size, "injected: %s %s %s call %llu%s%s%s",
             inject_name(r->fault), r->after ? "after" : "in", name,
             (unsigned long long)r->target, exact ? "" : " of ",
             exact ? "" : r->pattern, to);
}
