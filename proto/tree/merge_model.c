/* merge_model.c - models of tasks on many slaves become one, see jobmodel.h. A
 * part without a byte is a slave that has no task. */
#include "proto/tree/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "proto/model/jobmodel.h"
#include "proto/model/tasknotes.h"

struct whole { struct jobmodel model; struct tasknotes notes; };

static void model_destroy(void *whole)
{
    struct whole *w = whole;

    if (!w)
        return;
    jobmodel_fini(&w->model);
    tasknotes_fini(&w->notes);
    free(w);
}

static void *model_create(uint32_t width, struct err *err)
{
    struct whole *w = calloc(1, sizeof(*w));

    if (!w)
        return err_memory(err), NULL;
    if (jobmodel_init(&w->model, width, err)) {
        free(w);
        return NULL;
    }
    return w;
}

static int model_add(void *whole, const uint8_t *bytes, size_t n, uint32_t at,
                     uint32_t width, struct err *err)
{
    struct whole *w = whole;
    struct jobmodel part;
    Hct__Model *m;
    int rc;

    if (n == 0)
        return 0;
    m = hct__model__unpack(NULL, n, bytes);
    if (!m)
        return err_set(err, EBADMSG, "this is no model");
    rc = jobmodel_read(&part, m, err);
    if (rc == 0) {
        if (part.width != width || at > w->model.width ||
            width > w->model.width - at)
            rc = err_set(err, EBADMSG, "a model of %u tasks in place of %u",
                         part.width, width);
        rc = rc || jobmodel_merge(&w->model, &part, at, err) ? -1 : 0;
        jobmodel_fini(&part);
    }
    if (rc == 0)
        tasknotes_add(&w->notes, m->notes, m->n_notes, at, width);
    hct__model__free_unpacked(m, NULL);
    return rc;
}

static int model_pack(const void *whole, struct str *out, struct err *err)
{
    const struct whole *w = whole;

    return jobmodel_write(&w->model, &w->notes, NULL, 0, out, err);
}

static int model_finish(const void *whole, const uint32_t *rank_of,
                        uint32_t ntasks, struct str *out, struct err *err)
{
    const struct whole *w = whole;

    return jobmodel_write(&w->model, &w->notes, rank_of, ntasks, out, err);
}

const struct merge_kind merge_model = {
    "model", model_create, model_destroy, model_add, model_pack, model_finish,
};
