/* steps.h - inputs for fuzzers of conversations, and a mutator that knows
 * what messages are made of.
 *
 * An input is a list of steps (step.h).
 * Each fuzzer includes this once. */
#ifndef STEPS_H
#define STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/link/frame.h"
#include "proto/link/message.h"
#include "tests/fuzz/step.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed);

/* Of the time for an input most goes into allocations; let each cost less. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=16:malloc_context_size=5";
}

/* Returns how many there are, at most STEP_MAX. */
static size_t steps_parse(struct step v[STEP_MAX], const uint8_t *p,
                          size_t left)
{
    size_t k = 0;

    for (; k < STEP_MAX && left >= STEP_HEAD; k++) {
        size_t n = (size_t)(p[2] | p[3] << 8);

        if (n > left - STEP_HEAD)
            n = left - STEP_HEAD;
        v[k] = (struct step){ p[0], p[1], (uint16_t)n, p + STEP_HEAD };
        p += STEP_HEAD + n;
        left -= STEP_HEAD + n;
    }
    return k;
}

static inline bool step_is_message(const struct step *s)
{
    return message_descriptor(s->what) != NULL;
}

/* The frame of a step: its size, out has STEP_FRAME bytes. */
enum { STEP_FRAME = FRAME_HEADER + 65536 };
static inline size_t step_frame(const struct step *s, uint32_t sequence,
                                uint8_t out[STEP_FRAME])
{
    frame_header(out, s->what, sequence, s->n);
    memcpy(out + FRAME_HEADER, s->body, s->n);
    return FRAME_HEADER + (size_t)s->n;
}

/* ----------------------------------------------------------- the mutator */

static uint64_t steps_seed;

static unsigned pick(unsigned n)
{
    steps_seed = steps_seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(steps_seed >> 33) % n;
}

static uint8_t some_type(void)
{
    uint8_t type;

    do
        type = (uint8_t)pick(128);
    while (!message_descriptor(type));
    return type;
}

static uint64_t some_number(uint64_t old)
{
    static const uint64_t good[] = { 0, 1, 2, 3, 7, 8, 64, 255, 256, 65535,
        1 << 20, 1 << 24, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX };

    switch (pick(6)) {
    case 0: return old + 1;
    case 1: return old - 1;
    case 2: return old ^ 1ull << pick(64);
    case 3: return pick(8);
    default: return good[pick(sizeof(good) / sizeof(good[0]))];
    }
}

static char *some_text(const char *old)
{
    static const char *const good[] = { "", "0", "all", "0-3", "1,3", "n1",
        "n2", "/tmp", "unix:/tmp/s", "tcp:127.0.0.1:1", "\033[31m\n\t",
        "0-4294967295", "a,b;c", "./../x", "%s%n" };
    size_t n = strlen(old);
    char *text;

    if (pick(2))
        return strdup(good[pick(sizeof(good) / sizeof(good[0]))]);
    text = calloc(1, n + 64);
    memcpy(text, old, n);
    text[LLVMFuzzerMutate((uint8_t *)text, n, n + 63)] = '\0';
    return text;
}

static size_t size_of(ProtobufCType t)
{
    switch (t) {
    case PROTOBUF_C_TYPE_MESSAGE: case PROTOBUF_C_TYPE_STRING:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_DOUBLE: case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_INT64: case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_FIXED64: case PROTOBUF_C_TYPE_SFIXED64: return 8;
    default: return 4;
    }
}

static ProtobufCMessage *new_message(const ProtobufCMessageDescriptor *d)
{
    ProtobufCMessage *m = malloc(d->sizeof_message);

    protobuf_c_message_init(d, m);
    return m;
}

static void change_message(ProtobufCMessage *m, unsigned depth);

static void change_value(const ProtobufCFieldDescriptor *f, void *at,
                         unsigned depth)
{
    ProtobufCBinaryData *b = at;
    ProtobufCMessage **sub = at;
    char **text = at, *was;
    uint64_t v = 0;

    switch (f->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        if (!*sub)
            *sub = new_message(f->descriptor);
        change_message(*sub, depth + 1);
        return;
    case PROTOBUF_C_TYPE_STRING:
        was = *text;
        *text = some_text(was ? was : "");
        if (was && was != &protobuf_c_empty_string[0])
            free(was);
        return;
    case PROTOBUF_C_TYPE_BYTES:
        b->data = realloc(b->data, b->len + 64);
        b->len = LLVMFuzzerMutate(b->data, b->len, b->len + 64);
        return;
    default:
        memcpy(&v, at, size_of(f->type));
        v = f->type == PROTOBUF_C_TYPE_BOOL ? !v : some_number(v);
        memcpy(at, &v, size_of(f->type));
    }
}

static void change_list(const ProtobufCFieldDescriptor *f, size_t *n,
                        void **list, unsigned depth)
{
    size_t size = size_of(f->type);
    char *v = *list;

    if (*n && pick(3)) {
        change_value(f, v + pick((unsigned)*n) * size, depth);
        return;
    }
    for (unsigned more = pick(8) ? 1 : 40; more && *n < 4096; more--) {
        v = *list = realloc(v, (*n + 1) * size);
        memset(v + *n * size, 0, size);
        change_value(f, v + (*n)++ * size, depth);
    }
}

static void change_message(ProtobufCMessage *m, unsigned depth)
{
    const ProtobufCMessageDescriptor *d = m->descriptor;
    const ProtobufCFieldDescriptor *f;

    if (!d->n_fields || depth > 4)
        return;
    f = &d->fields[pick(d->n_fields)];
    if (f->label == PROTOBUF_C_LABEL_REPEATED)
        change_list(f, (void *)((char *)m + f->quantifier_offset),
                    (void *)((char *)m + f->offset), depth);
    else
        change_value(f, (char *)m + f->offset, depth);
}

/* The body with one field changed, or NULL. */
static uint8_t *change_body(const struct step *s, size_t *n)
{
    const ProtobufCMessageDescriptor *d =
        message_descriptor(s->what);
    ProtobufCMessage *m = protobuf_c_message_unpack(d, NULL, s->n, s->body);
    uint8_t *out = NULL;

    if (!m)
        return NULL;
    for (unsigned i = 0; i <= pick(3); i++)
        change_message(m, 0);
    *n = protobuf_c_message_get_packed_size(m);
    if (*n <= STEP_BODY && (out = malloc(*n + 1)))
        protobuf_c_message_pack(m, out);
    protobuf_c_message_free_unpacked(m, NULL);
    return out;
}

static void change_step(struct step *s, uint8_t room[STEP_BODY])
{
    uint8_t *body;
    size_t n = 0;

    if (pick(8) == 0)
        s->who = (uint8_t)pick(8);
    if (step_is_message(s) && pick(5) && (body = change_body(s, &n))) {
        memcpy(room, body, n);
        free(body);
    } else {
        n = s->n < STEP_BODY ? s->n : STEP_BODY;
        memmove(room, s->body, n);
        n = LLVMFuzzerMutate(room, n, STEP_BODY);
    }
    s->body = room;
    s->n = (uint16_t)n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed)
{
    static uint8_t copy[STEP_MAX * (STEP_HEAD + STEP_BODY)], room[STEP_BODY];
    struct step v[STEP_MAX + 1], again;
    size_t n, i, at = 0;

    steps_seed = seed;
    if (size > sizeof(copy) || pick(20) == 0)
        return LLVMFuzzerMutate(data, size, max);
    memcpy(copy, data, size);
    n = steps_parse(v, copy, size);
    i = pick((unsigned)n + 1);
    switch (n < 2 || n == STEP_MAX ? 9 * (n > 0) : pick(10)) {
    case 0: case 1:             /* one more, from nothing */
        memmove(v + i + 1, v + i, (n - i) * sizeof(*v));
        v[i] = (struct step){ .who = (uint8_t)pick(8), .body = room,
            .what = pick(20) ? some_type()
                             : (uint8_t)(STEP_CLOSE + pick(3)) };
        n++;
        change_step(&v[i], room);
        break;
    case 2:                     /* one less */
        i %= n--;
        memmove(v + i, v + i + 1, (n - i) * sizeof(*v));
        break;
    case 3:                     /* once more, elsewhere */
        again = v[pick((unsigned)n)];
        memmove(v + i + 1, v + i, (n++ - i) * sizeof(*v));
        v[i] = again;
        break;
    default:
        change_step(&v[i % n], room);
    }
    for (i = 0; i < n && i < STEP_MAX; i++) {
        if (max - at < STEP_HEAD + (size_t)v[i].n)
            break;
        data[at] = v[i].who;
        data[at + 1] = v[i].what;
        data[at + 2] = (uint8_t)v[i].n;
        data[at + 3] = (uint8_t)(v[i].n >> 8);
        memcpy(data + at + STEP_HEAD, v[i].body, v[i].n);
        at += STEP_HEAD + (size_t)v[i].n;
    }
    return at;
}

#endif
