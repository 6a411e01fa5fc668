/* seeds.h - tales: lists of steps (step.h), told message by message, and kept
 * as seeds of a fuzzer's corpus. */
#ifndef SEEDS_H
#define SEEDS_H

#include "tests/fuzz/step.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/link/message.h"

/* What has been told since the last tell(). */
struct tale { uint8_t bytes[1 << 16]; size_t n; };
extern struct tale tale;

void raw(unsigned who, unsigned what, const void *p, size_t n);
void say(unsigned who, enum message_type type, const void *m);

/* say(who, TYPE, Type, .field = value, ...) */
#define SAY(who, TYPE, Type, TYPE_INIT, ...)                            \
    do {                                                                \
        Hct__##Type m_ = TYPE_INIT;                                     \
        Hct__##Type *m = &m_;                                           \
        __VA_ARGS__;                                                    \
        say(who, MESSAGE_##TYPE, m);                                    \
    } while (0)
#define BYTES(text) (ProtobufCBinaryData){ sizeof(text) - 1,            \
                                           (uint8_t *)(text) }

/* Write it to dir/FUZZER.corpus/seed-WORD, and begin anew. */
void tell(const char *dir, const char *fuzzer, const char *word);

/* A part of a result, for whoever gathers. */
void part(unsigned who, uint32_t member, const char *text, Hct__Lack lack,
          uint32_t missing);
/* A model of two tasks: start > Send > Recv, in two phases. Returns its bytes,
 * less than 1,024. */
size_t pack_model(uint8_t *bytes);
/* The master greets hector(1), or the like. */
void operator_welcome(unsigned command);

/* One for each kind of peer: seeds_NOUN.c. */
void master_tales(const char *dir);
void slave_tales(const char *dir);
void emulate_tales(const char *dir);
void reduce_tales(const char *dir);
void redirector_tales(const char *dir);
void stream_tales(const char *dir);
void operator_tales(const char *dir);
void page_tales(const char *dir);
void lastwords_tales(const char *dir);
void registry_tales(const char *dir);
void admission_tales(const char *dir);
void stack_tales(const char *dir);
void model_tales(const char *dir);

#endif
