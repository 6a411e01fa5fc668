/* pmix_answer.c - our answers to what the PMIx library has asked. */
#include "slave/pmix/pmix.h"

#include <stdlib.h>
#include <string.h>
#include <pmix.h>
#include <pmix_server.h>

#include "slave/pmix/pmix_call.h"

void pmixd_answer(struct pmixd_call *c, int status)
{
    if (c->modex)
        c->modex(status, NULL, 0, c->cbdata, NULL, NULL);
    else if (c->lookup)
        c->lookup(status, NULL, 0, c->cbdata);
    else if (c->op)
        c->op(status, c->cbdata);
    pmix_call_free(c);
}

void pmixd_answer_data(struct pmixd_call *c, int status, const void *data,
                       size_t bytes)
{
    char *copy;

    if (!c->modex || status != PMIX_SUCCESS) {
        pmixd_answer(c, status);
        return;
    }
    copy = malloc(bytes ? bytes : 1);   /* PMIx frees it when it is done */
    if (copy && bytes)
        memcpy(copy, data, bytes);
    c->modex(copy ? PMIX_SUCCESS : PMIX_ERR_NOMEM, copy, copy ? bytes : 0,
             c->cbdata, free, copy);
    pmix_call_free(c);
}

static int unpack_value(const struct pmixd_item *item, pmix_value_t *value)
{
    pmix_byte_object_t packed = { .bytes = (char *)item->value,
                                  .size = item->bytes };
    pmix_data_buffer_t buf;
    pmix_status_t rc;
    int32_t one = 1;

    PMIX_DATA_BUFFER_CONSTRUCT(&buf);
    rc = PMIx_Data_embed(&buf, &packed);
    if (rc == PMIX_SUCCESS)
        rc = PMIx_Data_unpack(NULL, &buf, value, &one, PMIX_VALUE);
    PMIX_DATA_BUFFER_DESTRUCT(&buf);
    return rc;
}

void pmixd_answer_lookup(struct pmixd_call *c, int status,
                         const struct pmixd_item *items, size_t n)
{
    pmix_pdata_t *found = NULL;
    size_t got = 0;

    if (status == PMIX_SUCCESS && n) {
        PMIX_PDATA_CREATE(found, n);
        for (size_t i = 0; found && i < n; i++) {
            if (unpack_value(&items[i], &found[got].value))
                continue;
            PMIX_LOAD_KEY(found[got].key, items[i].key);
            PMIX_LOAD_PROCID(&found[got].proc, items[i].nspace,
                             items[i].rank);
            got++;
        }
    }
    if (status == PMIX_SUCCESS && !got)
        status = PMIX_ERR_NOT_FOUND;
    c->lookup(status, found, got, c->cbdata);
    if (found)
        PMIX_PDATA_FREE(found, n);
    pmix_call_free(c);
}
