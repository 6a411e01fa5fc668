/* row.c - what rows.h says of tables and columns, as SQL and as code.
 *
 * The parameters of a statement that puts a row have the names of its columns,
 * and their order; those that others write are left out. */
#include "master/store/row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "master/store/store_db.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

enum kind {
    KIND_COUNT, KIND_COUNT32, KIND_TOTAL, KIND_SIGNED, KIND_KNOWN,
    KIND_KNOWN32, KIND_NUMBER, KIND_LINK, KIND_MAYBE, KIND_FLAG, KIND_REAL,
    KIND_AMOUNT, KIND_BYTES, KIND_TEXT, KIND_NAME, KIND_MASTER, KIND_JOB, KIND_SESSION,
    KIND_NODE, KIND_LABEL,
};
enum rule {                     /* those from COUNTED on are written by others */
    RULE_KEY, RULE_LAST, RULE_FIRST, RULE_KEEP, RULE_MOST, RULE_SAYS,
    RULE_BATCH, RULE_COUNTED, RULE_APART,
};
enum how { HOW_KEYED, HOW_BARE, HOW_NUMBERED, HOW_ENDLESS, HOW_LISTED };

struct column {
    const char *name;
    enum kind kind;
    enum rule rule;
    int since, view;
    const char *about;
    size_t at;                  /* in the struct of the row */
};

struct table {
    const char *name;
    int since;
    enum how how;
    const char *view, *about;
    size_t bytes;               /* of the struct */
    const struct column *columns;
    size_t n;
};

/* Columns of a batch are in no struct. */
#define AT_KEY(name) offsetof(row_type, name)
#define AT_LAST AT_KEY
#define AT_FIRST AT_KEY
#define AT_KEEP AT_KEY
#define AT_MOST AT_KEY
#define AT_SAYS AT_KEY
#define AT_COUNTED AT_KEY
#define AT_APART AT_KEY
#define AT_BATCH(name) 0

#define COLUMN(name, KIND, RULE, since, view, about)                          \
    { #name, KIND_##KIND, RULE_##RULE, since, view, about, AT_##RULE(name) },
#define TABLE(name, since, HOW, view, about)                                  \
    static const struct table *table_##name(void)                             \
    {                                                                         \
        typedef struct store_##name row_type;                                 \
        static const struct column columns[] = { STORE_##name(COLUMN) };      \
        static const struct table t = { #name, since, HOW_##HOW, view, about, \
            sizeof(row_type), columns, COUNT_OF(columns) };                   \
                                                                              \
        return &t;                                                            \
    }
STORE_TABLES(TABLE)
#undef TABLE
#undef COLUMN

static const struct table *table_of(enum store_table table)
{
    static const struct table *(*const all[STORE_TABLE_COUNT])(void) = {
#define TABLE(name, since, HOW, view, about) table_##name,
        STORE_TABLES(TABLE)
#undef TABLE
    };

    return all[table]();
}

/* What users see besides the columns of the table itself: one that is reckoned,
 * and one that has another name there. */
static const struct { const char *view; int at; const char *name, *is; }
extras[] = {
    { "nodes", 1, "node", "t.name" },
    { "tasks", 11, "cpu_out_mpi_ns", "t.cpu_ns - t.cpu_in_mpi_ns" },
};

static const char *sql_type(enum kind kind)
{
    switch (kind) {
    case KIND_TEXT:
        return "TEXT";
    case KIND_NAME:
        return "TEXT UNIQUE NOT NULL";
    case KIND_BYTES:
        return "BLOB";
    case KIND_REAL:
    case KIND_AMOUNT:
        return "REAL";
    case KIND_TOTAL:
        return "INTEGER NOT NULL DEFAULT 0";
    default:
        return "INTEGER";
    }
}

/* Does putting a row write this column? */
static bool is_written(const struct column *c)
{
    return c->rule < RULE_COUNTED;
}

/* Does copying it into the file? */
static bool is_copied(const struct column *c)
{
    return c->rule != RULE_APART;
}

static bool is_in_struct(const struct column *c)
{
    return c->rule != RULE_BATCH;
}

static size_t count_keys(const struct table *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++)
        n += t->columns[i].rule == RULE_KEY;
    return n;
}

/* -------------------------------------------------------------- writing */

static void add_names(struct str *sql, const struct table *t,
                      const char *before,
                      bool (*which)(const struct column *))
{
    const char *comma = "";

    for (size_t i = 0; i < t->n; i++)
        if (which(&t->columns[i])) {
            str_addf(sql, "%s%s%s", comma, before, t->columns[i].name);
            comma = ", ";
        }
}

static void add_change(struct str *sql, const struct column *c)
{
    const char *n = c->name;

    switch (c->rule) {
    case RULE_KEEP:
        str_addf(sql, "%s = coalesce(excluded.%s, %s)", n, n, n);
        break;
    case RULE_MOST:
    case RULE_COUNTED:
        str_addf(sql, "%s = max(%s, excluded.%s)", n, n, n);
        break;
    default:
        str_addf(sql, "%s = excluded.%s", n, n);
    }
}

/* What is done with a row that is there already. */
static void add_conflict(struct str *sql, const struct table *t,
                         bool (*which)(const struct column *))
{
    const char *word = " ON CONFLICT DO UPDATE SET ";
    const char *says = NULL;

    if (count_keys(t) == 0)
        return;
    for (size_t i = 0; i < t->n; i++) {
        const struct column *c = &t->columns[i];

        if (!which(c) || c->rule == RULE_KEY || c->rule == RULE_FIRST)
            continue;
        str_add(sql, word);
        add_change(sql, c);
        word = ", ";
        says = c->rule == RULE_SAYS ? c->name : says;
    }
    if (*word == ' ')
        str_add(sql, " ON CONFLICT DO NOTHING");
    if (says)
        str_addf(sql, " WHERE excluded.%s IS NOT NULL", says);
}

static void add_insert(struct str *sql, const struct table *t)
{
    str_addf(sql, "INSERT INTO %s(", t->name);
    add_names(sql, t, "", is_written);
    str_add(sql, ") VALUES(");
    add_names(sql, t, ":", is_written);
    str_add(sql, ")");
    add_conflict(sql, t, is_written);
    if (t->how == HOW_NUMBERED && count_keys(t))
        str_add(sql, " RETURNING id");
}

static inline void bind_known(sqlite3_stmt *s, int at, uint64_t value)
{
    if (value)
        sqlite3_bind_int64(s, at, (int64_t)value);
    else
        sqlite3_bind_null(s, at);
}

static void bind_bytes(sqlite3_stmt *s, int at, const struct row_bytes *b)
{
    sqlite3_bind_blob(s, at, b->p, (int)b->n, SQLITE_STATIC);
}

static void bind_maybe(sqlite3_stmt *s, int at, const struct row_maybe *m)
{
    if (m->known)
        sqlite3_bind_int64(s, at, m->v);
    else
        sqlite3_bind_null(s, at);
}

/* kind is a constant where this is called. */
static inline __attribute__((always_inline))
void bind(sqlite3_stmt *s, int at, enum kind kind, const void *p)
{
    switch (kind) {
    case KIND_COUNT:
    case KIND_TOTAL:
    case KIND_JOB:
    case KIND_NUMBER:
        sqlite3_bind_int64(s, at, *(const int64_t *)p);
        break;
    case KIND_COUNT32:
        sqlite3_bind_int64(s, at, *(const uint32_t *)p);
        break;
    case KIND_SIGNED:
        sqlite3_bind_int(s, at, *(const int32_t *)p);
        break;
    case KIND_KNOWN:
    case KIND_LINK:
    case KIND_SESSION:
    case KIND_NODE:
        bind_known(s, at, *(const uint64_t *)p);
        break;
    case KIND_KNOWN32:
        bind_known(s, at, *(const uint32_t *)p);
        break;
    case KIND_MASTER:
        bind_known(s, at, *(const uint64_t *)p & INT64_MAX);
        break;
    case KIND_MAYBE:
        bind_maybe(s, at, p);
        break;
    case KIND_FLAG:
        sqlite3_bind_int(s, at, *(const bool *)p);
        break;
    case KIND_REAL:
        sqlite3_bind_double(s, at, *(const double *)p);
        break;
    case KIND_AMOUNT:
        if (*(const double *)p > 0)
            sqlite3_bind_double(s, at, *(const double *)p);
        else
            sqlite3_bind_null(s, at);
        break;
    case KIND_TEXT:
    case KIND_NAME:
        sqlite3_bind_text(s, at, *(const char *const *)p, -1, SQLITE_STATIC);
        break;
    case KIND_BYTES:
        bind_bytes(s, at, p);
        break;
    case KIND_LABEL:            /* who has the labels binds it */
        break;
    }
}

/* Here goes every event. So each table has a function of its own, in which a
 * column costs what it would cost if it was written by hand. */
#define COLUMN(name, KIND, RULE, since, view, about)                          \
    if (RULE_##RULE < RULE_BATCH)                                             \
        bind(s, at, KIND_##KIND, row + AT_##RULE(name));                      \
    at += RULE_##RULE < RULE_COUNTED;
#define TABLE(name, since, HOW, view, about)                                  \
    static void bind_row_##name(sqlite3_stmt *s, const char *row)             \
    {                                                                         \
        typedef struct store_##name row_type;                                 \
        int at = 1;                                                           \
                                                                              \
        STORE_##name(COLUMN)                                                  \
    }
STORE_TABLES(TABLE)
#undef TABLE
#undef COLUMN

void row_bind(sqlite3_stmt *s, enum store_table table, const void *row)
{
    static void (*const all[STORE_TABLE_COUNT])(sqlite3_stmt *,
                                                const char *) = {
#define TABLE(name, since, HOW, view, about) bind_row_##name,
        STORE_TABLES(TABLE)
#undef TABLE
    };

    all[table](s, row);
}

sqlite3_stmt *row_statement(struct store *st, enum store_table table,
                            struct err *err)
{
    sqlite3_stmt **s = &st->put[table];
    struct str sql = { 0 };

    if (*s)
        return *s;
    add_insert(&sql, table_of(table));
    if (str_failed(&sql))
        err_memory(err);
    else
        *s = store_prepare(st, str_text(&sql), err);
    str_fini(&sql);
    return *s;
}

int row_put(struct store *st, enum store_table table, const void *row,
            struct err *err)
{
    sqlite3_stmt *s = row_statement(st, table, err);

    if (!s)
        return -1;
    row_bind(s, table, row);
    return store_run(st, s, err);
}

/* ---------------------------------------------------------- reading back */

void row_columns(struct str *sql, enum store_table table, const char *p,
                 int version)
{
    const struct table *t = table_of(table);
    const char *comma = "";

    for (size_t i = 0; i < t->n; i++) {
        const struct column *c = &t->columns[i];

        if (!is_in_struct(c))
            continue;
        str_add(sql, comma);
        if (c->since <= version)
            str_addf(sql, "%s%s", p, c->name);
        else
            str_add(sql, "NULL");
        comma = ", ";
    }
}

static void read_value(const struct store_value *v, enum kind kind, void *p)
{
    bool text = v->type == STORE_TEXT;

    switch (kind) {
    case KIND_COUNT32:
    case KIND_KNOWN32:
    case KIND_LABEL:
        *(uint32_t *)p = (uint32_t)v->i;
        break;
    case KIND_SIGNED:
        *(int32_t *)p = (int32_t)v->i;
        break;
    case KIND_MAYBE:
        *(struct row_maybe *)p = (struct row_maybe){ v->type == STORE_INT,
                                                     v->i };
        break;
    case KIND_FLAG:
        *(bool *)p = v->i != 0;
        break;
    case KIND_REAL:
    case KIND_AMOUNT:
        *(double *)p = v->type == STORE_INT ? (double)v->i : v->d;
        break;
    case KIND_TEXT:
    case KIND_NAME:
        *(const char **)p = text ? v->text : NULL;
        break;
    case KIND_BYTES:
        *(struct row_bytes *)p = v->type == STORE_BLOB
            ? (struct row_bytes){ v->text ? v->text : "", v->bytes }
            : (struct row_bytes){ NULL, 0 };
        break;
    default:
        *(int64_t *)p = v->i;
    }
}

int row_read(enum store_table table, const struct store_value *v, void *row)
{
    const struct table *t = table_of(table);
    int n = 0;

    memset(row, 0, t->bytes);
    for (size_t i = 0; i < t->n; i++)
        if (is_in_struct(&t->columns[i]))
            read_value(&v[n++], t->columns[i].kind,
                       (char *)row + t->columns[i].at);
    return n;
}

/* -------------------------------------------------------------- keeping */

/* What a column has besides the struct; the pointer to it is in the struct. */
static size_t more_bytes(const struct column *c, const void *row)
{
    const void *p = (const char *)row + c->at;
    const char *text;

    if (c->kind == KIND_BYTES)
        return ((const struct row_bytes *)p)->n;
    if (c->kind != KIND_TEXT && c->kind != KIND_NAME)
        return 0;
    text = *(const char *const *)p;
    return text ? strlen(text) + 1 : 0;
}

void *row_copy(enum store_table table, const void *row)
{
    const struct table *t = table_of(table);
    size_t bytes = t->bytes;
    char *copy, *to;

    for (size_t i = 0; i < t->n; i++)
        bytes += more_bytes(&t->columns[i], row);
    copy = malloc(bytes);
    if (!copy)
        return NULL;
    memcpy(copy, row, t->bytes);
    to = copy + t->bytes;
    for (size_t i = 0; i < t->n; i++) {
        size_t n = more_bytes(&t->columns[i], row);
        void *at = copy + t->columns[i].at;     /* of either kind, a pointer */
        const void *from;

        if (n == 0)
            continue;
        memcpy(&from, at, sizeof(from));
        memcpy(to, from, n);
        memcpy(at, &to, sizeof(to));
        to += n;
    }
    return copy;
}

void row_set_job(enum store_table table, void *row, uint64_t job)
{
    const struct table *t = table_of(table);

    for (size_t i = 0; i < t->n; i++)
        if (t->columns[i].kind == KIND_JOB)
            *(uint64_t *)(void *)((char *)row + t->columns[i].at) = job;
}

/* --------------------------------------------- from memory into the file */

static void add_source(struct str *sql, const struct column *c)
{
    switch (c->kind) {
    case KIND_JOB:
        str_add(sql, "n.job");
        break;
    case KIND_SESSION:
        str_addf(sql, "(SELECT s.job FROM number s WHERE s.old = m.%s)",
                 c->name);
        break;
    case KIND_NODE:
        str_addf(sql, "(SELECT d.id FROM main.node o JOIN disk.node d"
                 " ON d.name = o.name WHERE o.id = m.%s)", c->name);
        break;
    case KIND_LABEL:
        str_addf(sql, "(SELECT d.id FROM main.label o JOIN disk.label d"
                 " ON d.text = o.text WHERE o.id = m.%s)", c->name);
        break;
    default:
        str_addf(sql, "m.%s", c->name);
    }
}

void row_merge(struct str *sql, enum store_table table, const char *where)
{
    const struct table *t = table_of(table);
    const char *comma = "";
    bool of_job = false;

    str_addf(sql, "INSERT INTO disk.%s(", t->name);
    add_names(sql, t, "", is_copied);
    str_add(sql, ") SELECT ");
    for (size_t i = 0; i < t->n; i++) {
        if (!is_copied(&t->columns[i]))
            continue;
        str_add(sql, comma);
        add_source(sql, &t->columns[i]);
        comma = ", ";
        of_job |= t->columns[i].kind == KIND_JOB;
    }
    str_addf(sql, " FROM main.%s m%s WHERE %s", t->name,
             of_job ? " JOIN number n ON n.old = m.job" : "", where);
    if (count_keys(t) == 0)
        str_addf(sql, " ORDER BY m.%s",
                 t->how == HOW_NUMBERED ? "id" : "rowid");
    add_conflict(sql, t, is_copied);
    str_add(sql, ";");
}

/* ---------------------------------------------------------------- schema */

static void add_about(struct str *sql, const char *about)
{
    if (about)
        str_addf(sql, "  -- %s", about);
    str_add(sql, "\n");
}

static void add_column(struct str *sql, const struct table *t,
                       const struct column *c)
{
    bool alone = c->rule == RULE_KEY && count_keys(t) == 1 &&
                 t->how != HOW_NUMBERED;

    str_addf(sql, "%s %s%s%s", c->name, sql_type(c->kind),
             alone ? " PRIMARY KEY" : "",
             alone && t->how == HOW_ENDLESS ? " AUTOINCREMENT" : "");
}

static void add_primary_key(struct str *sql, const struct table *t)
{
    const char *comma = "  PRIMARY KEY(";

    for (size_t i = 0; i < t->n; i++)
        if (t->columns[i].rule == RULE_KEY) {
            str_addf(sql, "%s%s", comma, t->columns[i].name);
            comma = ", ";
        }
    str_add(sql, ")");
}

/* As it was in that version. */
static void add_table(struct str *sql, const struct table *t, int version)
{
    size_t last = 0;
    bool keys = count_keys(t) > 1;

    for (size_t i = 0; i < t->n; i++)
        if (t->columns[i].since <= version)
            last = i;
    str_addf(sql, "CREATE TABLE %s(", t->name);
    add_about(sql, t->about);
    if (t->how == HOW_NUMBERED)
        str_add(sql, "  id INTEGER PRIMARY KEY,\n");
    for (size_t i = 0; i <= last; i++) {
        if (t->columns[i].since > version)
            continue;
        str_add(sql, "  ");
        add_column(sql, t, &t->columns[i]);
        str_add(sql, i < last || keys ? "," : "");
        add_about(sql, t->columns[i].about);
    }
    if (keys)
        add_primary_key(sql, t);
    str_addf(sql, ")%s;\n", t->how == HOW_BARE ? " WITHOUT ROWID" : "");
}

int row_schema_since(enum store_table table)
{
    return table_of(table)->since;
}

void row_schema_tables(struct str *sql, int version)
{
    for (int i = 0; i < STORE_TABLE_COUNT; i++)
        if (table_of(i)->since <= version)
            add_table(sql, table_of(i), version);
}

void row_schema_step(struct str *sql, int to)
{
    for (int i = 0; i < STORE_TABLE_COUNT; i++) {
        const struct table *t = table_of(i);

        if (t->since == to)
            add_table(sql, t, to);
        for (size_t k = 0; k < t->n && t->since < to; k++)
            if (t->columns[k].since == to) {
                str_addf(sql, "ALTER TABLE %s ADD COLUMN ", t->name);
                add_column(sql, t, &t->columns[k]);
                str_add(sql, ";\n");
            }
    }
}

int row_schema_version(void)
{
    int version = 1;

    for (int i = 0; i < STORE_TABLE_COUNT; i++) {
        const struct table *t = table_of(i);

        for (size_t k = 0; k < t->n; k++)
            if (t->columns[k].since > version)
                version = t->columns[k].since;
    }
    return version;
}

/* The column of a view at that position: its name, and what it is. False:
 * there is none. */
static bool view_column(const struct table *t, int at, struct str *name,
                        struct str *is)
{
    for (size_t i = 0; i < COUNT_OF(extras); i++)
        if (strcmp(extras[i].view, t->view) == 0 && extras[i].at == at) {
            str_add(name, extras[i].name);
            str_add(is, extras[i].is);
            return true;
        }
    for (size_t i = 0; i < t->n; i++) {
        const struct column *c = &t->columns[i];

        if (c->view != at)
            continue;
        str_add(name, c->name);
        if (c->kind == KIND_NODE)
            str_add(is, "n.name");
        else
            str_addf(is, "t.%s", c->name);
        return true;
    }
    return false;
}

static void add_view(struct str *sql, const struct table *t)
{
    struct str names = { 0 }, are = { 0 };

    for (int at = 1; ; at++) {
        struct str name = { 0 }, is = { 0 };
        bool any = view_column(t, at, &name, &is);

        if (any) {
            str_addf(&names, "%s%s", at > 1 ? ", " : "", str_text(&name));
            str_addf(&are, "%s%s", at > 1 ? ", " : "", str_text(&is));
        }
        str_fini(&name);
        str_fini(&is);
        if (!any)
            break;
    }
    str_addf(sql, "DROP VIEW IF EXISTS %s;\nCREATE VIEW %s(%s) AS\n"
             "  SELECT %s\n  FROM %s t%s;\n", t->view, t->view,
             str_text(&names), str_text(&are), t->name,
             strstr(str_text(&are), "n.name")
             ? " LEFT JOIN node n ON n.id = t.node" : "");
    str_fini(&names);
    str_fini(&are);
}

void row_schema_views(struct str *sql)
{
    for (int i = 0; i < STORE_TABLE_COUNT; i++)
        if (table_of(i)->view)
            add_view(sql, table_of(i));
}
