/* image_stream.c - bytes on their way into the image: see image_stream.h. */
#include "mpi-wrappers/image/image_stream.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "mpi-wrappers/image/format.h"
#include "mpi-wrappers/image/sys.h"

static uint64_t bit(int signal_number)
{
    return 1ull << (signal_number - 1);
}

void image_stream_begin(struct image_stream *s, int fd, char *buf, int patience_ms)
{
    s->fd = fd;
    s->patience_ms = patience_ms;
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

static void write_all(struct image_stream *s, const char *data, size_t bytes)
{
    while (bytes && !s->rc) {
        long n = sys(SYS_write, s->fd, data, bytes);

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

static void flush(struct image_stream *s)
{
    if (!s->rc) {
        image_blake3_add(&s->hash, s->buf, s->used);
        write_all(s, s->buf, s->used);
    }
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

long image_stream_end(struct image_stream *s)
{
    struct image_tail tail;

    flush(s);
    memcpy(tail.magic, IMAGE_TAIL, sizeof(tail.magic));
    tail.bytes = s->bytes + sizeof(tail);
    image_blake3_add(&s->hash, &tail, offsetof(struct image_tail, hash));
    image_blake3_end(&s->hash, tail.hash);
    write_all(s, (const char *)&tail, sizeof(tail));
    s->bytes = tail.bytes;
    return s->rc;
}
