/* json.c - a row at a time, so that a million rows need no memory. */
#include "master/hector/core/json.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "proto/base/str.h"

void json_begin(struct json_rows *j, FILE *out)
{
    j->out = out;
    j->n = 0;
    fputc('[', out);
}

static json_t *text(const char *bytes, size_t n)
{
    json_t *j = json_stringn(bytes, n);
    struct str mended = { 0 };

    if (j)
        return j;
    str_add_utf8(&mended, bytes, n);
    if (!str_failed(&mended))
        j = json_stringn(str_text(&mended), mended.n);
    str_fini(&mended);
    return j;
}

static json_t *value(const struct store_value *v)
{
    switch (v->type) {
    case STORE_INT:
        return json_integer(v->i);
    case STORE_REAL:
        return json_real(v->d);
    case STORE_TEXT:
    case STORE_BLOB:
        return text(v->text ? v->text : "", v->bytes);
    case STORE_NULL:
        break;
    }
    return json_null();
}

int json_add(struct json_rows *j, int ncolumns, const char *const *names,
             const struct store_value *values, struct err *err)
{
    json_t *row = json_object();
    bool good = row != NULL;

    for (int i = 0; good && i < ncolumns; i++)
        good = json_object_set_new(row, names[i], value(&values[i])) == 0;
    if (good) {
        fputs(j->n++ ? ",\n " : "", j->out);
        good = json_dumpf(row, j->out, JSON_COMPACT | JSON_REAL_PRECISION(15))
               == 0;
    }
    json_decref(row);
    return good ? 0 : err_set(err, EIO, "cannot write a row as JSON");
}

int json_end(struct json_rows *j, struct err *err)
{
    fputs("]\n", j->out);
    if (fflush(j->out) || ferror(j->out))
        return err_sys(err, "cannot write");
    return 0;
}

json_t *json_name(const char *name)
{
    return text(name, strlen(name));
}
