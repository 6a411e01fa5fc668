/* signals.c - signal numbers and names, both ways; see signals.h. The C
 * library knows the names; real-time signals are counted from RTMIN. */
#include "proto/base/signals.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "proto/base/parse.h"

static int signals_realtime(const char *name)
{
    static const struct { const char *base; int sign; } ends[] = {
        { "RTMIN", 1 }, { "RTMAX", -1 },
    };

    for (int i = 0; i < 2; i++) {
        uint64_t offset = 0;
        int from = i == 0 ? SIGRTMIN : SIGRTMAX;

        if (strncasecmp(name, ends[i].base, 5) != 0)
            continue;
        if (name[5] == '\0')
            return from;
        if (name[5] != (ends[i].sign > 0 ? '+' : '-') ||
            parse_u64(&offset, name + 6, 0,
                      (uint64_t)(SIGRTMAX - SIGRTMIN), NULL) < 0)
            return -1;
        return from + ends[i].sign * (int)offset;
    }
    return -1;
}

bool signals_may_end(int number)
{
    return number >= 0 && number <= SIGRTMAX;
}

int signals_number(const char *text, struct err *err)
{
    const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
    uint64_t number;

    if (isdigit((unsigned char)*text)) {
        if (parse_u64(&number, text, 1, (uint64_t)SIGRTMAX, err) < 0)
            return err_prefix(err, "signal");
        return (int)number;
    }
    for (int s = 1; s < SIGRTMIN; s++) {
        const char *known = sigabbrev_np(s);

        if (known && strcasecmp(name, known) == 0)
            return s;
    }
    int realtime = signals_realtime(name);

    if (realtime >= 0)
        return realtime;
    return err_set(err, EINVAL, "\"%.40s\" is not a signal", text);
}

static bool signals_in(const int *list, int number)
{
    while (*list && *list != number)
        list++;
    return *list != 0;
}

bool signals_is_stop(int number)
{
    static const int stops[] = { SIGTSTP, SIGTTIN, SIGTTOU, 0 };

    return signals_in(stops, number);
}

bool signals_is_passed(int number, bool private)
{
    static const int passed[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
                                  SIGXCPU, SIGURG, SIGIO, SIGPWR, 0 };

    if (private && (signals_is_stop(number) || number == SIGCONT ||
                    number == SIGABRT))
        return true;
    return signals_in(passed, number) ||
           (number >= SIGRTMIN && number <= SIGRTMAX);
}

void signals_add_passed(sigset_t *set, bool private)
{
    for (int number = 1; number <= SIGRTMAX; number++)
        if (signals_is_passed(number, private))
            sigaddset(set, number);
}

const char *signals_name(int number)
{
    static _Thread_local char buf[24];
    const char *known = sigabbrev_np(number);

    if (known)
        snprintf(buf, sizeof(buf), "SIG%s", known);
    else if (number == SIGRTMIN)
        snprintf(buf, sizeof(buf), "SIGRTMIN");
    else if (number > SIGRTMIN && number <= SIGRTMAX)
        snprintf(buf, sizeof(buf), "SIGRTMIN+%d", number - SIGRTMIN);
    else
        snprintf(buf, sizeof(buf), "signal %d", number);
    return buf;
}

const char *signals_describe(int number)
{
    const char *text = sigdescr_np(number);

    if (text)
        return text;
    return number >= SIGRTMIN && number <= SIGRTMAX ? "Real-time signal"
                                                    : "Unknown signal";
}
