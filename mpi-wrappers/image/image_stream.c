/* image_stream.c - bytes on their way into the image: see image_stream.h. */
#include "mpi-wrappers/image/image_stream.h"

#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "mpi-wrappers/image/format.h"
#include "mpi-wrappers/image/sys.h"

static uint64_t bit(int signal_number)
{
    return 1ull << (signal_number - 1);
}

void image_stream_begin(struct image_stream *s, int fd, char *buf, int patience_ms,
                        bool lends)
{
    s->fd = fd;
    s->patience_ms = patience_ms;
    s->lends = lends;
    s->buf = buf;
    s->used = 0;
    s->bytes = 0;
    s->rc = 0;
    s->pending = 0;
    sys(SYS_rt_sigpending, &s->pending, sizeof(s->pending));
    image_blake3_begin(&s->hash, false);
}

/* A reader that has gone, or a limit of file sizes, is our error and nothing
 * that the program should hear of as a signal. */
static void take_signal(const struct image_stream *s, int signal_number)
{
    const struct timespec now = { 0 };
    uint64_t mask = bit(signal_number);

    if (!(s->pending & mask))
        sys(SYS_rt_sigtimedwait, &mask, 0, &now, sizeof(mask));
}

/* Lent is what goes into a pipe; by another descriptor, or kernel, it is copied. */
static long write_some(struct image_stream *s, const char *data, size_t bytes,
                       bool lent)
{
    struct iovec part = { (void *)data, bytes };
    long n = -EBADF;

    if (lent && s->lends)
        n = sys(SYS_vmsplice, s->fd, &part, 1, 0);
    if (n != -EBADF && n != -EINVAL && n != -ENOSYS)
        return n;
    if (lent)
        s->lends = false;
    return sys(SYS_write, s->fd, data, bytes);
}

static void write_all(struct image_stream *s, const char *data, size_t bytes,
                      bool lent)
{
    while (bytes && !s->rc) {
        long n = write_some(s, data, bytes, lent);

        if (n == -EAGAIN && sys_wait_for(s->fd, POLLOUT, s->patience_ms) == 0)
            n = -ETIME;
        if (n == -EINTR || n == -EAGAIN)
            continue;
        if (n <= 0) {
            s->rc = n ? n : -EIO;
            break;
        }
        data += n;
        bytes -= (size_t)n;
    }
    if (s->rc == -EPIPE)
        take_signal(s, SIGPIPE);
    if (s->rc == -EFBIG)
        take_signal(s, SIGXFSZ);
}

static void pass(struct image_stream *s, const char *data, size_t bytes, bool lent)
{
    if (s->rc)
        return;
    image_blake3_add(&s->hash, data, bytes);
    write_all(s, data, bytes, lent);
}

static void flush(struct image_stream *s)
{
    pass(s, s->buf, s->used, false);
    s->used = 0;
}

void image_stream_put(struct image_stream *s, const void *data, size_t bytes)
{
    const char *p = data;

    while (bytes && !s->rc) {
        size_t n = IMAGE_STREAM_BYTES - s->used;

        if (n > bytes)
            n = bytes;
        memcpy(s->buf + s->used, p, n);
        s->used += n;
        s->bytes += n;
        p += n;
        bytes -= n;
        if (s->used == IMAGE_STREAM_BYTES)
            flush(s);
    }
}

/* In parts, so that the reader has something to do meanwhile. */
void image_stream_lend(struct image_stream *s, const void *data, size_t bytes)
{
    const char *p = data;

    if (!s->lends) {
        image_stream_put(s, data, bytes);
        return;
    }
    flush(s);
    for (size_t at = 0, n; at < bytes && !s->rc; at += n) {
        n = bytes - at < IMAGE_STREAM_BYTES ? bytes - at : IMAGE_STREAM_BYTES;
        pass(s, p + at, n, true);
        s->bytes += n;
    }
}

long image_stream_end(struct image_stream *s)
{
    struct image_tail tail;

    flush(s);
    memcpy(tail.magic, IMAGE_TAIL, sizeof(tail.magic));
    tail.bytes = s->bytes + sizeof(tail);
    image_blake3_add(&s->hash, &tail, offsetof(struct image_tail, hash));
    image_blake3_end(&s->hash, tail.hash);
    write_all(s, (const char *)&tail, sizeof(tail), false);
    s->bytes = tail.bytes;
    return s->rc;
}
