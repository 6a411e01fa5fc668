/* fuzz_target.c - any words behind "hector kill": refused or understood, and
 * what was understood becomes a condition. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/core/target.h"
#include "master/store/query_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct str sql = { 0 };
    struct query_which which;
    struct target t;

    memcpy(text, data, size);
    text[size] = '\0';
    if (target_parse(&t, text, NULL) == 0) {
        which = target_which(&t);
        query_add_where(&sql, &which);
        str_fini(&sql);
        target_fini(&t);
    }
    free(text);
    return 0;
}
