/* test_checkpointfile.c - the file "checkpoint": written, read, and what is
 * said of one that is not there, cut off, damaged or not ours. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "proto/conf/checkpointfile.h"
#include "tests/unit/in_dir.h"

static const char *at(uint32_t number, const char *name)
{
    static char path[80];

    snprintf(path, sizeof(path), "%s/%u%s%s", dir, number, *name ? "/" : "",
             name);
    return path;
}

static void put(uint32_t number, const void *bytes, size_t n)
{
    FILE *f = fopen(at(number, CHECKPOINTFILE), "w");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static size_t get(uint32_t number, char *bytes, size_t size)
{
    FILE *f = fopen(at(number, CHECKPOINTFILE), "r");
    size_t n;

    assert_non_null(f);
    n = fread(bytes, 1, size, f);
    fclose(f);
    return n;
}

static void make(uint32_t number, uint32_t says)
{
    Hct__Checkpoint c = HCT__CHECKPOINT__INIT;
    uint8_t bytes[200];
    struct err err;

    c.job = 17;
    c.number = says;
    c.command = (char []){ "a b" };
    assert_true(mkdir(at(number, ""), 0700) == 0 || errno == EEXIST);
    assert_int_equal(checkpointfile_write(dir, number, bytes,
                     hct__checkpoint__pack(&c, bytes), &err), 0);
}

static void drop(uint32_t number)
{
    unlink(at(number, CHECKPOINTFILE));
    assert_int_equal(rmdir(at(number, "")), 0);
}

static void refused(uint32_t number, const char *why)
{
    Hct__Checkpoint *c = NULL;
    struct err err = { 0 };

    assert_int_equal(checkpointfile_read(dir, number, &c, &err), -1);
    assert_null(c);
    assert_int_not_equal(err.code, 0);
    if (!strstr(err.text, why))
        fail_msg("\"%s\" does not say \"%s\"", err.text, why);
}

static void comes_back(void **state)
{
    Hct__Checkpoint *c;
    struct err err;
    char text[40];

    (void)state;
    make(4294967295u, 4294967295u);
    assert_int_equal(checkpointfile_read(dir, 4294967295u, &c, &err), 0);
    assert_int_equal(c->job, 17);
    assert_string_equal(c->command, "a b");
    hct__checkpoint__free_unpacked(c, NULL);
    assert_true(get(4294967295u, text, sizeof(text)) > 20);
    assert_memory_equal(text, "Hector checkpoint 1\n", 20);
    assert_int_equal(access(at(4294967295u, CHECKPOINTFILE_NEW), F_OK), -1);
    drop(4294967295u);
}

static void every_fault_is_found(void **state)
{
    char bytes[200], bad[200];
    size_t n;

    (void)state;
    make(3, 3);
    n = get(3, bytes, sizeof(bytes));
    for (size_t i = 0; i < n; i++) {
        memcpy(bad, bytes, n);
        bad[i] ^= 4;
        put(3, bad, n);
        refused(3, i < 18 ? "of something else" : i < 20 ? "another version"
                                                : "not what was written");
        put(3, bytes, i);
        refused(3, "cut off");
    }
    memcpy(bad, bytes, n);
    put(3, bad, n + 1);
    refused(3, "damaged");
    drop(3);
}

static void others_are_refused(void **state)
{
    int status;
    pid_t child;

    (void)state;
    refused(9, "is not there");
    assert_int_equal(mkdir(at(9, ""), 0700), 0);
    refused(9, "was never finished");
    assert_int_equal(mkdir(at(9, CHECKPOINTFILE), 0700), 0);
    refused(9, "no such file");
    assert_int_equal(rmdir(at(9, CHECKPOINTFILE)), 0);
    make(9, 8);
    refused(9, "says that it is checkpoint 8");
    make(9, 9);
    if (geteuid() != 0 || chmod(dir, 0755) || chmod(at(9, ""), 0755) ||
        chmod(at(9, CHECKPOINTFILE), 0644)) {
        drop(9);
        return;
    }
    child = fork();
    if (!child) {
        if (setuid(54321))
            _exit(1);
        refused(9, "belongs to uid 0, not to you (uid 54321)");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    drop(9);
}

static void newest_is_first(void **state)
{
    static const uint32_t wanted[] = { 4000000000u, 100, 20, 3 };
    char other[80];
    uint32_t *v;
    size_t n;
    struct err err;

    (void)state;
    assert_int_equal(checkpointfile_list(dir, &v, &n, &err), 0);
    assert_int_equal(n, 0);
    free(v);
    for (size_t i = 0; i < 4; i++)
        make(wanted[(i + 2) % 4], 1);
    assert_int_equal(mkdir(at(7, ""), 0700), 0);
    snprintf(other, sizeof(other), "%s/x", dir);
    assert_int_equal(mkdir(other, 0700), 0);
    assert_int_equal(checkpointfile_list(dir, &v, &n, &err), 0);
    assert_int_equal(n, 4);
    assert_memory_equal(v, wanted, sizeof(wanted));
    free(v);
    for (size_t i = 0; i < 4; i++)
        drop(wanted[i]);
    drop(7);
    assert_int_equal(rmdir(other), 0);
    assert_int_equal(checkpointfile_list(other, &v, &n, &err), -1);
    assert_non_null(strstr(err.text, "cannot read the checkpoints in /"));
}

static void knows_numbers(void **state)
{
    static const char *const none[] = { "", "0", "01", "-1", "1x", " 1", "x",
        "4294967296", "99999999999999999999999", "1.0" };

    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_int_equal(checkpointfile_number(none[i]), 0);
    assert_int_equal(checkpointfile_number("1"), 1);
    assert_int_equal(checkpointfile_number("4294967295"), 4294967295u);
}

/* What was there stays, whatever goes wrong with the next one. */
static void a_failure_changes_nothing(void **state)
{
    Hct__Checkpoint *c;
    struct err err;

    (void)state;
    make(5, 5);
    assert_int_equal(mkdir(at(5, CHECKPOINTFILE_NEW), 0700), 0);
    assert_int_equal(checkpointfile_write(dir, 5, "x", 1, &err), -1);
    assert_non_null(strstr(err.text, "checkpoint 5 in /tmp/"));
    assert_int_equal(rmdir(at(5, CHECKPOINTFILE_NEW)), 0);
    assert_int_equal(checkpointfile_read(dir, 5, &c, &err), 0);
    hct__checkpoint__free_unpacked(c, NULL);
    drop(5);
    assert_int_equal(checkpointfile_write(dir, 5, "x", 1, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(every_fault_is_found),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(newest_is_first),
        cmocka_unit_test(knows_numbers),
        cmocka_unit_test(a_failure_changes_nothing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, in_dir_set_up, in_dir_tear_down);
}
