/* test_image.c - parts of images that are the kernel's or anybody's: lines of
 * /proc/PID/maps, BLAKE3, build ids, processors, sentences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi-wrappers/image/image.h"
#include "mpi-wrappers/image/image_blake3.h"
#include "mpi-wrappers/image/image_cpu.h"
#include "mpi-wrappers/image/image_elf.h"
#include "mpi-wrappers/image/image_maps.h"
#include "mpi-wrappers/image/image_processors.h"
#include "mpi-wrappers/image/image_stream.h"
#include "mpi-wrappers/image/image_text.h"
#include "mpi-wrappers/image/format.h"
#include "mpi-wrappers/image/sys.h"

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

static void knows_lines(void **state)
{
    static const struct {
        const char *line;
        struct {
            uint64_t start, end, offset;
            uint32_t prot;
            bool shared;
            const char *name;
        } m;
        enum image_map_kind kind;
    } lines[] = {
        { "5626-5627 r-xp 00002000 fe:00 247134   /usr/bin/a name\n",
          { 0x5626, 0x5627, 0x2000, PROT_READ | PROT_EXEC, false,
            "/usr/bin/a name" }, IMAGE_MAP_FILE },
        { "1000-3000 rw-p 00000000 00:00 0 \n",
          { 0x1000, 0x3000, 0, PROT_READ | PROT_WRITE, false, "" },
          IMAGE_MAP_ANON },
        { "1000-3000 ---p 00000000 00:00 0      [heap]",
          { 0x1000, 0x3000, 0, 0, false, "[heap]" }, IMAGE_MAP_ANON },
        { "1-2 rw-p 00000000 00:00 0 [stack]\n",
          { 1, 2, 0, PROT_READ | PROT_WRITE, false, "[stack]" },
          IMAGE_MAP_STACK },
        { "1-2 r--s 00001000 fe:00 9 /a\\012b\n",
          { 1, 2, 0x1000, PROT_READ, true, "/a\nb" }, IMAGE_MAP_FILE_SHARED },
        { "1-2 r--p 00001000 fe:00 9 /usr/lib/libx.so (deleted)\n",
          { 1, 2, 0x1000, PROT_READ, false, "/usr/lib/libx.so (deleted)" },
          IMAGE_MAP_GONE },
        { "1-2 rw-s 00000000 00:01 9 /dev/shm/x (deleted)\n",
          { 1, 2, 0, PROT_READ | PROT_WRITE, true, "/dev/shm/x (deleted)" },
          IMAGE_MAP_OTHERS },
        { "1-2 rw-s 00000000 00:01 9 /dev/zero (deleted)\n",
          { 1, 2, 0, PROT_READ | PROT_WRITE, true, "/dev/zero (deleted)" },
          IMAGE_MAP_ANON_SHARED },
        { "1-2 rw-s 00000000 00:01 9 /SYSV00000000 (deleted)\n",
          { 1, 2, 0, PROT_READ | PROT_WRITE, true,
            "/SYSV00000000 (deleted)" }, IMAGE_MAP_SYSV },
        { "1-2 rw-s 00000000 00:01 9 /dev/infiniband/uverbs0\n",
          { 1, 2, 0, PROT_READ | PROT_WRITE, true,
            "/dev/infiniband/uverbs0" }, IMAGE_MAP_DEVICE },
        { "1-2 rw-s 00000000 00:01 9 anon_inode:[io_uring]\n",
          { 1, 2, 0, PROT_READ | PROT_WRITE, true, "anon_inode:[io_uring]" },
          IMAGE_MAP_DEVICE },
        { "1-2 r--p 00000000 00:00 0 [vvar_vclock]\n",
          { 1, 2, 0, PROT_READ, false, "[vvar_vclock]" }, IMAGE_MAP_VVAR },
        { "1-2 r-xp 00000000 00:00 0 [vdso]\n",
          { 1, 2, 0, PROT_READ | PROT_EXEC, false, "[vdso]" },
          IMAGE_MAP_VDSO },
        { "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]",
          { 0xffffffffff600000, 0xffffffffff601000, 0, PROT_EXEC, false,
            "[vsyscall]" }, IMAGE_MAP_FIXED },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        char text[200], *p = text;
        struct image_map m;

        strcpy(text, lines[i].line);
        assert_int_equal(image_maps_next(&p, &m), 1);
        assert_int_equal(m.start, lines[i].m.start);
        assert_int_equal(m.end, lines[i].m.end);
        assert_int_equal(m.offset, lines[i].m.offset);
        assert_int_equal(m.prot, lines[i].m.prot);
        assert_int_equal(m.shared, lines[i].m.shared);
        assert_string_equal(m.name, lines[i].m.name);
        assert_int_equal(image_maps_kind(&m), lines[i].kind);
        assert_int_equal(image_maps_next(&p, &m), 0);
    }
}

static void knows_no_lines(void **state)
{
    static const char *const texts[] = { "x", "1000", "1000-", "1000-2000",
        "1000-2000 r", "2000-1000 rw-p 0 0:0 0\n", "1000-2000 rw-pp 0 0 0\n" };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char text[100], *p = text;
        struct image_map m;

        strcpy(text, texts[i]);
        assert_int_equal(image_maps_next(&p, &m), -1);
    }
}

/* All places of a piece among three regions, of which one is of a file. */
static void takes_out(void **state)
{
    (void)state;
    for (uint64_t start = 0; start < 12; start++)
        for (uint64_t end = start + 1; end <= 12; end++) {
            struct image_region r[4] = {
                { .start = 1, .end = 4, .kind = IMAGE_ANON },
                { .start = 4, .end = 8, .offset = 40, .kind = IMAGE_FILE },
                { .start = 9, .end = 11, .kind = IMAGE_ANON },
            };
            size_t n = 3;

            image_maps_without(r, &n, start, end);
            for (uint64_t at = 0; at < 12; at++) {
                bool was = (at >= 1 && at < 8) || (at >= 9 && at < 11);
                const struct image_region *in = NULL;

                for (size_t i = 0; i < n; i++)
                    if (r[i].start <= at && at < r[i].end)
                        in = &r[i];
                assert_int_equal(in != NULL,
                                 was && !(start <= at && at < end));
                if (in && in->kind == IMAGE_FILE)
                    assert_int_equal(in->offset + at - in->start, 36 + at);
            }
            for (size_t i = 0; i < n; i++)
                assert_true(r[i].start < r[i].end);
        }
}

/* In pieces of random sizes up to `most`, or in one: 0. False: this processor
 * has not so many lanes. */
static bool hash(int lanes, const uint8_t *data, size_t bytes, size_t most,
                 char *hex)
{
    struct image_blake3 s;
    uint8_t h[32];

    image_blake3_begin(&s, lanes == 1);
    if (s.lanes < lanes)
        return false;
    s.lanes = lanes;
    for (size_t n; bytes; data += n, bytes -= n) {
        n = most ? 1 + (size_t)rand() % most : bytes;
        n = n < bytes ? n : bytes;
        image_blake3_add(&s, data, n);
    }
    image_blake3_end(&s, h);
    for (int i = 0; i < 32; i++) {
        hex[2 * i] = "0123456789abcdef"[h[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[h[i] & 15];
    }
    hex[64] = '\0';
    return true;
}

static uint8_t *published(size_t bytes)
{
    uint8_t *data = malloc(bytes);

    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)(i % 251);
    return data;
}

/* test_vectors.json of github.com/BLAKE3-team/BLAKE3. */
static void hashes_as_published(void **state)
{
    static const struct { size_t bytes; const char *hex; } known[] = {
        { 0, "af1349b9f5f9a1a6a0404dea36dcc949"
          "9bcb25c9adc112b7cc9a93cae41f3262" },
        { 1, "2d3adedff11b61f14c886e35afa03673"
          "6dcd87a74d27b5c1510225d0f592e213" },
        { 63, "e9bc37a594daad83be9470df7f7b3798"
          "297c3d834ce80ba85d6e207627b7db7b" },
        { 64, "4eed7141ea4a5cd4b788606bd23f46e2"
          "12af9cacebacdc7d1f4c6dc7f2511b98" },
        { 65, "de1e5fa0be70df6d2be8fffd0e99ceaa"
          "8eb6e8c93a63f2d8d1c30ecb6b263dee" },
        { 1023, "10108970eeda3eb932baac1428c7a216"
          "3b0e924c9a9e25b35bba72b28f70bd11" },
        { 1024, "42214739f095a406f3fc83deb889744a"
          "c00df831c10daa55189b5d121c855af7" },
        { 1025, "d00278ae47eb27b34faecf67b4fe263f"
          "82d5412916c1ffd97c8cb7fb814b8444" },
        { 2048, "e776b6028c7cd22a4d0ba182a8bf6220"
          "5d2ef576467e838ed6f2529b85fba24a" },
        { 2049, "5f4d72f40d7a5f82b15ca2b2e44b1de3"
          "c2ef86c426c95c1af0b6879522563030" },
        { 3072, "b98cb0ff3623be03326b373de6b90952"
          "18513e64f1ee2edd2525c7ad1e5cffd2" },
        { 3073, "7124b49501012f81cc7f11ca069ec922"
          "6cecb8a2c850cfe644e327d22d3e1cd3" },
        { 4096, "015094013f57a5277b59d8475c050104"
          "2c0b642e531b0a1c8f58d2163229e969" },
        { 5120, "9cadc15fed8b5d854562b26a9536d970"
          "7cadeda9b143978f319ab34230535833" },
        { 8192, "aae792484c8efe4f19e2ca7d371d8c46"
          "7ffb10748d8a5a1ae579948f718a2a63" },
        { 31744, "62b6960e1a44bcc1eb1a611a8d6235b6"
          "b4b78f32e7abc4fb4c6cdcce94895c47" },
        { 102400, "bc3e3d41a1146b069abffad3c0d44860"
          "cf664390afce4d9661f7902e7943e085" },
    };
    static const size_t most[] = { 0, 70, 3000, 40000 };
    uint8_t *data = published(102400);
    char hex[65];

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        for (int lanes = 1; lanes <= 16; lanes *= 2)
            for (size_t j = 0; j < 4 && lanes != 2; j++)
                if (hash(lanes, data, known[i].bytes, most[j], hex))
                    assert_string_equal(hex, known[i].hex);
    free(data);
}

/* Every number of chunks, whole or not, at every place of a first piece. */
static void hashes_alike(void **state)
{
    enum { BYTES = 200 << 10 };
    uint8_t *data = malloc(BYTES);
    char slow[65], quick[65];

    (void)state;
    for (size_t i = 0; i < BYTES; i++)
        data[i] = (uint8_t)(i * i >> 3 ^ i >> 11);
    for (size_t n = 0; n < BYTES; n += 1 + n % 1021) {
        hash(1, data, n, 0, slow);
        for (int lanes = 4; lanes <= 16; lanes *= 2)
            if (hash(lanes, data, n, 1 + n % 9973 * 13, quick))
                assert_string_equal(slow, quick);
    }
    free(data);
}

#if defined(__x86_64__)
/* A bit for each kind of registers that has something in it; 0: unknown. */
static uint32_t registers_in_use(void)
{
    uint32_t low, high;
    struct cpu_set here;

    cpu_read(&here);
    if (!cpu_names(&here, "XGETBV_ECX_1"))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low;
}
#else
static uint32_t registers_in_use(void) { return 0; }
#endif

/* In a process of its own, whose C library does not use them either. */
static int uses_registers(void)
{
    enum { BYTES = 100 << 10, ALL = 7 << 5 | 1 << 2 };
    uint8_t *data = published(BYTES);
    uint32_t before = registers_in_use();
    char hex[65];

    hash(4, data, BYTES, 0, hex);
    hash(8, data, BYTES, 0, hex);
    hash(16, data, BYTES, 0, hex);
    free(data);
    return registers_in_use() & ~before & ALL ? 1 : 0;
}

static void leaves_registers(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    assert_true(pid >= 0);
    if (pid == 0) {
        setenv("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,"
               "-AVX2_Usable,-AVX512F_Usable,-ERMS", 1);
        execl("/proc/self/exe", "test_image", "registers", (char *)NULL);
        _exit(2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void reads_build_ids(void **state)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    uint8_t id[IMAGE_BUILD_ID] = { 0 }, again[IMAGE_BUILD_ID] = { 0 };
    uint32_t n;

    (void)state;
    n = image_elf_id(fd, id, sizeof(id));
    assert_int_equal(image_elf_id(fd, again, 4), n ? 4 : 0);
    assert_memory_equal(id, again, n ? 4 : 0);
    close(fd);
    fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    assert_int_equal(image_elf_id(fd, id, sizeof(id)), 0);
    close(fd);
}

/* Whatever stands in it, nothing is read outside of it. */
static void reads_vdsos(void **state)
{
    const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
    enum { BYTES = 4096 };
    char *copy = malloc(BYTES);

    (void)state;
    if (!vdso || !copy)
        skip();
    assert_int_not_equal(image_elf_function(vdso, BYTES,
                                            "__vdso_clock_gettime"), 0);
    assert_int_equal(image_elf_function(vdso, BYTES, "__vdso_no_such"), 0);
    for (size_t at = 0; at < 1024; at++)
        for (int with = 0; with < 256; with += 85) {
            memcpy(copy, vdso, BYTES);
            copy[at] = (char)with;
            image_elf_function(copy, BYTES, "__vdso_clock_gettime");
        }
    for (size_t n = 0; n < 600; n += 7) {
        char *cut = malloc(n + 1);

        memcpy(cut, vdso, n);
        image_elf_function(cut, n, "__vdso_clock_gettime");
        free(cut);
    }
    free(copy);
}

static void compares_processors(void **state)
{
    const struct cpu_set none = { { 0 } };
    struct image_cpu image = { .layout.states = 7, .saved = 7 };
    struct image_layout here = { .states = 7 };
    char why[192];

    (void)state;
    assert_true(image_cpu_serves(&none, &here, &image, why, sizeof(why)));
    image.may.has[1] |= 1u << 16;
    assert_true(image_cpu_serves(&image.may, &here, &image, why, sizeof(why)));
    assert_false(image_cpu_serves(&none, &here, &image, why, sizeof(why)));
    assert_string_equal(why, "with AVX512F, which this one has not");
    image.may = none;
    here.states = 0xe7;         /* more than there were when it began */
    assert_false(image_cpu_serves(&none, &here, &image, why, sizeof(why)));
    assert_string_equal(why, "without registers for AVX512, which it was not "
                             "started for (LD_BIND_NOW)");
    image.bound = 1;
    assert_true(image_cpu_serves(&none, &here, &image, why, sizeof(why)));
    image.bound = 0;
    here.states = 0x207;        /* nobody passes arguments in those */
    assert_true(image_cpu_serves(&none, &here, &image, why, sizeof(why)));
    here.states = 3;
    assert_true(image_cpu_serves(&none, &here, &image, why, sizeof(why)));
}

static void knows_its_registers(void **state)
{
    struct image_layout l;

    (void)state;
    if (!image_cpu_layout(&l))
        skip();
    assert_int_equal(l.at[2], l.states & 4 ? 576 : 0);
    for (int i = 2; i < IMAGE_STATES; i++)
        assert_int_equal(l.states >> i & 1, l.bytes[i] != 0);
}

static void makes_sentences(void **state)
{
    struct image_text t;
    char buf[8];
    const char *p = "  12 0x";

    (void)state;
    image_text_begin(&t, buf, sizeof(buf));
    image_text_add(&t, "ab");
    image_text_number(&t, 18446744073709551615u);
    assert_string_equal(buf, "ab18446");
    image_text_all(NULL, 0, "nothing", NULL);
    assert_int_equal(image_text_decimal(&p), 12);
    assert_string_equal(p, " 0x");
    assert_int_equal(image_text_field("A:\t5\nTracerPid:\t17\n", "TracerPid",
                                      false), 17);
    assert_int_equal(image_text_field("ShdPnd:\t000000000000020a", "ShdPnd",
                                      true), 0x20a);
    assert_int_equal(image_text_field("XTracerPid:\t17\n", "TracerPid",
                                      false), 0);
    assert_true(image_text_ends("x (deleted)", " (deleted)"));
    assert_false(image_text_ends("d)", " (deleted)"));
}

/* What is lent is not copied: the reader of a pipe sees what is in it by now, and the
 * hash is of what was there. */
static void lends_its_pages(void **state)
{
    enum { BYTES = 512 << 10 };
    static char buf[IMAGE_STREAM_BYTES], read_back[BYTES + 1];
    static const char hash_of_nothing[IMAGE_HASH];
    struct image_stream s[2];
    struct image_tail *tail = (void *)(read_back + 8 + BYTES / 2);
    unsigned char first[IMAGE_HASH];
    sigset_t pipe_signal, waiting;
    char *page = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int fds[2];

    (void)state;
    assert_ptr_not_equal(page, MAP_FAILED);
    assert_int_equal(pipe(fds), 0);
    assert_true(fcntl(fds[1], F_SETPIPE_SZ, 1 << 20) >= BYTES);
    for (int lends = 0; lends < 2; lends++) {
        memset(page, 'a', BYTES);
        image_stream_begin(&s[lends], fds[1], buf, -1, lends);
        image_stream_put(&s[lends], "12345678", 8);
        image_stream_lend(&s[lends], page, BYTES / 2);
        assert_int_equal(image_stream_end(&s[lends]), 0);
        assert_int_equal(s[lends].bytes, 8 + BYTES / 2 + sizeof(*tail));
        memset(page, 'b', BYTES);
        assert_int_equal(sys_read_all(fds[0], read_back,
                                      8 + BYTES / 2 + sizeof(*tail)),
                         8 + BYTES / 2 + sizeof(*tail));
        assert_memory_equal(read_back, "12345678", 8);
        assert_int_equal(read_back[8], lends ? 'b' : 'a');
        assert_int_equal(read_back[7 + BYTES / 2], lends ? 'b' : 'a');
        assert_memory_equal(tail->magic, IMAGE_TAIL, sizeof(tail->magic));
        if (lends)
            assert_memory_equal(tail->hash, first, IMAGE_HASH);
        memcpy(first, tail->hash, IMAGE_HASH);
        assert_memory_not_equal(first, hash_of_nothing, IMAGE_HASH);
    }
    close(fds[0]);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe_signal, NULL);
    image_stream_begin(&s[0], fds[1], buf, -1, true);
    image_stream_lend(&s[0], page, BYTES);
    assert_int_equal(image_stream_end(&s[0]), -EPIPE);
    sigpending(&waiting);
    assert_false(sigismember(&waiting, SIGPIPE));
    sigprocmask(SIG_UNBLOCK, &pipe_signal, NULL);
    close(fds[1]);
    munmap(page, BYTES);
}

/* A file has what was there when it was written. */
static void copies_into_files(void **state)
{
    enum { BYTES = 300 << 10 };
    static char buf[IMAGE_STREAM_BYTES], read_back[BYTES];
    char name[] = "/tmp/hector-image-XXXXXX";
    char *page = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct image_stream s;
    int fd = mkstemp(name);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(unlink(name), 0);
    memset(page, 'a', BYTES);
    image_stream_begin(&s, fd, buf, -1, true);
    image_stream_lend(&s, page, BYTES);
    assert_false(s.lends);
    assert_int_equal(image_stream_end(&s), 0);
    memset(page, 'b', BYTES);
    assert_int_equal(pread(fd, read_back, BYTES, 0), BYTES);
    assert_int_equal(read_back[0], 'a');
    assert_int_equal(read_back[BYTES - 1], 'a');
    close(fd);
    munmap(page, BYTES);
}

/* What this process has open decides; it must be a sentence either way. */
static void refuses_sockets(void **state)
{
    struct image_ask ask = { 0 };
    static int others[4096];
    int fds[2];
    char why[300];

    (void)state;
    ask.but_fds = others;
    for (int fd = 3; fd < 4096; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            others[ask.nfds++] = fd;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(image_refused(&ask, why, sizeof(why)), IMAGE_DESCRIPTOR);
    assert_non_null(strstr(why, "is a pipe"));
    assert_int_equal(image_write(fds[1], &ask, why, sizeof(why)), -ENOTSUP);
    assert_non_null(strstr(why, "is a pipe"));
    assert_int_equal(image_refused(&ask, NULL, 0), IMAGE_DESCRIPTOR);
    close(fds[0]);
    close(fds[1]);
    assert_int_equal(image_refused(&ask, why, sizeof(why)), IMAGE_GOOD);
}

/* Who reads it has gone: an error, and no signal. */
static void survives_its_reader(void **state)
{
    struct image_ask ask = { 0 };
    static int others[4096];
    int fds[2];
    char why[300];

    (void)state;
    if (SANITIZED)              /* whose own memory is endless, and guarded */
        skip();
    assert_int_equal(pipe(fds), 0);
    close(fds[0]);
    ask.but_fds = others;
    for (int fd = 3; fd < 4096; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            others[ask.nfds++] = fd;
    assert_int_equal(image_write(fds[1], &ask, why, sizeof(why)), -EPIPE);
    assert_non_null(strstr(why, "cannot be written"));
    close(fds[1]);
    fds[1] = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (fds[1] >= 0)
        assert_int_equal(image_write(fds[1], &ask, why, sizeof(why)), -ENOSPC);
    close(fds[1]);
}

/* Who reads it has stopped: it is given up in time, and what was read is no image. */
static void survives_who_does_not_read(void **state)
{
    uint64_t written = 0;
    struct image_ask ask = { .patience_ms = 50, .written = &written };
    static int others[4096];
    int fds[2];
    char why[300];

    (void)state;
    if (SANITIZED)
        skip();
    assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
    ask.but_fds = others;
    for (int fd = 3; fd < 4096; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            others[ask.nfds++] = fd;
    assert_int_equal(image_write(fds[1], &ask, why, sizeof(why)), -ETIME);
    close(fds[0]);
    close(fds[1]);
    fds[1] = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_int_equal(image_write(fds[1], &ask, why, sizeof(why)), 0);
    assert_true(written > 100000);
    close(fds[1]);
}

static void binds_as_before(void **state)
{
    static const struct {
        uint64_t bound, given, here, to;        /* to: 0: all */
    } t[] = {
        { 0x2, 0xf, 0xf, 0x2 },         /* the same node, or one like it */
        { 0xf, 0xf, 0xff, 0 },          /* to none */
        { 0x3, 0xf, 0xf0, 0x30 },       /* other ones */
        { 0x8, 0xf, 0x3, 0 },           /* fewer: it is not there */
        { 0xa, 0xf, 0x3, 0x2 },
        { 0x50, 0xf0, 0x5005, 0x1001 }, /* with holes */
        { 0, 0xf, 0xf, 0 },             /* not known */
        { 0x2, 0, 0xf, 0 },
        { 0x2, 0xf, 0, 0 },
        { 0x30, 0xf, 0xff, 0 },         /* none of what is given */
    };
    const uint64_t far = 1ull << 63;
    struct image_processors bound = { .w = { [15] = far } },
                            given = { .w = { [15] = far, [0] = 1 } }, to;

    (void)state;
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        const struct image_processors b = { .w = { t[i].bound } },
            g = { .w = { t[i].given } }, h = { .w = { t[i].here } };

        assert_int_equal(image_processors_here(&b, &g, &h, &to), t[i].to != 0);
        if (t[i].to)
            assert_int_equal(to.w[0], t[i].to);
    }
    assert_true(image_processors_here(&bound, &given, &given, &to));
    assert_memory_equal(&to, &bound, sizeof(to));
    image_processors_of(-1, &to);       /* there is none */
    assert_false(image_processors_here(&to, &given, &given, &bound));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_lines),
        cmocka_unit_test(knows_no_lines),
        cmocka_unit_test(takes_out),
        cmocka_unit_test(hashes_as_published),
        cmocka_unit_test(hashes_alike),
        cmocka_unit_test(leaves_registers),
        cmocka_unit_test(reads_build_ids),
        cmocka_unit_test(reads_vdsos),
        cmocka_unit_test(compares_processors),
        cmocka_unit_test(knows_its_registers),
        cmocka_unit_test(makes_sentences),
        cmocka_unit_test(binds_as_before),
        cmocka_unit_test(lends_its_pages),
        cmocka_unit_test(copies_into_files),
        cmocka_unit_test(refuses_sockets),
        cmocka_unit_test(survives_its_reader),
        cmocka_unit_test(survives_who_does_not_read),
    };

    if (argc == 2 && strcmp(argv[1], "registers") == 0)
        return uses_registers();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
