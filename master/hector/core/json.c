/* json.c - a row at a time, so that a million rows need no memory. */
#include "master/hector/core/json.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/str.h"

void json_begin(struct json_rows *j, FILE *out)
{
    j->out = out;
    j->n = 0;
    fputc('[', out);
}

/* How many bytes of s, of which n are left, are one character of UTF-8; 0 if
 * they are none. */
static size_t utf8_character(const unsigned char *s, size_t n)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t bytes = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2
                   : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    uint32_t c;

    if (bytes <= 1 || bytes > n)
        return bytes > n ? 0 : bytes;
    c = s[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3fu);
    }
    if (c < smallest[bytes] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    return bytes;
}

static json_t *text(const struct store_value *v)
{
    const unsigned char *s = (const unsigned char *)v->text;
    json_t *j = json_stringn(v->text ? v->text : "", v->bytes);
    struct str mended = { 0 };

    if (j)
        return j;
    for (size_t i = 0; i < v->bytes; ) {
        size_t n = utf8_character(s + i, v->bytes - i);

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
