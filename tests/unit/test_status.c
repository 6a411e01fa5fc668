/* test_status.c - the exit status of hector-run: what came first decides. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "redirector/frontend/status.h"

/* A story: t a task fails, I/T/H a signal comes, o time-out, p the reader of
 * our output goes, f Hector fails, l output is lost, a abandoned by INT,
 * 0 1 3 k: the job ends with 0, 1, 3, 137. */
static void test_stories(void **state)
{
    static const struct { const char *story; int status; } table[] = {
        { "0", 0 },
        { "t3", 3 },
        { "3", 3 },
        { "tk", 137 },
        { "I", 130 },
        { "I0", 130 },
        { "Ik", 130 },
        { "I1", 130 },
        { "T1", 143 },
        { "H1", 129 },
        { "IT1", 130 },
        { "tI3", 3 },
        { "o", 124 },
        { "ok", 124 },
        { "ot1", 124 },
        { "oI1", 124 },
        { "tok", 137 },
        { "p", 141 },
        { "p0", 141 },
        { "0p", 141 },
        { "3p", 3 },
        { "0lp", 141 },
        { "f", 125 },
        { "f1", 125 },
        { "If", 130 },
        { "tf3", 3 },
        { "0l", 125 },
        { "l0", 125 },
        { "t3l", 3 },
        { "", 125 },
        { "t", 125 },
        { "0a", 130 },
        { "3a", 130 },
        { "Ia", 130 },
        { "0f", 0 },
        { "0I", 0 },
        { "0o", 0 },
        { "tr0", 0 },
        { "trt3", 3 },
        { "tro", 124 },
        { "trI1", 130 },
        { "Ir0", 130 },
        { "trl0", 125 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct status s = { 0 };

        for (const char *p = table[i].story; *p; p++)
            switch (*p) {
            case 't': status_note(&s, STATUS_BY_TASK, 0); break;
            case 'I': status_note(&s, STATUS_BY_SIGNAL, SIGINT); break;
            case 'T': status_note(&s, STATUS_BY_SIGNAL, SIGTERM); break;
            case 'H': status_note(&s, STATUS_BY_SIGNAL, SIGHUP); break;
            case 'o': status_note(&s, STATUS_BY_TIMEOUT, 0); break;
            case 'p': status_note(&s, STATUS_BY_PIPE, 0); break;
            case 'f': status_note(&s, STATUS_BY_FAILURE, 0); break;
            case 'l': status_incomplete(&s); break;
            case 'r': status_returns(&s); break;
            case 'a': status_abandon(&s, SIGINT); break;
            case 'k': status_end(&s, 137); break;
            default: status_end(&s, *p - '0'); break;
            }
        if (status_exit_code(&s) != table[i].status)
            fail_msg("%s: %d, not %d", table[i].story, status_exit_code(&s),
                     table[i].status);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stories),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
