/* test_vault.c - what outlives a slave: memory, ledgers, pages; and records
 * that are taken over from it. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "slave/page/records.h"
#include "slave/vault/vault.h"

static struct vault *v;
static struct err err;

static int setup(void **state)
{
    (void)state;
    v = vault_create(&err);
    return v ? 0 : -1;
}

/* Blocks are apart, come back, and are found again in small room. */
static void test_memory(void **state)
{
    char *all[200], *big;
    unsigned seed = 1;

    (void)state;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 200; i++) {
            size_t n = 1 + (size_t)rand_r(&seed) % 50000;

            all[i] = vault_alloc(v, n);
            assert_non_null(all[i]);
            assert_true(vault_has(v, all[i]));
            memset(all[i], i, n);
            all[i][0] = (char)i;
        }
        for (int i = 0; i < 200; i++) {
            assert_int_equal((unsigned char)all[i][0], i);
            vault_free(v, all[i]);
        }
    }
    big = vault_alloc(v, VAULT_BYTES - (1 << 20));
    assert_non_null(big);               /* all has been joined again */
    assert_null(vault_alloc(v, 2 << 20));
    vault_free(v, big);
    assert_null(vault_alloc(v, VAULT_BYTES));
    assert_null(vault_alloc(NULL, 1));
    assert_false(vault_has(v, &seed));
}

/* For another slave it is as new, whatever the one before has left. */
static void test_empty(void **state)
{
    struct vault_ledger *l;
    int pipe_fds[2];
    char byte;

    (void)state;
    assert_int_equal(pipe(pipe_fds), 0);
    assert_non_null(vault_alloc(v, 20 << 20));
    l = vault_open_ledger(v, 7, 3);
    assert_non_null(l);
    assert_int_not_equal(vault_keep_page(v, l, pipe_fds[1]), 0);
    vault_take(v);
    assert_non_null(vault_open_ledger(v, 8, 3));
    close(pipe_fds[1]);
    vault_empty(v);
    assert_int_equal(read(pipe_fds[0], &byte, 1), 0);   /* it has let go */
    close(pipe_fds[0]);
    for (size_t i = 0; i < 3; i++)
        assert_null(vault_ledger(v, i));
    l = vault_alloc(v, VAULT_BYTES - (1 << 20));
    assert_non_null(l);
    vault_free(v, l);
    assert_int_equal(vault_open_ledger(v, 9, 0)->index, 0);
}

static void test_ledgers(void **state)
{
    struct vault_ledger *a = vault_open_ledger(v, 1, 2);
    struct vault_ledger *b = vault_open_ledger(v, 1, 3);
    const struct vault_ledger *seen = vault_ledger(v, b->index);

    (void)state;
    assert_ptr_equal(seen, b);
    vault_draft(b)->next = 5;
    assert_int_equal(seen->state[seen->now].next, 0);
    vault_commit(b);
    assert_int_equal(seen->state[seen->now].next, 5);
    vault_close_ledger(v, a);
    assert_null(vault_ledger(v, a->index));
    a = vault_open_ledger(v, 2, 0);
    assert_int_equal(a->state[a->now].next, 0); /* nothing of the one before */
    vault_close_ledger(v, a);
    vault_close_ledger(v, b);
    assert_null(vault_open_ledger(NULL, 1, 1));
}

static void test_pages(void **state)
{
    struct vault_ledger *l = vault_open_ledger(v, 1, 2);
    int fd = memfd_create("page", MFD_CLOEXEC);
    uint64_t first = vault_keep_page(v, l, fd), second;
    char c = 0;

    (void)state;
    assert_int_equal(write(fd, "x", 1), 1);
    second = vault_keep_page(v, l, fd);
    close(fd);
    vault_take(v);
    assert_int_equal(vault_page(v, l->index, first), -1);
    assert_int_equal(vault_page(v, l->index, 0), -1);
    fd = vault_page(v, l->index, second);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &c, 1, 0), 1);
    assert_int_equal(c, 'x');
    vault_close_ledger(v, l);
    vault_take(v);
    assert_int_equal(vault_page(v, l->index, second), -1);
    assert_int_equal(fcntl(fd, F_GETFD), -1);   /* the guard has let it go */
}

/* ------------------------------------------------------- records taken over */

static int on_send(void *arg, const void *events)
{
    (void)events;
    ++*(int *)arg;
    return 0;
}

static void add(struct records *r, uint64_t seq)
{
    struct rings_stamp s = { .seq = seq, .wall_ns = 1 + seq,
                             .mate = SIZE_MAX };
    struct rings_batch b = { .v = &s, .n = 1 };
    int sent = 0;
    const struct records_out out = { on_send, &sent };

    assert_int_equal(records_add(r, &b, &out, &err), 0);
}

static void test_inherit(void **state)
{
    struct records_window window = { .max = 1 << 20, .vault = v };
    struct records r, heir;
    int sent = 0;
    const struct records_out out = { on_send, &sent };
    pid_t pid;
    int status;

    (void)state;
    records_init(&r, 7, 1, &window);
    r.ledger = vault_open_ledger(v, 7, 1);
    pid = fork();
    if (pid == 0) {             /* the slave, which dies */
        for (uint64_t i = 0; i < 5; i++)
            add(&r, i);
        records_ack(&r, 2, &err);
        vault_draft(r.ledger)->next = 4;        /* 4 was not noted any more */
        vault_commit(r.ledger);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    window.bytes = 0;
    records_init(&heir, 7, 1, &window);
    records_inherit(&heir, r.ledger->first, r.ledger->state[1].next);
    assert_int_equal(heir.next, 4);
    records_resend(&heir, &out);
    assert_int_equal(sent, 2);
    add(&heir, 4);
    assert_int_equal(records_ack(&heir, 6, &err), -1);
    assert_int_equal(records_ack(&heir, 5, &err), 0);
    assert_true(records_empty(&heir));
    assert_int_equal(window.bytes, 0);

    /* Nothing that is not in the vault is touched. */
    records_init(&heir, 7, 1, &window);
    records_inherit(&heir, (struct records_chunk *)&sent, 9);
    assert_true(records_empty(&heir));
    assert_int_equal(heir.next, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory), cmocka_unit_test(test_empty),
        cmocka_unit_test(test_ledgers),
        cmocka_unit_test(test_pages), cmocka_unit_test(test_inherit),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, NULL);
}
