/* message.h - types of messages, as messages.def lists them: MESSAGE_TYPES(X),
 * and for each kind of link what may come there, MESSAGES_..._TO_...(X); see
 * gen.awk. */
#ifndef HECTOR_MESSAGE_H
#define HECTOR_MESSAGE_H

#include <stdint.h>
#include <protobuf-c/protobuf-c.h>

#include "hct.pb-c.h"
#include "messages.inc"

/* What Hello and Welcome carry. Grows when peers of different versions could
 * misunderstand each other; unknown fields alone are no reason. */
enum { PROTOCOL_VERSION = 1 };

enum message_type {
#define X(number, NAME, symbol) MESSAGE_##NAME = number,
    MESSAGE_TYPES(X)
#undef X
};

/* The last number that this program knows, and that of a peer which does not say
 * (Hello.messages). Numbers only grow: who knows one knows those before. */
union message_numbers {
#define X(number, NAME, symbol) char NAME[number];
    MESSAGE_TYPES(X)
#undef X
};
enum { MESSAGE_LAST = sizeof(union message_numbers), MESSAGE_LAST_SILENT = 117 };

/* NULL if there is no such type. */
const ProtobufCMessageDescriptor *message_descriptor(unsigned type);
const char *message_name(unsigned type);        /* "?" if there is none */

#endif
