/* saved.c - checkpoints of a run: see saved.h. */
#include "redirector/start/saved.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/array.h"
#include "proto/base/paths.h"
#include "proto/base/str.h"
#include "proto/conf/checkpointfile.h"
#include "redirector/out/say.h"
#include "redirector/start/dirlock.h"
#include "redirector/start/former.h"

/* Of a path, for what is below it. */
enum { SAVED_BELOW = 64 };
enum { PIECE = 64 << 10 };              /* of a file, at a time */
/* A run before may yet be ended by its batch system, and a server of NFS keeps locks
 * of a machine that died for 90 s. */
enum { SAVED_WAIT_S = 120 };

static void saved_drop(struct saved *s)
{
    for (size_t i = 0; i < s->n; i++)
        hct__checkpoint__free_unpacked(s->v[i], NULL);
    if (s->submit)
        hct__submit__free_unpacked(s->submit, NULL);
    free(s->v);
    s->v = NULL;
    s->n = 0;
    s->submit = NULL;
}

void saved_fini(struct saved *s)
{
    saved_drop(s);
    inputsums_close(s->sums);
    free(s->dir);
    if (s->lock > 0)
        close(s->lock);
    *s = (struct saved){ 0 };
}

/* To be freed. */
static char *absolute(const char *dir, struct err *err)
{
    char *here = *dir == '/' ? NULL : get_current_dir_name(), *path = NULL;

    if (*dir != '/' && !here)
        return err_sys(err, "cannot tell the current directory"), NULL;
    if (asprintf(&path, "%s%s%s", here ? here : "", here ? "/" : "", dir) < 0)
        path = NULL;
    free(here);
    if (!path)
        return err_memory(err), NULL;
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; )
        path[--n] = '\0';
    if (strlen(path) < PATHS_MAX - SAVED_BELOW)
        return path;
    free(path);
    err_set(err, ENAMETOOLONG, "%.60s...: the path of that directory is too "
            "long", dir);
    return NULL;
}

/* ------------------------------------------------------- where new ones go to */

static int try_to_write(const char *dir, struct err *err)
{
    char path[PATHS_MAX];
    int fd;

    snprintf(path, sizeof(path), "%s/.hector-XXXXXX", dir);
    fd = mkstemp(path);
    if (fd < 0)
        return err_sys(err, "--checkpoint-dir: cannot write to %.150s", dir);
    close(fd);
    unlink(path);
    return 0;
}

static int make_directory(const char *dir, struct err *err)
{
    struct stat st;

    if (paths_make_parents(dir, err))
        return err_prefix(err, "--checkpoint-dir");
    if (mkdir(dir, 0700) && errno != EEXIST)
        return err_sys(err, "--checkpoint-dir: cannot make %.150s", dir);
    if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
        errno = ENOTDIR;
    else
        return try_to_write(dir, err);
    return err_sys(err, "--checkpoint-dir: cannot use %.150s", dir);
}

static bool same_directory(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* Before anybody looks at what is in there. */
static int take_directory(struct saved *s, const char *dir, struct err *err)
{
    char who[FORMER_NAME];
    int fd = -1;

    s->dir = absolute(dir, err);
    if (!s->dir || make_directory(s->dir, err))
        return -1;
    former_name(who);
    if (dirlock_take(&fd, s->dir, who, former_runs() ? SAVED_WAIT_S : 0, err))
        return err_prefix(err, "--checkpoint-dir");
    s->lock = fd > 0 ? fd : 0;
    return 0;
}

/* ------------------------------------------- what former runs have left */

/* A job that was requeued goes on from there, and nobody has to say so. */
static int look_for_former(struct saved *s, struct options *o, struct err *err)
{
    uint32_t *numbers = NULL;
    size_t n = 0;

    if (!former_may_be())
        return 0;
    if (checkpointfile_list(o->checkpoint_dir, &numbers, &n, err))
        return -1;
    free(numbers);
    s->former = n > 0;
    if (s->former)
        o->restart = o->checkpoint_dir;
    else
        former_say_none(o->checkpoint_dir);
    return 0;
}

/* Who has wished that the tasks are made of checkpoints. */
static const char *wish_of(const struct saved *s)
{
    return s->former ? "--checkpoint-dir" : "--restart";
}

/* Whose they are, where that can be read. */
static int refuse_full(const char *dir, uint32_t newest, struct err *err)
{
    Hct__Checkpoint *c = NULL;
    char whose[80] = "";

    if (checkpointfile_read(dir, newest, &c, NULL) == 0)
        snprintf(whose, sizeof(whose), " of job %llu, \"%.50s\"",
                 (unsigned long long)c->job, c->command);
    if (c)
        hct__checkpoint__free_unpacked(c, NULL);
    return err_set(err, EEXIST, "--checkpoint-dir: %.60s has checkpoints "
                   "already%s: --restart %.60s goes on from them, or give "
                   "another directory", dir, whose, dir);
}

static int open_directory(const char *dir, const char *restart, struct err *err)
{
    uint32_t *numbers = NULL;
    size_t n = 0;
    int rc = 0;

    if (checkpointfile_list(dir, &numbers, &n, err))
        return -1;
    if (n > 0 && !(restart && same_directory(dir, restart)))
        rc = refuse_full(dir, numbers[0], err);
    free(numbers);
    return rc;
}

/* -------------------------------------------------- those that tasks are made of */

static bool makes_sense(const Hct__Submit *m, const Hct__Checkpoint *c)
{
    uint64_t ntasks = 0;

    for (size_t i = 0; i < m->n_apps; i++) {
        if (m->apps[i]->n_argv == 0 || m->apps[i]->argv[0].len == 0)
            return false;
        ntasks += m->apps[i]->ntasks;
    }
    return ntasks > 0 && ntasks <= OPTIONS_TASKS_MAX && ntasks == c->ntasks &&
           c->n_tasks == ntasks;
}

/* One more that is good. */
static int add(struct saved *s, size_t *cap, Hct__Checkpoint *c, const char *dir,
               struct err *err)
{
    Hct__Submit *m = hct__submit__unpack(NULL, c->submit.len, c->submit.data);
    char *where = strdup(dir);

    if (!m || !makes_sense(m, c) ||
        (s->n > 0 && c->ntasks != s->v[0]->ntasks)) {
        err_set(err, EBADMSG, "checkpoint %u in %.100s does not say of what "
                "tasks it is", c->number, dir);
    } else if (!where || array_reserve(&s->v, cap, s->n + 1)) {
        err_memory(err);
    } else {
        free(c->submit.data);
        c->submit = (ProtobufCBinaryData){ 0, NULL };
        if (c->dir != protobuf_c_empty_string)
            free(c->dir);
        c->dir = where;         /* it may have been moved */
        s->v[s->n++] = c;
        if (s->n == 1)
            s->submit = m;
        else
            hct__submit__free_unpacked(m, NULL);
        return 0;
    }
    if (m)
        hct__submit__free_unpacked(m, NULL);
    free(where);
    return -1;
}

/* All that are good; why is what was wrong with the newest that is none. */
static int read_all(struct saved *s, const char *dir, struct err *why)
{
    uint32_t *numbers = NULL;
    size_t n = 0, cap = 0;
    struct err err;

    if (checkpointfile_list(dir, &numbers, &n, why))
        return -1;
    if (n == 0)
        err_set(why, ENOENT, "--restart: there are no checkpoints in %.180s",
                dir);
    for (size_t i = 0; i < n; i++) {
        Hct__Checkpoint *c = NULL;

        if (checkpointfile_read(dir, numbers[i], &c, &err) == 0 &&
            add(s, &cap, c, dir, &err) == 0)
            continue;
        if (c)
            hct__checkpoint__free_unpacked(c, NULL);
        if (i == 0)
            *why = err;
    }
    if (s->n > 0 && s->v[0]->number != numbers[0])
        say(SAY_ERROR, "%s: the tasks go on from checkpoint %u", why->text,
            s->v[0]->number);
    free(numbers);
    return s->n > 0 ? 0 : -1;
}

static void add_words(struct str *to, const ProtobufCBinaryData *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *word = strndup((const char *)v[i].data, v[i].len);

        str_add(to, i ? " " : "");
        str_add_quoted(to, word ? word : "");
        free(word);
    }
}

/* Programs as a person gives them. */
static void add_saved(struct str *to, const Hct__Submit *m)
{
    for (size_t i = 0; i < m->n_apps; i++) {
        str_add(to, i ? " : " : "");
        add_words(to, m->apps[i]->argv, m->apps[i]->n_argv);
    }
}

static void add_given(struct str *to, const struct options *o)
{
    for (size_t i = 0; i < o->napps; i++) {
        str_add(to, i ? " : " : "");
        for (size_t k = 0; k < o->apps[i].argc; k++) {
            str_add(to, k ? " " : "");
            str_add_quoted(to, o->apps[i].argv[k]);
        }
    }
}

static int check_programs(const struct saved *s, const struct options *o,
                          struct err *err)
{
    struct str ours = { 0 }, given = { 0 };
    int rc = 0;

    add_saved(&ours, s->submit);
    add_given(&given, o);
    if (str_failed(&ours) || str_failed(&given))
        rc = err_memory(err);
    else if (o->apps[0].argc > 0 &&
             strcmp(str_text(&ours), str_text(&given)) != 0)
        rc = err_set(err, EINVAL, "%s: %.80s has checkpoints of `%.60s`, not of "
                     "`%.60s`", wish_of(s), o->restart, str_text(&ours),
                     str_text(&given));
    str_fini(&ours);
    str_fini(&given);
    return rc;
}

/* What -n says: of each program, or, where none was given, of all. */
static int check_tasks(const struct saved *s, const struct options *o,
                       struct err *err)
{
    for (size_t i = 0; i < o->napps; i++) {
        uint32_t n = o->napps == 1 ? s->v[0]->ntasks
                                   : s->submit->apps[i]->ntasks;

        if (o->apps[i].ntasks && o->apps[i].ntasks != n)
            return err_set(err, EINVAL, "-n %u: %.120s has checkpoints of %u "
                           "task%s", o->apps[i].ntasks, o->restart, n,
                           n == 1 ? "" : "s");
    }
    return 0;
}

/* ------------------------------------------------- standard input, once more */

static bool reads(const struct options *o, uint32_t rank)
{
    return strcmp(o->stdin_ranks, "all") == 0 ||
           (strcmp(o->stdin_ranks, "none") != 0 &&
            strtoul(o->stdin_ranks, NULL, 10) == rank);
}

/* So many bytes of it have those tasks read. */
static uint64_t input_of(const Hct__Checkpoint *c, const struct options *o)
{
    uint64_t bytes = 0;

    for (uint32_t r = 0; r < c->n_tasks; r++)
        if (c->tasks[r]->reads && reads(o, r) && c->tasks[r]->in_bytes > bytes)
            bytes = c->tasks[r]->in_bytes;
    return bytes;
}

/* Where a file begins that standard input is; -1: it is none. */
static off_t file_begins(struct stat *st)
{
    return fstat(STDIN_FILENO, st) == 0 && S_ISREG(st->st_mode)
           ? lseek(STDIN_FILENO, 0, SEEK_CUR) : -1;
}

/* The first bytes of it, that tasks have read, have to be there, as the rest is
 * to follow: of a pipe they may come. */
static int check_input(const Hct__Checkpoint *c, const struct options *o,
                       const char *wish, struct err *err)
{
    uint64_t bytes = input_of(c, o);
    struct stat st = { 0 };
    off_t at = file_begins(&st);

    if (!bytes || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ||
        (at >= 0 && st.st_size >= at && (uint64_t)(st.st_size - at) >= bytes))
        return 0;
    return err_set(err, EINVAL, "%s: tasks of checkpoint %u in %.80s have "
                   "read standard input up to byte %llu: give the same again, "
                   "as a file or by a pipe, from its beginning, or --stdin none",
                   wish, c->number, c->dir, (unsigned long long)bytes);
}

/* Older ones may ask for more. */
static int check_inputs(struct saved *s, const struct options *o,
                        struct err *err)
{
    struct err why;

    if (check_input(s->v[0], o, wish_of(s), err))
        return -1;
    for (size_t i = 1; i < s->n; i++)
        if (check_input(s->v[i], o, wish_of(s), &why))
            while (s->n > i)
                hct__checkpoint__free_unpacked(s->v[--s->n], NULL);
    return 0;
}

/* A file says at once whether it is the same. */
static int compare_file(struct inputsums *sums, uint64_t bytes,
                        const char *wish, struct err *err)
{
    static char piece[PIECE];
    struct stat st;
    off_t begin = file_begins(&st);
    uint64_t at = 0;

    while (begin >= 0 && (at < bytes || inputsums_good(sums) < bytes)) {
        ssize_t n = pread(STDIN_FILENO, piece, sizeof(piece),
                          begin + (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "%s: standard input cannot be read", wish);
        if (n == 0)
            return inputsums_end(sums, err) ? err_prefix(err, "%s", wish) : 0;
        if (inputsums_add(sums, at, piece, (size_t)n, err)) {
            if (err->code == EBADMSG)
                return err_prefix(err, "%s", wish);
            say(SAY_ERROR, "%s", err->text);
        }
        at += (uint64_t)n;
    }
    return 0;
}

/* from: of those checkpoints that the tasks are made of; NULL: of none. */
static int open_sums(struct saved *s, const char *from, const struct options *o,
                     struct err *err)
{
    uint64_t bytes = from ? input_of(s->v[0], o) : 0;

    if (!s->dir && !from)
        return 0;
    s->sums = inputsums_open(s->dir, from, bytes, err);
    return s->sums ? compare_file(s->sums, bytes, wish_of(s), err) : -1;
}

static int apply(const struct saved *s, struct options *o, struct err *err)
{
    size_t n = s->submit->n_apps;

    if (check_programs(s, o, err) || check_tasks(s, o, err))
        return -1;
    if (array_reserve(&o->apps, &o->apps_cap, n))
        return err_memory(err);
    for (size_t i = 0; i < n; i++)
        o->apps[i] = (struct options_app){
            .ntasks = s->submit->apps[i]->ntasks };
    o->napps = n;
    return 0;
}

/* Those of a run that the batch system's job did not have are not taken. */
static int check_former(const struct saved *s, const char *dir, struct err *err)
{
    return !s->former || former_is(s->submit) ? 0
           : refuse_full(dir, s->v[0]->number, err);
}

static int open_restart(struct saved *s, struct options *o, const char *from,
                        struct err *err)
{
    if (read_all(s, from, err) || check_former(s, from, err) ||
        apply(s, o, err))
        return -1;
    return check_inputs(s, o, err);
}

int saved_open(struct saved *s, struct options *o, struct err *err)
{
    char *from = NULL, text[200];
    int rc = 0;

    *s = (struct saved){ 0 };
    if (o->checkpoint_dir)
        rc = take_directory(s, o->checkpoint_dir, err);
    if (!rc && o->checkpoint_dir && !o->restart)
        rc = look_for_former(s, o, err);
    if (!rc && o->checkpoint_dir)
        rc = open_directory(s->dir, o->restart, err);
    if (!rc && o->restart) {
        from = absolute(o->restart, err);
        rc = from ? open_restart(s, o, from, err) : -1;
    }
    if (!rc)
        rc = open_sums(s, from, o, err);
    free(from);
    if (!rc && s->former)
        former_say(s->v[0]);
    if (rc && s->former) {
        former_text(text, sizeof(text));
        err_prefix(err, "%s", text);
    }
    if (rc)
        saved_fini(s);
    return rc;
}
