/* priority.c - how important a job is, see priority.h. */
#include "proto/conf/priority.h"

#include <errno.h>
#include <string.h>

#include "proto/base/parse.h"

static const char *const names[] = {
    [PRIORITY_NORMAL] = "normal", [PRIORITY_IDLE] = "idle",
    [PRIORITY_REALTIME] = "realtime",
};

static const char *const sorts[PRIORITY_SORTS] = {
    [PRIORITY_SORT_NORMAL] = "normal", [PRIORITY_SORT_BATCH] = "batch",
    [PRIORITY_SORT_IDLE] = "idle", [PRIORITY_SORT_REALTIME] = "realtime",
    [PRIORITY_SORT_DEADLINE] = "deadline",
};

static const char *const applied[PRIORITY_APPLIEDS] = {
    [PRIORITY_APPLIED] = "yes", [PRIORITY_PARTLY] = "partly",
    [PRIORITY_REFUSED] = "no", [PRIORITY_WEIGHED] = "weight",
};

const char *priority_sort_name(enum priority_sort s)
{
    return sorts[s];
}

const char *priority_applied_name(enum priority_applied a)
{
    return applied[a];
}

const char *priority_class_name(enum priority_class c)
{
    return names[c];
}

int priority_find_class(enum priority_class *c, const char *word,
                        struct err *err)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], word) == 0) {
            *c = (enum priority_class)i;
            return 0;
        }
    return err_set(err, EINVAL, "\"%.40s\" is none of realtime, normal and idle",
                   word);
}

int priority_number(int *n, const char *text, struct err *err)
{
    int64_t v;

    if (parse_i64(&v, text, PRIORITY_LEAST, PRIORITY_MOST, NULL) < 0)
        return err_set(err, EINVAL, "\"%.40s\" is no number from %d to %d", text,
                       PRIORITY_LEAST, PRIORITY_MOST);
    *n = (int)v;
    return 0;
}

int priority_make(struct priority *p, int n, const char *class, struct err *err)
{
    struct priority made = { PRIORITY_NORMAL, n };

    if (n < PRIORITY_LEAST || n > PRIORITY_MOST)
        return err_set(err, EINVAL, "priority %d is not from %d to %d", n,
                       PRIORITY_LEAST, PRIORITY_MOST);
    if (*class && priority_find_class(&made.class, class, err))
        return -1;
    *p = made;
    return 0;
}

bool priority_equal(const struct priority *a, const struct priority *b)
{
    return a->class == b->class && a->n == b->n;
}
