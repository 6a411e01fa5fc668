/* settings.c - see settings.h. */
#include "proto/plan/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/str.h"

static int set_defaults(const struct hct_param *table, double *v,
                        const char *who, struct err *err)
{
    for (unsigned i = 0; table[i].name; i++) {
        if (i == HCT_PARAMS_MAX)
            return err_set(err, EINVAL, "%s has more than %d parameters", who,
                           HCT_PARAMS_MAX);
        v[i] = table[i].def;
    }
    return 0;
}

static int set_one(const struct hct_param *table, double *v, const char *who,
                   const char *key, const char *value, struct err *err)
{
    struct str names = { 0 };
    char *end;

    for (unsigned i = 0; table[i].name; i++) {
        const struct hct_param *q = &table[i];
        double x = strtod(value, &end);

        str_addf(&names, "%s%s", i ? ", " : "", q->name);
        if (strcmp(q->name, key) != 0)
            continue;
        str_fini(&names);
        if (*value == '\0' || *end != '\0' || !(x >= q->min && x <= q->max))
            return err_set(err, EINVAL,
                           "%s: %s=%.40s: a number from %g to %g is "
                           "wanted",
                           who, key, value, q->min, q->max);
        v[i] = x;
        return 0;
    }
    err_set(err, EINVAL, "%s has no parameter %.40s; it has %.120s", who, key,
            names.n ? str_text(&names) : "none");
    str_fini(&names);
    return -1;
}

static int set_all(const struct hct_param *table, double *v, const char *who,
                   char *text, struct err *err)
{
    char *save, *word;

    for (word = strtok_r(text, ",", &save); word;
         word = strtok_r(NULL, ",", &save)) {
        char *value = strchr(word, '=');

        if (!value)
            return err_set(err, EINVAL, "%s: %.40s: write it as KEY=VALUE", who,
                           word);
        *value++ = '\0';
        if (set_one(table, v, who, word, value, err))
            return -1;
    }
    return 0;
}

int settings_read(const struct hct_param *table, double *v, const char *who,
                  const char *text, struct err *err)
{
    char *copy = strdup(text);
    int rc;

    if (!copy)
        return err_memory(err);
    rc = set_defaults(table, v, who, err) || set_all(table, v, who, copy, err);
    free(copy);
    return rc ? -1 : 0;
}
