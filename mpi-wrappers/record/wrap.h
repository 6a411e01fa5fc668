/* wrap.h - what all generated entry points have in common.
 *
 * wrap_begin() and wrap_end() stand around the call of the real function.
 * call is a constant there, so the tests below cost nothing. */
#ifndef HECTOR_WRAP_H
#define HECTOR_WRAP_H

#include "mpi-wrappers/record/record.h"
#include "mpi-wrappers/table/calls.h"
#include "mpi-wrappers/table/real.h"

#define WRAP_EXPORT __attribute__((visibility("default")))

static inline void wrap_begin(unsigned call, const struct about *a)
{
    if (call == CALL_Init || call == CALL_Init_thread ||
        call == CALL_Session_init)
        record_init_begin();
    else if (call == CALL_Finalize || call == CALL_Session_finalize)
        record_finalize_begin();
    record_enter(call, a);
}

static inline void wrap_end(unsigned call, const struct about *a, bool ok)
{
    record_leave(a, ok);
    if (call == CALL_Init || call == CALL_Init_thread)
        record_init_end(ok);
    else if (call == CALL_Session_init)
        record_session_begun(ok);
    else if (call == CALL_Finalize)
        record_finalize_end();
    else if (call == CALL_Session_finalize)
        record_session_over(ok);
}

#endif
