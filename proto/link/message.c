/* message.c - type numbers to protobuf descriptors and names. */
#include "proto/link/message.h"

#include <stddef.h>

const ProtobufCMessageDescriptor *message_descriptor(unsigned type)
{
    switch (type) {
#define X(number, NAME, symbol) case number: return &hct__##symbol##__descriptor;
    MESSAGE_TYPES(X)
#undef X
    }
    return NULL;
}

const char *message_name(unsigned type)
{
    const ProtobufCMessageDescriptor *d = message_descriptor(type);

    return d ? d->short_name : "?";
}
