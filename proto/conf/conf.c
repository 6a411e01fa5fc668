/* conf.c - fills a struct from hector.conf by a table; see conf.h.
 *
 * inih splits the lines. It calls back without a line number and carries on
 * after an error, so lines are counted where they are read, and after the
 * first mistake the rest of the file reads as empty. */
#include "proto/conf/conf.h"

#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/parse.h"
#include "proto/base/paths.h"

/* Sections of the one file, whoever reads it. */
static const char *const conf_sections[] = {
    "hector", "master", "slave", "run", "emulate",
};

struct conf_reader {
    FILE *in;                           /* owned by conf_load */
    const char *path;
    const struct conf_key *keys;
    void *into;
    unsigned line;
    bool failed;
    struct err *err;                    /* may be NULL */
};

static void *conf_field(const struct conf_key *k, void *into)
{
    return (char *)into + k->offset;
}

static int conf_set_text(char **field, const char *value, struct err *err)
{
    char *copy = strdup(value);

    if (!copy)
        return err_memory(err);
    free(*field);
    *field = copy;
    return 0;
}

/* Doubles hold bounds of 64-bit numbers only nearly; the ends are meant. */
static uint64_t conf_u64(double v)
{
    return v >= 18446744073709551615.0 ? UINT64_MAX : (uint64_t)v;
}

static int conf_set_scaled(const struct conf_key *k, uint64_t *field,
                           const char *value, double scale, struct err *err)
{
    bool bounded = k->min != 0 || k->max != 0;
    uint64_t v;
    int rc = k->kind == CONF_DURATION ? parse_duration(&v, value, err)
                                      : parse_bytes(&v, value, err);

    if (rc < 0)
        return -1;
    if (bounded && (v < conf_u64(k->min * scale) ||
                    v > conf_u64(k->max * scale)))
        return err_set(err, ERANGE, "%.60s is not from %g to %g%s", value,
                       k->min, k->max,
                       k->kind == CONF_DURATION ? " s" : " bytes");
    *field = v;
    return 0;
}

static int conf_set_key(const struct conf_key *k, void *into,
                        const char *value, struct err *err)
{
    bool bounded = k->min != 0 || k->max != 0;
    void *field = conf_field(k, into);

    switch (k->kind) {
    case CONF_BOOL:
        return parse_bool(field, value, err);
    case CONF_INT:
        return parse_i64(field, value, bounded ? (int64_t)k->min : INT64_MIN,
                         bounded ? (int64_t)k->max : INT64_MAX, err);
    case CONF_REAL:
        return parse_double(field, value, bounded ? k->min : -1e300,
                            bounded ? k->max : 1e300, err);
    case CONF_DURATION:
        return conf_set_scaled(k, field, value, 1e9, err);
    case CONF_BYTES:
        return conf_set_scaled(k, field, value, 1, err);
    case CONF_TEXT:
        return conf_set_text(field, value, err);
    }
    return err_set(err, EINVAL, "key of unknown kind");
}

int conf_init(const struct conf_key *keys, void *into, struct err *err)
{
    for (const struct conf_key *k = keys; k->section; k++)
        if (conf_set_key(k, into, k->fallback ? k->fallback : "", err) < 0)
            return err_prefix(err, "default of %s in [%s]", k->name,
                              k->section);
    return 0;
}

void conf_fini(const struct conf_key *keys, void *into)
{
    for (const struct conf_key *k = keys; k->section; k++) {
        if (k->kind != CONF_TEXT)
            continue;
        char **text = conf_field(k, into);

        free(*text);
        *text = NULL;
    }
}

static bool conf_is_section(const char *section)
{
    for (size_t i = 0; i < sizeof(conf_sections) / sizeof(*conf_sections);
         i++)
        if (strcmp(section, conf_sections[i]) == 0)
            return true;
    return false;
}

int conf_set(const struct conf_key *keys, void *into, const char *section,
             const char *name, const char *value, struct err *err)
{
    bool ours = false;

    for (const struct conf_key *k = keys; k->section; k++) {
        if (strcmp(k->section, section) != 0)
            continue;
        ours = true;
        if (strcmp(k->name, name) != 0)
            continue;
        if (conf_set_key(k, into, value, err) < 0)
            return err_prefix(err, "%s", name);
        return 0;
    }
    if (!ours && conf_is_section(section))
        return 0;
    if (!ours && *section == '\0')
        return err_set(err, EINVAL, "%.40s stands before the first [section]",
                       name);
    if (!ours)
        return err_set(err, EINVAL, "there is no section [%.40s]", section);
    return err_set(err, EINVAL, "there is no key %.40s in section [%s]", name,
                   section);
}

/* ------------------------------------------------------------------- a file */

static void conf_mistake(struct conf_reader *r)
{
    r->failed = true;
    err_prefix(r->err, "%s:%u", r->path, r->line);
}

/* One line for inih, without leading blanks: it would take an indented line
 * for the continuation of the value before. */
static char *conf_read_line(char *buf, int size, void *stream)
{
    struct conf_reader *r = stream;

    if (r->failed || !fgets(buf, size, r->in))
        return NULL;
    r->line++;
    size_t n = strlen(buf), blanks = strspn(buf, " \t");

    if (n > 0 && buf[n - 1] != '\n' && !feof(r->in)) {
        err_set(r->err, EINVAL, "the line is longer than %d bytes", size - 2);
        conf_mistake(r);
        return NULL;
    }
    memmove(buf, buf + blanks, n - blanks + 1);
    return buf;
}

static int conf_on_pair(void *user, const char *section, const char *name,
                        const char *value)
{
    struct conf_reader *r = user;

    if (r->failed)
        return 0;
    if (conf_set(r->keys, r->into, section, name, value ? value : "",
                 r->err) < 0) {
        conf_mistake(r);
        return 0;
    }
    return 1;
}

int conf_load(const struct conf_key *keys, void *into, const char *path,
              struct err *err)
{
    struct conf_reader r = { .path = path, .keys = keys, .into = into,
                             .err = err };

    r.in = fopen(path, "re");
    if (!r.in)
        return err_sys(err, "cannot read %s", path);
    int rc = ini_parse_stream(conf_read_line, &r, conf_on_pair, &r);
    bool unread = ferror(r.in);

    fclose(r.in);
    /* inih names the first bad line, which may lie before the one we found. */
    if (rc > 0 && (!r.failed || (unsigned)rc < r.line))
        return err_set(err, EINVAL, "%s:%d: neither \"[section]\" nor "
                       "\"name = value\"", path, rc);
    if (r.failed)
        return -1;
    if (unread)
        return err_set(err, EIO, "cannot read %s", path);
    if (rc < 0)
        return err_set(err, ENOMEM, "%s: out of memory", path);
    return 0;
}

int conf_load_all(const struct conf_key *keys, void *into, const char *path,
                  struct err *err)
{
    char user[PATHS_MAX];
    struct err e = { 0 };

    if (path)
        return conf_load(keys, into, path, err);
    const char *const files[] = {
        "/etc/hector/hector.conf",
        paths_user_conf(user, sizeof(user), NULL) == 0 ? user : NULL,
    };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (files[i] && conf_load(keys, into, files[i], &e) < 0 &&
            e.code != ENOENT && e.code != ENOTDIR)
            return err_set(err, e.code, "%s", e.text);
    return 0;
}
