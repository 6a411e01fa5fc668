/* json.c - a row at a time, so that a million rows need no memory. */
#include "master/hector/core/json.h"

#include <errno.h>
#include <stdbool.h>

#include "proto/base/str.h"

void json_begin(struct json_rows *j, FILE *out)
{
    j->out = out;
    j->n = 0;
    fputc('[', out);
}

static json_t *text(const struct store_value *v)
{
    const unsigned char *s = (const unsigned char *)v->text;
    json_t *j = json_stringn(v->text ? v->text : "", v->bytes);
    struct str mended = { 0 };

    if (j)
        return j;
    for (size_t i = 0; i < v->bytes; ) {
        size_t n = str_character(s + i, v->bytes - i);

        if (n)
            str_add_bytes(&mended, s + i, n);
        else
            str_add(&mended, "\xef\xbf\xbd");
        i += n ? n : 1;
    }
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
        return text(v);
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

json_t *json_name(const char *text)
{
    json_t *j = json_string(text);
    struct str safe = { 0 };

    if (j)
        return j;
    for (; *text; text++)
        str_addf(&safe, "%c", (unsigned char)*text < 128 ? *text : '?');
    j = json_string(str_text(&safe));
    str_fini(&safe);
    return j;
}
