/* fuzz_taskset.c - any text as a set of ranks: what is taken comes back from
 * its own text, and arithmetic keeps the one form. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/taskset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_form(const struct taskset *s)
{
    for (size_t i = 0; i < s->n; i++) {
        assert(s->v[i].first <= s->v[i].last);
        assert(i == 0 || s->v[i - 1].last + 1 < s->v[i].first);
    }
}

static void check_round_trip(const struct taskset *s, uint32_t limit)
{
    struct taskset back = { 0 };
    int n = taskset_format(s, NULL, 0);
    char *text = malloc((size_t)n + 1);

    assert(text && taskset_format(s, text, (size_t)n + 1) == n);
    assert(taskset_parse(&back, text, limit, NULL) == 0);
    assert(taskset_equal(&back, s));
    free(text);
    taskset_fini(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct taskset s = { 0 }, t = { 0 };
    struct err err;

    if (size < 8 || size > 4096)
        return 0;
    uint32_t limit, first;

    memcpy(&limit, data, 4);
    memcpy(&first, data + 4, 4);
    char *text = malloc(size - 7);

    assert(text);
    memcpy(text, data + 8, size - 8);
    text[size - 8] = '\0';
    if (taskset_parse(&s, text, limit, &err) == 0) {
        check_form(&s);
        check_round_trip(&s, limit);
        assert(taskset_copy(&t, &s) == 0);
        uint32_t last = first > UINT32_MAX - 100 ? UINT32_MAX : first + 100;

        assert(taskset_remove(&t, first, last) == 0);
        check_form(&t);
        assert(!taskset_has(&t, first));
        assert(taskset_add(&t, first, first) == 0 && taskset_has(&t, first));
        check_form(&t);
        assert(taskset_union(&t, &s) == 0);
        check_form(&t);
        assert(taskset_count(&t) >= taskset_count(&s));
    } else {
        assert(s.n == 0 && *err.text);
    }
    free(text);
    taskset_fini(&s);
    taskset_fini(&t);
    return 0;
}
