/* inputsums.c - see inputsums.h. Lines have one length, so that line i is of
 * piece i.
 *
 * Invariant: `piece` has been given all bytes from the last multiple of PIECE
 * before n up to n. Old lines are those of pieces that tasks have read of: what
 * comes later may be something else. */
#include "redirector/link/inputsums.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/paths.h"
#include "proto/conf/checkpointfile.h"

enum { PIECE = 64 << 10, SUM = 32, HEX = 2 * SUM, LINE = 20 + 1 + HEX + 1 };

struct line {
    uint64_t end;               /* bytes up to there */
    char sum[HEX + 1];
};

struct inputsums {
    struct line *old;           /* owned */
    size_t nold;
    char *to, *path;            /* owned; NULL: none are written */
    int fd;                     /* owned; -1: the file is not there yet */
    bool same;                  /* the old ones are in it */
    uint64_t n;
    crypto_generichash_state piece;
};

static void begin_piece(struct inputsums *s)
{
    crypto_generichash_init(&s->piece, NULL, 0, SUM);
}

static void sum_up(const struct inputsums *s, char sum[HEX + 1])
{
    crypto_generichash_state so_far = s->piece;
    uint8_t bytes[SUM];

    crypto_generichash_final(&so_far, bytes, SUM);
    sodium_bin2hex(sum, HEX + 1, bytes, SUM);
}

/* ------------------------------------------------------------- what it was */

static bool read_line(FILE *f, size_t i, struct line *l)
{
    char text[LINE + 1];

    return fread(text, 1, LINE, f) == LINE && text[LINE - 1] == '\n' &&
           (text[LINE] = '\0',
            sscanf(text, "%20" SCNu64 " %64[0-9a-f]", &l->end, l->sum) == 2) &&
           strlen(l->sum) == HEX && l->end > (uint64_t)i * PIECE &&
           l->end <= (uint64_t)(i + 1) * PIECE;
}

/* As many lines as tasks have read of. One that makes no sense is the last. */
static int read_old(struct inputsums *s, const char *dir, uint64_t needed,
                    struct err *err)
{
    size_t most = (size_t)(needed / PIECE + (needed % PIECE > 0));
    char path[PATHS_MAX];
    FILE *f;

    snprintf(path, sizeof(path), "%s/input", dir);
    f = fopen(path, "re");
    if (!f)
        return errno == ENOENT ? 0 : err_sys(err, "--restart: %.150s", path);
    s->old = calloc(most, sizeof(*s->old));
    if (most && !s->old) {
        fclose(f);
        return err_memory(err);
    }
    while (s->nold < most && read_line(f, s->nold, &s->old[s->nold]))
        s->nold++;
    fclose(f);
    return 0;
}

static bool is_same(const char *a, const char *b)
{
    struct stat x, y;

    return a && b && stat(a, &x) == 0 && stat(b, &y) == 0 &&
           x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

struct inputsums *inputsums_open(const char *to, const char *from,
                                 uint64_t needed, struct err *err)
{
    struct inputsums *s = calloc(1, sizeof(*s));

    if (!s)
        return err_memory(err), NULL;
    s->fd = -1;
    s->same = is_same(to, from);
    begin_piece(s);
    if (to && (!(s->to = strdup(to)) ||
               asprintf(&s->path, "%s/input", to) < 0)) {
        s->path = NULL;
        inputsums_close(s);
        return err_memory(err), NULL;
    }
    if (from && needed && read_old(s, from, needed, err)) {
        inputsums_close(s);
        return NULL;
    }
    return s;
}

void inputsums_close(struct inputsums *s)
{
    uint32_t *numbers = NULL;
    size_t n = 0;

    if (!s)
        return;
    if (s->fd >= 0) {
        close(s->fd);
        if (checkpointfile_list(s->to, &numbers, &n, NULL) == 0 && n == 0)
            unlink(s->path);
        free(numbers);
    }
    free(s->old);
    free(s->path);
    free(s->to);
    free(s);
}

/* -------------------------------------------------------------- what it is */

/* What was read again is there already. */
static int open_file(struct inputsums *s)
{
    s->fd = open(s->path, O_WRONLY | O_CREAT | O_CLOEXEC |
                 (s->same ? 0 : O_TRUNC), 0600);
    return s->fd < 0 || (s->same && ftruncate(s->fd, (off_t)(s->nold * LINE)))
           ? -1 : 0;
}

/* Of the piece that has come to s->n. */
static int write_line(struct inputsums *s, size_t i)
{
    char text[LINE + 1], sum[HEX + 1];

    if (!s->path || (s->same && i < s->nold && s->n <= s->old[i].end))
        return 0;
    if (s->fd < 0 && open_file(s))
        return -1;
    sum_up(s, sum);
    snprintf(text, sizeof(text), "%020" PRIu64 " %s\n", s->n, sum);
    return pwrite(s->fd, text, LINE, (off_t)(i * LINE)) == LINE ? 0 : -1;
}

static int write_no_more(struct inputsums *s, struct err *err)
{
    err_sys(err, "%.120s cannot be written: another hector-run cannot tell "
            "whether standard input is the same", s->path);
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    unlink(s->path);
    free(s->path);
    s->path = NULL;
    return -1;
}

static const struct line *old_line(const struct inputsums *s)
{
    size_t i = (size_t)(s->n / PIECE);

    return i < s->nold && s->old[i].end > s->n ? &s->old[i] : NULL;
}

/* As many as are of one piece, and can be compared at once. */
static size_t add_some(struct inputsums *s, const uint8_t *p, size_t n)
{
    const struct line *old = old_line(s);
    uint64_t most = old ? old->end - s->n : PIECE - s->n % PIECE;

    n = n < most ? n : (size_t)most;
    crypto_generichash_update(&s->piece, p, n);
    s->n += n;
    return n;
}

static int differs(const struct line *old, uint64_t begin, struct err *err)
{
    return err_set(err, EBADMSG, "standard input is another one: bytes %" PRIu64
                   " to %" PRIu64 " of it are not those that it had; give the "
                   "same again", begin, old->end);
}

int inputsums_add(struct inputsums *s, uint64_t at, const void *p, size_t n,
                  struct err *err)
{
    size_t known = s->n > at ? s->n - at < n ? (size_t)(s->n - at) : n : 0;
    const uint8_t *next = (const uint8_t *)p + known;
    int rc = 0;

    if (at > s->n)              /* of a file, past what tasks had read of it */
        return s->path ? (errno = ESPIPE, write_no_more(s, err)) : 0;
    for (size_t left = n - known; left; ) {
        const struct line *old = old_line(s);
        uint64_t begin = s->n - s->n % PIECE;
        size_t some = add_some(s, next, left);
        char sum[HEX + 1];

        next += some;
        left -= some;
        if (old && s->n == old->end) {
            sum_up(s, sum);
            if (strcmp(sum, old->sum) != 0)
                return differs(old, begin, err);
        }
        if ((left == 0 || s->n % PIECE == 0) &&
            write_line(s, (size_t)(begin / PIECE)))
            rc = write_no_more(s, err);
        if (s->n % PIECE == 0)
            begin_piece(s);
    }
    return rc;
}

int inputsums_end(struct inputsums *s, struct err *err)
{
    const struct line *old = old_line(s);

    return old ? differs(old, s->n - s->n % PIECE, err) : 0;
}

uint64_t inputsums_good(const struct inputsums *s)
{
    return old_line(s) ? s->n - s->n % PIECE : UINT64_MAX;
}
