/* kept.c - programs about which a proof was wrong once, in worlds with stalled
 * links or tasks that did not run. */
#include "tests/sim/kept.h"

#include <string.h>

#define MS 1000000u

enum { OPS = 24 };

static const struct kept {
    const char *name;
    uint32_t n;
    struct { uint8_t task; struct op op; } v[OPS];
} programs[] = {
    { "only the acknowledgement of a large message is under way", 3, {
        { 0, { .kind = OP_SEND, .peer = 1, .bytes = 1000000 } },
        { 1, { .kind = OP_RECV, .peer = 0 } },
        { 2, { .kind = OP_RECV, .peer = 0, .tag = 1 } },
        { 0, { .kind = OP_SEND, .peer = 2, .tag = 1, .bytes = 1000000 } } } },
    { "... and nobody knows from whom it was", 2, {
        { 0, { .kind = OP_SEND, .peer = 1, .bytes = 1000000 } },
        { 1, { .kind = OP_RECV, .peer = PROGRAM_ANY, .ignores = true } } } },
    { "the receiver has taken what was sent, and ended; who is waited for "
      "computes", 4, {
        { 0, { .kind = OP_SENDRECV, .peer = 1, .source = 3, .bytes = 65536 } },
        { 1, { .kind = OP_RECV, .peer = 0 } },
        { 3, { .kind = OP_COMPUTE, .ns = 2500 * MS } },
        { 3, { .kind = OP_SEND, .peer = 0, .bytes = 8 } } } },
    { "of several requests one is finished, and its partner gone", 3, {
        { 0, { .kind = OP_ISSEND, .peer = 1, .bytes = 8, .made = 0 } },
        { 0, { .kind = OP_IRECV, .peer = 2, .made = 1 } },
        { 0, { .kind = OP_WAITALL, .mask = 3 } },
        { 1, { .kind = OP_RECV, .peer = 0 } },
        { 2, { .kind = OP_COMPUTE, .ns = 2500 * MS } },
        { 2, { .kind = OP_SEND, .peer = 0, .bytes = 8 } } } },
    { "the root of a broadcast has entered it, and computes", 4, {
        { 1, { .kind = OP_IBCAST, .peer = 1, .bytes = 1000000, .made = 0 } },
        { 1, { .kind = OP_COMPUTE, .ns = 3000 * MS } },
        { 1, { .kind = OP_WAIT, .mask = 1 } },
        { 0, { .kind = OP_BCAST, .peer = 1, .bytes = 1000000 } } } },
    { "who has left a collective call, and ended, has left no trace", 3, {
        { 0, { .kind = OP_BARRIER } },
        { 1, { .kind = OP_BARRIER } },
        { 2, { .kind = OP_BARRIER } } } },
    { "swapped collective calls that need not wait", 2, {
        { 0, { .kind = OP_REDUCE, .peer = 1, .bytes = 8 } },
        { 0, { .kind = OP_COMPUTE, .ns = 2500 * MS } },
        { 0, { .kind = OP_BCAST, .peer = 0, .bytes = 8 } },
        { 1, { .kind = OP_BCAST, .peer = 0, .bytes = 8 } },
        { 1, { .kind = OP_REDUCE, .peer = 1, .bytes = 8 } } } },
    { "a broadcast that gets past a member in another call", 3, {
        { 1, { .kind = OP_COMPUTE, .ns = 1500 * MS } },
        { 1, { .kind = OP_IBCAST, .peer = 1, .bytes = 1000000, .made = 0 } },
        { 0, { .kind = OP_IBCAST, .peer = 1, .bytes = 1000000, .made = 0 } },
        { 0, { .kind = OP_WAIT, .mask = 1 } },
        { 1, { .kind = OP_COMPUTE, .ns = 2500 * MS } },
        { 1, { .kind = OP_WAIT, .mask = 1 } },
        { 2, { .kind = OP_DUP, .made = 1, .mask = 7 } } } },
    { "members are about to leave the call that made the communicator", 4, {
        { 0, { .kind = OP_DUP, .made = 1, .mask = 15 } },
        { 1, { .kind = OP_DUP, .made = 1, .mask = 15 } },
        { 2, { .kind = OP_DUP, .made = 1, .mask = 15 } },
        { 3, { .kind = OP_DUP, .made = 1, .mask = 15 } },
        { 2, { .kind = OP_RECV, .peer = PROGRAM_ANY, .comm = 1 } },
        { 3, { .kind = OP_SEND, .peer = 2, .bytes = 8, .comm = 1 } } } },
    { "the others' call had another number", 3, {
        { 0, { .kind = OP_IBCAST, .peer = 0, .bytes = 8, .made = 0 } },
        { 0, { .kind = OP_GATHER, .peer = 0, .bytes = 8 } },
        { 1, { .kind = OP_GATHER, .peer = 0, .bytes = 8 } },
        { 2, { .kind = OP_COMPUTE, .ns = 2500 * MS } },
        { 2, { .kind = OP_GATHER, .peer = 0, .bytes = 8 } } } },
    { "... and the last message of it is under way", 2, {
        { 0, { .kind = OP_DUP, .made = 1, .mask = 3 } },
        { 1, { .kind = OP_IALLREDUCE, .bytes = 8, .made = 0 } },
        { 1, { .kind = OP_DUP, .made = 1, .mask = 3 } } } },
    { "different calls that need not wait, one by one alike for the network",
      3, {
        { 0, { .kind = OP_IALLREDUCE, .bytes = 1, .made = 0 } },
        { 0, { .kind = OP_WAITALL, .mask = 1 } },
        { 1, { .kind = OP_IBARRIER, .made = 0 } },
        { 1, { .kind = OP_WAITALL, .mask = 1 } },
        { 2, { .kind = OP_IBARRIER, .made = 0 } },
        { 2, { .kind = OP_WAITALL, .mask = 1 } } } },
    { "one who has yet to come makes another call that need not wait", 3, {
        { 0, { .kind = OP_COMPUTE, .ns = 2500 * MS } },
        { 0, { .kind = OP_IREDUCE, .peer = 2, .bytes = 1, .made = 0 } },
        { 0, { .kind = OP_WAIT, .mask = 1 } },
        { 1, { .kind = OP_SEND, .peer = 2, .bytes = 1000000 } },
        { 2, { .kind = OP_IBARRIER, .made = 0 } },
        { 2, { .kind = OP_WAIT, .mask = 1 } } } },
    { "... or has made it", 3, {
        { 0, { .kind = OP_IREDUCE, .peer = 2, .bytes = 1, .made = 0 } },
        { 0, { .kind = OP_WAIT, .mask = 1 } },
        { 0, { .kind = OP_RECV, .peer = 1, .tag = 7 } },
        { 1, { .kind = OP_SEND, .peer = 2, .bytes = 1000000 } },
        { 2, { .kind = OP_IBARRIER, .made = 0 } },
        { 2, { .kind = OP_WAIT, .mask = 1 } } } },
    { "one communicator, and each side knows it by another number", 2, {
        { 0, { .kind = OP_DUP, .made = 1, .mask = 3 } },
        { 0, { .kind = OP_BCAST, .peer = 1, .bytes = 8 } },
        { 0, { .kind = OP_ISEND, .peer = 1, .tag = 12, .bytes = 8, .comm = 1,
               .made = 0 } },
        { 1, { .kind = OP_BCAST, .peer = 1, .bytes = 8 } },
        { 1, { .kind = OP_DUP, .made = 1, .mask = 3 } },
        { 1, { .kind = OP_RECV, .peer = 0, .tag = 12, .bytes = 8,
               .comm = 1 } } } },
    { "a window has the number of a communicator that the other one has freed",
      2, {
        { 0, { .kind = OP_SCAN } },
        { 0, { .kind = OP_SCAN } },
        { 0, { .kind = OP_DUP, .made = 1, .mask = 3 } },
        { 0, { .kind = OP_FREE, .comm = 1 } },
        { 0, { .kind = OP_WIN_CREATE, .made = 7, .mask = 3 } },
        { 0, { .kind = OP_WIN_FREE, .comm = 7 } },
        { 1, { .kind = OP_SCAN } },
        { 1, { .kind = OP_DUP, .made = 1, .mask = 3 } },
        { 1, { .kind = OP_FREE, .comm = 1 } },
        { 1, { .kind = OP_WIN_CREATE, .made = 7, .mask = 3 } },
        { 1, { .kind = OP_WIN_FREE, .comm = 7 } } } },
    { "what is sent with a request is followed by others like it", 2, {
        { 0, { .kind = OP_ISEND, .peer = 1, .tag = 1, .bytes = 1000000,
               .made = 0 } },
        { 0, { .kind = OP_BSEND, .peer = 1, .tag = 1, .bytes = 8 } },
        { 0, { .kind = OP_BSEND, .peer = 1, .tag = 1, .bytes = 8 } },
        { 0, { .kind = OP_WAIT, .mask = 1 } },
        { 0, { .kind = OP_SEND, .peer = 1, .tag = 2, .bytes = 8 } },
        { 1, { .kind = OP_RECV, .peer = 0, .tag = 1 } },
        { 1, { .kind = OP_RECV, .peer = 0, .tag = 2 } } } },
    { "... with requests that are finished before it", 2, {
        { 0, { .kind = OP_ISEND, .peer = 1, .tag = 1, .bytes = 1000000,
               .made = 0 } },
        { 0, { .kind = OP_ISEND, .peer = 1, .tag = 1, .bytes = 1, .made = 1 } },
        { 0, { .kind = OP_ISEND, .peer = 1, .tag = 1, .bytes = 1, .made = 2 } },
        { 0, { .kind = OP_WAITALL, .mask = 6 } },
        { 0, { .kind = OP_WAIT, .mask = 1 } },
        { 0, { .kind = OP_SEND, .peer = 1, .tag = 2, .bytes = 8 } },
        { 1, { .kind = OP_RECV, .peer = 0, .tag = 1 } },
        { 1, { .kind = OP_RECV, .peer = 0, .tag = 2 } } } },
    { "what is on its way is for a request made before: that is stuck", 2, {
        { 0, { .kind = OP_IRECV, .peer = 1, .tag = 40, .made = 0 } },
        { 0, { .kind = OP_RECV, .peer = PROGRAM_ANY, .tag = PROGRAM_ANY } },
        { 1, { .kind = OP_BSEND, .peer = 0, .tag = 40, .bytes = 8 } } } },
    { "... but another one is not", 3, {
        { 0, { .kind = OP_IRECV, .peer = 1, .tag = 40, .made = 0 } },
        { 0, { .kind = OP_RECV, .peer = PROGRAM_ANY, .tag = 40 } },
        { 1, { .kind = OP_BSEND, .peer = 0, .tag = 40, .bytes = 8 } },
        { 2, { .kind = OP_BSEND, .peer = 0, .tag = 40, .bytes = 8 } } } },
    { "a receive that was cancelled takes nothing", 2, {
        { 0, { .kind = OP_IRECV, .peer = 1, .tag = 1, .made = 0 } },
        { 0, { .kind = OP_CANCEL, .made = 0 } },
        { 1, { .kind = OP_COMPUTE, .ns = 1 * MS } },
        { 1, { .kind = OP_SEND, .peer = 0, .tag = 1, .bytes = 8 } },
        { 0, { .kind = OP_RECV, .peer = 1, .tag = 1 } },
        { 1, { .kind = OP_RECV, .peer = 0, .tag = 2 } },
        { 0, { .kind = OP_SEND, .peer = 1, .tag = 2, .bytes = 8 } } } },
};

const char *kept_program(uint32_t i, struct program *p)
{
    const struct kept *k;

    if (i >= sizeof(programs) / sizeof(programs[0]))
        return NULL;
    k = &programs[i];
    memset(p, 0, sizeof(*p));
    p->ntasks = k->n;
    for (uint32_t o = 0; o < OPS && k->v[o].op.kind; o++) {
        uint32_t r = k->v[o].task;

        p->op[r][p->nops[r]++] = k->v[o].op;
    }
    for (uint32_t r = 0; r < p->ntasks; r++)
        p->op[r][p->nops[r]++] = (struct op){ .kind = OP_FINALIZE };
    return k->name;
}
