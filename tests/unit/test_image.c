/* test_image.c - parts of images that are the kernel's or anybody's: lines of
 * /proc/PID/maps, SHA-256, build ids, processors, sentences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi-wrappers/image/image.h"
#include "mpi-wrappers/image/image_cpu.h"
#include "mpi-wrappers/image/image_elf.h"
#include "mpi-wrappers/image/image_maps.h"
#include "mpi-wrappers/image/image_sha256.h"
#include "mpi-wrappers/image/image_text.h"

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

static void hash(bool slowly, const char *data, size_t bytes, size_t step,
                 char *hex)
{
    struct image_sha256 s;
    uint8_t h[32];

    image_sha256_begin(&s, slowly);
    for (size_t at = 0; at < bytes; at += step)
        image_sha256_add(&s, data + at, bytes - at < step ? bytes - at : step);
    image_sha256_end(&s, h);
    for (int i = 0; i < 32; i++) {
        hex[2 * i] = "0123456789abcdef"[h[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[h[i] & 15];
    }
    hex[64] = '\0';
}

static void hashes_as_others(void **state)
{
    static const struct { const char *data, *hex; } known[] = {
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b"
              "7852b855" },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61"
                 "f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd4"
          "19db06c1" },
    };
    char hex[65], other[65], *data = malloc(1000);

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int slowly = 0; slowly < 2; slowly++) {
            hash(slowly, known[i].data, strlen(known[i].data), 7, hex);
            assert_string_equal(hex, known[i].hex);
        }
    for (size_t i = 0; i < 1000; i++)
        data[i] = (char)(i * i);
    for (size_t n = 0; n < 1000; n++) {         /* every place of the end */
        hash(false, data, n, 1 + n % 130, hex);
        hash(true, data, n, 1000, other);
        assert_string_equal(hex, other);
    }
    free(data);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_lines),
        cmocka_unit_test(knows_no_lines),
        cmocka_unit_test(takes_out),
        cmocka_unit_test(hashes_as_others),
        cmocka_unit_test(reads_build_ids),
        cmocka_unit_test(reads_vdsos),
        cmocka_unit_test(compares_processors),
        cmocka_unit_test(knows_its_registers),
        cmocka_unit_test(makes_sentences),
        cmocka_unit_test(refuses_sockets),
        cmocka_unit_test(survives_its_reader),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
