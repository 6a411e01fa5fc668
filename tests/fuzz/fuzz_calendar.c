/* fuzz_calendar.c - any text as something that is due: what is taken comes back
 * from its own text, is found by its label, and what is not is named. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/conf/calendar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_found(const struct calendar *c, const struct due *d)
{
    uint64_t of, to, bit = (uint64_t)1 << (d->number - 1);
    uint32_t rank = d->some ? d->ranks.v[0].first : 3;

    if (!d->of.text)
        return;
    calendar_match(c, d->of.text, d->of.n, rank, &of, &to);
    assert(of & bit);
    if (d->to.text) {
        calendar_match(c, d->to.text, d->to.n, rank, &of, &to);
        assert(to & bit);
    }
}

/* Lines, each an entry. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct calendar c = { 0 }, back = { 0 };
    char *text = malloc(size + 1), *save, *line;
    struct err err;

    assert(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    for (line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        size_t n = c.n;

        if (calendar_add(&c, line, &err)) {
            assert(c.n == n && *err.text && !strchr(err.text, '\n'));
            continue;
        }
        assert(calendar_add(&back, c.v[n].text, NULL) == 0);
        assert(strcmp(back.v[n].text, c.v[n].text) == 0);
        assert(back.v[n].kind == c.v[n].kind &&
               back.v[n].limit_ns == c.v[n].limit_ns &&
               back.v[n].from_ns == c.v[n].from_ns &&
               back.v[n].firm == c.v[n].firm &&
               taskset_equal(&back.v[n].ranks, &c.v[n].ranks));
    }
    for (size_t i = 0; i < c.n; i++)
        check_found(&c, &c.v[i]);
    if (c.n) {
        uint64_t of, to;

        assert(calendar_take_back(&c, 1, NULL) == 0);
        calendar_match(&c, "A", 1, 0, &of, &to);
        assert(!((of | to) & 1));
    }
    free(text);
    calendar_fini(&c);
    calendar_fini(&back);
    return 0;
}
