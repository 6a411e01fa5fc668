/* message.h - the one list of message types.
 *
 * A number says on the wire what a frame's body is. Numbers are never used
 * again: a retired one stays in the list of hector-proto(7) as unused. */
#ifndef HECTOR_MESSAGE_H
#define HECTOR_MESSAGE_H

#include <stdint.h>
#include <protobuf-c/protobuf-c.h>

#include "hct.pb-c.h"

/* What Hello and Welcome carry. Grows when peers of different versions could
 * misunderstand each other; unknown fields alone are no reason. */
enum { PROTOCOL_VERSION = 1 };

/*  number, NAME, protobuf symbol */
#define MESSAGE_TYPES(X)                    \
    X(1, HELLO, hello)                      \
    X(2, WELCOME, welcome)                  \
    X(3, REFUSE, refuse)                    \
    X(4, PING, ping)                        \
    X(5, PONG, pong)                        \
    /* redirector -> master */              \
    X(16, SUBMIT, submit)                   \
    X(17, SIGNAL, signal)                   \
    X(18, KILL, kill)                       \
    X(19, ADOPT_END, adopt_end)  /* also master -> slave */ \
    X(20, ATTACH, attach)                   \
    X(22, HOLD, hold)                       \
    /* master -> redirector, operator */    \
    X(24, ACCEPTED, accepted)               \
    X(25, NOTICE, notice)                   \
    X(26, JOB_STATE, job_state)             \
    X(27, JOB_ENDED, job_ended)             \
    X(28, RESULT, result)                   \
    /* master -> slave */                   \
    X(32, PREPARE, prepare)                 \
    X(33, LAUNCH, launch)                   \
    X(34, TASK_SIGNAL, task_signal)         \
    X(35, TERMINATE, terminate)             \
    X(36, FORGET, forget)                   \
    X(37, FENCE_DONE, fence_done)           \
    X(38, EVENT_ACK, event_ack)             \
    X(39, ADOPTED, adopted)                 \
    X(40, REDUCE, reduce)                   \
    X(41, REDUCE_END, reduce_end)           \
    X(42, TASK_HOLD, task_hold)             \
    X(43, LOOK, look)                       \
    /* slave -> master */                   \
    X(48, PREPARED, prepared)               \
    X(49, LAUNCHED, launched)               \
    X(50, TASK_STATE, task_state)           \
    X(51, TASK_EXITED, task_exited)         \
    X(52, TASK_ABORT, task_abort)           \
    X(53, FENCE, fence)                     \
    X(54, EVENTS, events)                   \
    X(55, NODE_LOAD, node_load)             \
    X(56, TASK_SAMPLES, task_samples)       \
    X(57, DRAINED, drained)                 \
    X(58, PUBLISH, publish)                 \
    X(59, LOOKUP, lookup)                   \
    X(60, UNPUBLISH, unpublish)             \
    X(61, ADOPT, adopt)                     \
    X(62, SLAVE_JOBS, slave_jobs)           \
    X(63, FAREWELL, farewell)               \
    X(67, PROFILE, profile)                 \
    X(70, HELD, held)                       \
    X(71, LOOKED, looked)                   \
    /* both ways between master and slave */\
    X(64, MODEX_REQUEST, modex_request)     \
    X(65, MODEX_REPLY, modex_reply)         \
    X(66, LOOKUP_REPLY, lookup_reply)       \
    X(68, REDUCE_AT, reduce_at)             \
    X(69, REDUCE_PART, reduce_part)  /* also slave -> slave */ \
    /* slave <-> redirector: streams */     \
    X(80, OUTPUT, output)                   \
    X(81, OUTPUT_END, output_end)           \
    X(82, INPUT_CREDIT, input_credit)       \
    X(83, INPUT, input)                     \
    X(84, INPUT_END, input_end)             \
    X(85, INPUT_UNWANTED, input_unwanted)   \
    X(86, TERMINAL, terminal)               \
    /* operator <-> master */               \
    X(88, GATHER, gather)                   \
    X(89, GATHERED, gathered)

enum message_type {
#define X(number, NAME, symbol) MESSAGE_##NAME = number,
    MESSAGE_TYPES(X)
#undef X
};

/* NULL if there is no such type. */
const ProtobufCMessageDescriptor *message_descriptor(unsigned type);
const char *message_name(unsigned type);        /* "?" if there is none */

#endif
