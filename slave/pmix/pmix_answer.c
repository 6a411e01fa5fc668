/* pmix_answer.c - our answers to what the PMIx library has asked. */
#include "slave/pmix/pmix.h"

#include <stdlib.h>
#include <string.h>
#include <pmix.h>
#include <pmix_server.h>

#include "proto/base/log.h"
#include "proto/base/str.h"
#include "slave/pmix/contextid.h"
#include "slave/pmix/pmix_call.h"

void pmixd_answer(struct pmixd_call *c, int status)
{
    if (c->modex)
        c->modex(status, NULL, 0, c->cbdata, NULL, NULL);
    else if (c->lookup)
        c->lookup(status, NULL, 0, c->cbdata);
    else if (c->group)
        c->group(status, NULL, 0, c->cbdata, NULL, NULL);
    else if (c->op)
        c->op(status, c->cbdata);
    pmix_call_free(c);
}

struct group_answer {
    pmix_info_t *info;          /* owned */
    size_t n;
};

static void group_answer_free(void *arg)
{
    struct group_answer *a = arg;

    if (a->info)
        PMIX_INFO_FREE(a->info, a->n);
    free(a);
}

/* PMIx frees it when it is done; NULL: no memory. */
static struct group_answer *group_answer_new(struct pmixd_call *c, uint64_t id,
                                             struct str *endpoints)
{
    struct group_answer *a = calloc(1, sizeof(*a));
    pmix_data_array_t members = { .type = PMIX_PROC, .array = c->procs,
                                  .size = c->nprocs };
    pmix_byte_object_t bo = { .bytes = endpoints->s, .size = endpoints->n };
    size_t context = (size_t)id;

    if (!a)
        return NULL;
    a->n = endpoints->n ? 3 : 2;
    PMIX_INFO_CREATE(a->info, a->n);
    if (!a->info)
        return group_answer_free(a), NULL;
    PMIX_INFO_LOAD(&a->info[0], PMIX_GROUP_CONTEXT_ID, &context, PMIX_SIZE);
    PMIX_INFO_LOAD(&a->info[1], PMIX_GROUP_MEMBERSHIP, &members, PMIX_DATA_ARRAY);
    if (endpoints->n)
        PMIX_INFO_LOAD(&a->info[2], PMIX_GROUP_ENDPT_DATA, &bo, PMIX_BYTE_OBJECT);
    return a;
}

static void answer_group(struct pmixd_call *c, const void *data, size_t bytes)
{
    struct str endpoints = { 0 };
    struct group_answer *a = NULL;
    struct err err = { 0 };
    uint64_t id;

    if (contextid_unpack(data, bytes, &id, &endpoints, &err))
        log_warn("pmix", "group %s: %s", c->text, err.text);
    else if (!str_failed(&endpoints))
        a = group_answer_new(c, id, &endpoints);
    str_fini(&endpoints);
    if (a) {
        c->group(PMIX_SUCCESS, a->info, a->n, c->cbdata, group_answer_free, a);
        pmix_call_free(c);
    } else {
        pmixd_answer(c, PMIX_ERR_NOMEM);
    }
}

void pmixd_answer_data(struct pmixd_call *c, int status, const void *data,
                       size_t bytes)
{
    char *copy;

    if (c->group && status == PMIX_SUCCESS) {
        answer_group(c, data, bytes);
        return;
    }
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
