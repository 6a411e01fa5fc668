/* test_key.c - the key file and the proof: what is accepted, and that every
 * changed bit and every trick with the own words is not. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/link/key.h"
#include "tests/unit/in_dir.h"

static char path[96];

static void put_file(const char *text, mode_t mode)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void test_hex(void **state)
{
    struct key k, back;
    char hex[KEY_HEX];

    (void)state;
    for (int i = 0; i < KEY_BYTES; i++)
        k.bytes[i] = (uint8_t)(i * 7 + 1);
    key_to_hex(&k, hex);
    assert_int_equal(strlen(hex), 64);
    assert_int_equal(key_from_hex(&back, hex, NULL), 0);
    assert_memory_equal(&k, &back, sizeof(k));

    static const char *const bad[] = { "", "00", "zz" };
    char nearly[KEY_HEX];

    for (int i = 0; i < 3; i++)
        assert_int_equal(key_from_hex(&back, bad[i], NULL), -1);
    memcpy(nearly, hex, sizeof(hex));
    nearly[10] = 'g';
    assert_int_equal(key_from_hex(&back, nearly, NULL), -1);
    nearly[10] = '\0';
    assert_int_equal(key_from_hex(&back, nearly, NULL), -1);
    assert_memory_equal(&k, &back, sizeof(k));
}

static void test_made_at_first_use(void **state)
{
    struct key a, b;
    struct err err;
    struct stat st;

    (void)state;
    if (key_load(&a, path, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(st.st_nlink, 1);
    assert_int_equal(key_load(&b, path, &err), 0);
    assert_memory_equal(&a, &b, sizeof(a));
    unlink(path);
    assert_int_equal(key_load(&b, path, &err), 0);
    assert_memory_not_equal(&a, &b, sizeof(a));
    unlink(path);
}

/* Many programs at once at first use: one key, and nothing else left over. */
static void test_made_once(void **state)
{
    enum { MANY = 8 };
    struct key k, first;
    int pipes[2], status;

    (void)state;
    assert_int_equal(pipe(pipes), 0);
    for (int i = 0; i < MANY; i++)
        if (fork() == 0) {
            if (key_load(&k, path, NULL) < 0)
                _exit(1);
            _exit(write(pipes[1], &k, sizeof(k)) != sizeof(k));
        }
    for (int i = 0; i < MANY; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
        assert_int_equal(read(pipes[0], &k, sizeof(k)), sizeof(k));
        if (i == 0)
            first = k;
        assert_memory_equal(&k, &first, sizeof(k));
    }
    close(pipes[0]);
    close(pipes[1]);
    unlink(path);
    assert_int_equal(rmdir(dir), 0);
    assert_int_equal(mkdir(dir, 0700), 0);
}

static void test_file_is_refused(void **state)
{
    static const char good[] =
        "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n";
    struct key k, was;
    struct err err;
    char says[200];

    (void)state;
    memset(&k, 1, sizeof(k));
    was = k;
    put_file(good, 0644);
    assert_int_equal(key_load(&k, path, &err), -1);
    assert_int_equal(err.code, EPERM);
    snprintf(says, sizeof(says), "chmod 600 %s", path);
    assert_non_null(strstr(err.text, says));
    put_file(good, 0660);
    assert_int_equal(key_load(&k, path, &err), -1);
    put_file("short\n", 0600);
    assert_int_equal(key_load(&k, path, &err), -1);
    assert_non_null(strstr(err.text, path));
    put_file("", 0600);
    assert_int_equal(key_load(&k, path, &err), -1);
    put_file(good, 0600);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, 12345), 0);
        assert_int_equal(key_load(&k, path, &err), -1);
        assert_int_equal(err.code, EPERM);
    }
    assert_memory_equal(&k, &was, sizeof(k));
    put_file(good, 0400);
    assert_int_equal(key_load(&k, path, &err), 0);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(key_load(&k, path, &err), -1);
    unlink(path);
    assert_int_equal(key_load(&k, dir, &err), -1);
    assert_int_equal(key_load(&k, "/proc/nonexistent/dir/key", &err), -1);
    assert_int_equal(err.code, ENOENT);
}

struct exchange {
    struct key_exchange c, s;
    uint8_t call[KEY_CALL], answer[KEY_ANSWER], proof[KEY_PROOF];
};

static void test_proof(void **state)
{
    struct key k = { { 1, 2, 3 } };
    struct exchange x;
    struct err err;

    (void)state;
    key_call(&x.c, x.call);
    assert_true(key_begins_call(x.call, 0));
    assert_true(key_begins_call(x.call, 5));
    assert_true(key_begins_call(x.call, KEY_CALL));
    assert_int_equal(key_answer(&x.s, &k, x.call, x.answer, &err), 0);
    assert_int_equal(key_prove(&x.c, &k, x.answer, x.proof, &err), 0);
    assert_true(key_check(&x.s, &k, x.proof));

    /* Every single bit of it matters. */
    for (int bit = 0; bit < KEY_PROOF * 8; bit++) {
        x.proof[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(key_check(&x.s, &k, x.proof));
        x.proof[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (int bit = 0; bit < KEY_ANSWER * 8; bit++) {
        struct key_exchange c = x.c;
        uint8_t proof[KEY_PROOF];

        x.answer[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(key_prove(&c, &k, x.answer, proof, &err), -1);
        assert_int_equal(err.code, EACCES);
        x.answer[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (int i = 0; i < KEY_MAGIC_BYTES; i++) {
        struct key_exchange s;
        uint8_t answer[KEY_ANSWER];

        x.call[i] ^= 1;
        assert_false(key_begins_call(x.call, (size_t)i + 1));
        assert_int_equal(key_answer(&s, &k, x.call, answer, &err), -1);
        x.call[i] ^= 1;
    }
    /* An old proof is worth nothing in a new exchange. */
    struct exchange y;

    key_call(&y.c, y.call);
    assert_int_equal(key_answer(&y.s, &k, y.call, y.answer, &err), 0);
    assert_false(key_check(&y.s, &k, x.proof));
    assert_int_equal(key_prove(&y.c, &k, x.answer, y.proof, &err), -1);
}

/* Both ends have the same keys then, the other way round, and nobody else. */
static void test_session(void **state)
{
    struct key k = { { 1, 2, 3 } }, other = { { 4 } };
    struct key_session c, s, t;
    struct key_exchange x, y, again;
    uint8_t call[KEY_CALL], answer[KEY_ANSWER], proof[KEY_PROOF], none[32] = { 0 };
    struct err err;

    (void)state;
    key_call(&x, call);
    assert_int_equal(key_answer(&y, &k, call, answer, &err), 0);
    assert_int_equal(key_prove(&x, &k, answer, proof, &err), 0);
    again = x;
    assert_int_equal(key_session(&again, &other, false, &t, &err), 0);
    again = x;
    assert_int_equal(key_session(&x, &k, false, &c, &err), 0);
    assert_int_equal(key_session(&y, &k, true, &s, &err), 0);
    assert_memory_equal(c.send, s.receive, KEY_BYTES);
    assert_memory_equal(c.receive, s.send, KEY_BYTES);
    assert_memory_not_equal(c.send, c.receive, KEY_BYTES);
    assert_memory_not_equal(c.send, t.send, KEY_BYTES);         /* another key */
    assert_memory_equal(x.secret, none, sizeof(none));
    assert_memory_equal(y.secret, none, sizeof(none));

    /* Halves that give the same secret with every other one. */
    memset(again.half_s, 0, sizeof(again.half_s));
    assert_int_equal(key_session(&again, &k, false, &t, &err), -1);
    assert_int_equal(err.code, EPROTO);
}

static void test_wrong_key(void **state)
{
    struct key ours = { { 1 } }, theirs = { { 2 } };
    struct exchange x;
    struct err err;

    (void)state;
    key_call(&x.c, x.call);
    assert_int_equal(key_answer(&x.s, &ours, x.call, x.answer, &err), 0);
    assert_int_equal(key_prove(&x.c, &theirs, x.answer, x.proof, &err), -1);
    /* A listener without the key lets us in nowhere, and learns nothing that
     * it could use against the real one. */
    assert_int_equal(key_answer(&x.s, &theirs, x.call, x.answer, &err), 0);
    assert_int_equal(key_prove(&x.c, &ours, x.answer, x.proof, &err), -1);
}

/* A listener's own answer, sent back to it, proves nothing. */
static void test_reflection(void **state)
{
    struct key k = { { 9 } };
    struct key_exchange s, t;
    uint8_t call[KEY_CALL], answer[KEY_ANSWER], again[KEY_ANSWER];
    struct err err;

    (void)state;
    key_call(&s, call);
    assert_int_equal(key_answer(&s, &k, call, answer, &err), 0);
    assert_false(key_check(&s, &k, answer + 32));
    /* Its nonce as the nonce of a second call: the mac it gives is for the
     * other direction. */
    memcpy(call + KEY_MAGIC_BYTES, answer, 32);
    assert_int_equal(key_answer(&t, &k, call, again, &err), 0);
    assert_false(key_check(&s, &k, again + 32));
}

static int set_up(void **state)
{
    if (in_dir_set_up(state))
        return -1;
    snprintf(path, sizeof(path), "%s/key", dir);
    return 0;
}

/* What the kernel says of the memory around p, "dd": not in a core dump. */
static bool is_dumped(const void *p)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[512];
    unsigned long from, to;
    bool here = false, dumped = true;

    assert_non_null(f);
    while (fgets(line, sizeof(line), f)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            here = (uintptr_t)p >= from && (uintptr_t)p < to;
        if (here && strncmp(line, "VmFlags:", 8) == 0)
            dumped = !strstr(line, " dd");
    }
    fclose(f);
    return dumped;
}

static void test_not_in_core_dumps(void **state)
{
    struct err err = { 0 };
    struct key *k = key_new(&err);

    (void)state;
    assert_non_null(k);
    assert_true(is_dumped(&err));
    assert_false(is_dumped(k));
    key_free(k);
    key_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hex),
        cmocka_unit_test(test_made_at_first_use),
        cmocka_unit_test(test_made_once),
        cmocka_unit_test(test_file_is_refused),
        cmocka_unit_test(test_proof),
        cmocka_unit_test(test_session),
        cmocka_unit_test(test_wrong_key),
        cmocka_unit_test(test_reflection),
        cmocka_unit_test(test_not_in_core_dumps),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, in_dir_tear_down);
}
