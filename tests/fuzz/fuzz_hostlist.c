/* fuzz_hostlist.c - any text as a list of hosts: what is taken folds into a
 * text that means the same names in the same order. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/hostlist.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hostlist h = { 0 }, back = { 0 };
    struct err err = { 0 };

    if (size > 200)
        return 0;
    char *text = malloc(size + 1);

    assert(text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (hostlist_expand(&h, text, &err) == 0) {
        int n = hostlist_fold(&h, NULL, 0);
        char *folded = malloc((size_t)n + 1);

        assert(folded && hostlist_fold(&h, folded, (size_t)n + 1) == n);
        assert(hostlist_expand(&back, folded, &err) == 0);
        assert(back.n == h.n);
        for (size_t i = 0; i < h.n; i++)
            assert(strcmp(back.v[i], h.v[i]) == 0);
        free(folded);
    } else {
        assert(h.n == 0 && err.code);
    }
    free(text);
    hostlist_fini(&h);
    hostlist_fini(&back);
    return 0;
}
