/* pack.c - see pack.h. */
#include "slave/keep/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "proto/base/writeall.h"

/* The quickest of the levels that are numbered: a job runs beside it. */
enum { LEVEL = 1, PARTS = 16, PART = 64 << 10, PIECE = 1 << 20, HEAD = 18 };

static char piece[PIECE];

bool pack_pays(int image, uint64_t bytes)
{
    size_t room = ZSTD_compressBound(PART), before = 0, after = 0;
    char *to = malloc(room);

    for (uint64_t i = 0; to && i < PARTS; i++) {
        ssize_t n = pread(image, piece, PART, (off_t)(bytes / PARTS * i));
        size_t packed;

        if (n <= 0)
            break;
        packed = ZSTD_compress(to, room, piece, (size_t)n, LEVEL);
        if (ZSTD_isError(packed))
            break;
        before += (size_t)n;
        after += packed;
    }
    free(to);
    return after < before / 4 * 3;
}

uint64_t pack_original(int image)
{
    char head[HEAD];
    ssize_t n = pread(image, head, sizeof(head), 0);
    unsigned long long bytes = n > 0 ? ZSTD_getFrameContentSize(head, (size_t)n)
                                     : ZSTD_CONTENTSIZE_ERROR;

    return bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN
               ? 0 : bytes;
}

/* ------------------------------------------------------------------- smaller */

struct pack {
    ZSTD_CCtx *context;
    char out[PIECE];
};

struct pack *pack_open(uint64_t bytes)
{
    struct pack *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->context = ZSTD_createCCtx();
    if (p->context &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_compressionLevel,
                                             LEVEL)) &&
        !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(p->context, bytes)))
        return p;
    pack_close(p);
    return NULL;
}

int pack_put(struct pack *p, int to, const void *data, size_t bytes, bool last,
             uint64_t *written)
{
    ZSTD_inBuffer in = { data, bytes, 0 };
    size_t left;

    do {
        ZSTD_outBuffer out = { p->out, sizeof(p->out), 0 };

        left = ZSTD_compressStream2(p->context, &out, &in,
                                    last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return errno = EIO, -1;     /* it has become longer, or shorter */
        if (write_all(to, p->out, out.pos))
            return -1;
        *written += out.pos;
    } while (last ? left > 0 : in.pos < in.size);
    return 0;
}

void pack_close(struct pack *p)
{
    if (!p)
        return;
    ZSTD_freeCCtx(p->context);
    free(p);
}

/* --------------------------------------------------------------------- whole */

struct undo {
    ZSTD_DCtx *context;
    bool over;                  /* the frame is */
    char out[PIECE];
};

static int undo_piece(struct undo *u, int to, size_t bytes, struct err *err)
{
    ZSTD_inBuffer in = { piece, bytes, 0 };

    while (in.pos < in.size) {
        ZSTD_outBuffer out = { u->out, sizeof(u->out), 0 };
        size_t rc = u->over ? 0 : ZSTD_decompressStream(u->context, &out, &in);

        if (u->over)
            return err_set(err, EBADMSG, "it goes on behind its end");
        if (ZSTD_isError(rc))
            return err_set(err, EBADMSG, "it is damaged: %s",
                           ZSTD_getErrorName(rc));
        if (write_all(to, u->out, out.pos))
            return err_sys(err, "cannot write");
        u->over = rc == 0;
    }
    return 0;
}

static int undo_all(struct undo *u, int from, int to, struct err *err)
{
    ssize_t n;

    for (;;) {
        n = read(from, piece, sizeof(piece));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        if (undo_piece(u, to, (size_t)n, err))
            return -1;
    }
    if (n < 0)
        return err_sys(err, "cannot read");
    return u->over ? 0 : err_set(err, EBADMSG, "it ends too early");
}

int pack_undo(int from, int to, struct err *err)
{
    struct undo *u = calloc(1, sizeof(*u));
    int rc = -1;

    if (u)
        u->context = ZSTD_createDCtx();
    if (u && u->context)
        rc = undo_all(u, from, to, err);
    else
        err_memory(err);
    if (u)
        ZSTD_freeDCtx(u->context);
    free(u);
    return rc;
}
