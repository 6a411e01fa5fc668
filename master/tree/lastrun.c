/* lastrun.c - see lastrun.h. */
#include "master/tree/lastrun.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/message.h"
#include "proto/model/runkey.h"

enum { LASTRUN_TEXT_MAX = 16384, LASTRUN_VALUE_MAX = 1000 };    /* bytes */

/* What an environment holds is the user's own affair, and passwords are in it:
 * of these variables alone the values are kept. The injector's is not one of
 * them: what it does is to be found without being told. */
static const char *const counts[] = {
    "OMP_*", "KMP_*", "GOMP_*", "MKL_*", "OPENBLAS_*", "BLIS_*", "OMPI_MCA_*",
    "PMIX_MCA_*", "PRTE_MCA_*", "MPICH_*", "I_MPI_*", "UCX_*", "FI_*", "PSM2_*",
    "MALLOC_*", "GLIBC_TUNABLES", "LD_LIBRARY_PATH", "LD_BIND_NOW",
    "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
};

static void add_word(struct str *out, const ProtobufCBinaryData *word)
{
    char *text = strndup((const char *)word->data, word->len);

    if (text)
        str_add_quoted(out, text);
    free(text);
}

void lastrun_what(const Hct__Submit *s, struct str *out)
{
    for (size_t a = 0; a < s->n_apps; a++) {
        const Hct__App *app = s->apps[a];

        if (s->n_apps > 1)
            str_addf(out, "%s-n %u ", a ? " : " : "", app->ntasks);
        for (size_t i = 0; i < app->n_argv && out->n < LASTRUN_TEXT_MAX; i++) {
            str_add(out, i ? " " : "");
            add_word(out, &app->argv[i]);
        }
    }
}

static bool is_kept(const ProtobufCBinaryData *variable)
{
    const char *equals = memchr(variable->data, '=', variable->len);
    char name[100];
    size_t n = equals ? (size_t)(equals - (const char *)variable->data) : 0;

    if (n == 0 || n >= sizeof(name) || variable->len > LASTRUN_VALUE_MAX)
        return false;
    memcpy(name, variable->data, n);
    name[n] = '\0';
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        if (fnmatch(counts[i], name, 0) == 0)
            return true;
    return false;
}

/* Of the first program: it is the same for all, but for who says otherwise. */
void lastrun_environment(const Hct__Submit *s, struct str *out)
{
    const Hct__App *app = s->n_apps ? s->apps[0] : NULL;

    for (size_t i = 0; app && i < app->n_env; i++)
        if (is_kept(&app->env[i]) && out->n < LASTRUN_TEXT_MAX &&
            !memchr(app->env[i].data, '\n', app->env[i].len)) {
            str_add_bytes(out, app->env[i].data, app->env[i].len);
            str_add(out, "\n");
        }
}

static void put(struct journal *jn, const struct job *j,
                const Hct__Model *model, bool well)
{
    Hct__Submit *s = hct__submit__unpack(NULL, j->submit.n, j->submit.bytes);
    struct str what = { 0 }, environment = { 0 }, builds = { 0 };
    struct store_run row = { .at_ns = clock_wall_ns(), .good = well };

    if (s) {
        lastrun_what(s, &what);
        lastrun_environment(s, &environment);
    }
    if (model)
        runkey_builds(model, &builds);
    if (s && !str_failed(&what) && !str_failed(&environment) &&
        !str_failed(&builds)) {
        row.what = str_text(&what);
        row.environment = str_text(&environment);
        if (model) {
            row.builds = str_text(&builds);
            row.program = (int64_t)runkey_make(row.builds, row.what,
                                               j->ntasks);
        }
        journal_run(jn, j, &row);
    }
    str_fini(&what);
    str_fini(&environment);
    str_fini(&builds);
    if (s)
        hct__submit__free_unpacked(s, NULL);
}

void lastrun_begin(struct journal *jn, const struct job *j)
{
    put(jn, j, NULL, false);
}

void lastrun_end(struct journal *jn, const struct job *j,
                 const struct str *model, bool well)
{
    Hct__Model *m = !str_failed(model) && model->n
        ? hct__model__unpack(NULL, model->n, (const uint8_t *)model->s) : NULL;

    put(jn, j, m && m->n_phase ? m : NULL, well);
    if (m)
        hct__model__free_unpacked(m, NULL);
}
