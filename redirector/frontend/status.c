/* status.c - the rules of the exit status; see status.h. */
#include "redirector/frontend/status.h"

void status_note(struct status *s, enum status_cause cause, int signal)
{
    /* A reader that leaves before it has seen all of a job's success is told
     * as much. */
    if (s->cause != STATUS_NONE ||
        (s->ended && (cause != STATUS_BY_PIPE || s->code != 0)))
        return;
    s->cause = cause;
    s->signal = signal;
}

void status_end(struct status *s, int code)
{
    s->ended = true;
    s->code = code & 255;
}

void status_returns(struct status *s)
{
    if (s->cause == STATUS_BY_TASK)
        s->cause = STATUS_NONE;
}

void status_abandon(struct status *s, int signal)
{
    if (!signal || (!s->ended && s->cause != STATUS_BY_TASK))
        return;
    s->cause = STATUS_BY_SIGNAL;
    s->signal = signal;
}

void status_incomplete(struct status *s)
{
    s->incomplete = true;
}

int status_exit_code(const struct status *s)
{
    switch (s->cause) {
    case STATUS_BY_SIGNAL:
        return STATUS_SIGNAL + s->signal;
    case STATUS_BY_TIMEOUT:
        return STATUS_TIMEOUT;
    case STATUS_BY_PIPE:
        return STATUS_PIPE;
    case STATUS_BY_FAILURE:
        return STATUS_FAILURE;
    case STATUS_NONE:
    case STATUS_BY_TASK:
        break;
    }
    if (!s->ended)
        return STATUS_FAILURE;
    return s->code == 0 && s->incomplete ? STATUS_FAILURE : s->code;
}
