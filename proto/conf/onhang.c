/* onhang.c - what is to be done about a hang, see onhang.h. */
#include "proto/conf/onhang.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/parse.h"

#define ONHANG_SURE 99.9

static const char *const onhang_names[] = {
    [ONHANG_REPORT] = "report", [ONHANG_MIGRATE] = "migrate",
    [ONHANG_SUSPEND] = "suspend",
    [ONHANG_ROLLBACK] = "rollback", [ONHANG_KILL] = "kill",
};
enum { ONHANG_NAMES = sizeof(onhang_names) / sizeof(onhang_names[0]) };

const char *onhang_name(enum onhang_action action)
{
    return onhang_names[action];
}

static int onhang_time(uint64_t *ns, const char *key, const char *value,
                       struct err *err)
{
    if (parse_duration(ns, value, NULL) < 0 || *ns == 0)
        return err_set(err, EINVAL, "%s=%.40s: a time is wanted, as 90s or "
                       "10m", key, value);
    return 0;
}

static int onhang_set(struct onhang *h, const char *key, const char *value,
                      struct err *err)
{
    if (strcmp(key, "age") == 0) {
        h->has_age = true;
        return onhang_time(&h->age_ns, key, value, err);
    }
    if (strcmp(key, "patience") == 0)
        return onhang_time(&h->patience_ns, key, value, err);
    if (strcmp(key, "sure") != 0)
        return err_set(err, EINVAL, "%.40s is none of age, sure and patience",
                       key);
    if (parse_double(&h->sure, value, 50, 100, NULL) < 0)
        return err_set(err, EINVAL, "sure=%.40s: a number from 50 to 100 is "
                       "wanted", value);
    return 0;
}

static int onhang_keys(struct onhang *h, const char *text, struct err *err)
{
    char copy[200], *save, *word;

    if (h->action == ONHANG_REPORT)
        return err_set(err, EINVAL, "report takes nothing behind it: all that "
                       "is found is reported");
    if (strlen(text) >= sizeof(copy))
        return err_set(err, EINVAL, "more than %zu bytes", sizeof(copy) - 1);
    strcpy(copy, text);
    if (!*copy)
        return err_set(err, EINVAL, "age, sure or patience is wanted after "
                       "the colon");
    for (word = strtok_r(copy, ",", &save); word;
         word = strtok_r(NULL, ",", &save)) {
        char *value = strchr(word, '=');

        if (!value)
            return err_set(err, EINVAL, "%.40s: write it as KEY=VALUE", word);
        *value++ = '\0';
        if (onhang_set(h, word, value, err))
            return -1;
    }
    return 0;
}

int onhang_parse(struct onhang *h, const char *text, struct err *err)
{
    struct onhang new = { .sure = ONHANG_SURE };
    size_t n = strcspn(text, ":");
    unsigned i = 0;

    while (i < ONHANG_NAMES && (strlen(onhang_names[i]) != n ||
                                strncmp(onhang_names[i], text, n) != 0))
        i++;
    if (i == ONHANG_NAMES && *text)
        return err_set(err, EINVAL, "\"%.80s\": one of report|migrate|"
                       "suspend|rollback|kill is wanted", text);
    new.action = *text ? i : ONHANG_REPORT;
    if (text[n] == ':' && onhang_keys(&new, text + n + 1, err))
        return -1;
    *h = new;
    return 0;
}

uint64_t onhang_age(const struct onhang *h, uint64_t longest_ns)
{
    uint64_t age_ns = ONHANG_AGE_NS;

    if (h->has_age)
        return h->age_ns;
    if (longest_ns > UINT64_MAX / ONHANG_BEYOND)
        return UINT64_MAX;
    return longest_ns * ONHANG_BEYOND > age_ns ? longest_ns * ONHANG_BEYOND
                                               : age_ns;
}
