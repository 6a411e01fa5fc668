/* fuzz_conf.c - any bytes as hector.conf: it is read, or refused with one
 * sentence; every field always has a value within its bounds. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/conf/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct settings {
    bool quiet;
    int64_t nodes;
    double share;
    uint64_t grace_ns, queue_bytes;
    char *listen;
};

#define AT(field) offsetof(struct settings, field)
static const struct conf_key keys[] = {
    { "master", "quiet", CONF_BOOL, AT(quiet), "no", 0, 0 },
    { "master", "nodes", CONF_INT, AT(nodes), "4", -10, 1000 },
    { "master", "share", CONF_REAL, AT(share), "0.5", 0, 1 },
    { "master", "listen", CONF_TEXT, AT(listen), "/run/x", 0, 0 },
    { "slave", "grace", CONF_DURATION, AT(grace_ns), "2s", 0, 3600 },
    { "slave", "queue", CONF_BYTES, AT(queue_bytes), "4M", 4096, 1e9 },
    { .section = NULL },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct settings s = { 0 };
    struct err err = { 0 };
    char path[64];
    int fd = memfd_create("conf", MFD_CLOEXEC);

    assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    assert(conf_init(keys, &s, &err) == 0);
    if (conf_load(keys, &s, path, &err) < 0)
        assert(err.code && !strncmp(err.text, path, strlen(path)) &&
               !strchr(err.text, '\n'));
    assert(s.nodes >= -10 && s.nodes <= 1000);
    assert(s.share >= 0 && s.share <= 1);
    assert(s.grace_ns <= 3600000000000ull);
    assert(s.queue_bytes >= 4096 && s.queue_bytes <= 1000000000);
    assert(s.listen);
    conf_fini(keys, &s);
    close(fd);
    return 0;
}
