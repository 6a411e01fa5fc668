/* awaited.h - the message that a task waits for, by its page: which call of its
 * own has taken the last one that is like it, and what another task has sent to it
 * last. Both by the last calls of each thread (page_flight): what is longer ago is
 * not known. */
#ifndef HECTOR_AWAITED_H
#define HECTOR_AWAITED_H

#include <stdbool.h>
#include <stdint.h>

#include "slave/page/state.h"

struct awaited {
    uint64_t comm;
    int32_t peer, tag;          /* or PAGE_ANY */
    bool known;                 /* that call: */
    struct state_flight taker;  /* its site by page_site_in() */
};
/* False: it waits for no message. Of several that it waits for it is the first
 * one like which one was taken, or else the first one. */
bool awaited_find(const char *page, struct awaited *a);

/* The last message that it has sent to this rank, or is about to. False: none is
 * known. */
struct awaited_sent {
    struct state_flight by;
    bool in;                    /* it is in that call: exit_ticks mean nothing */
};
bool awaited_sent(const char *page, uint32_t to, struct awaited_sent *s);

#endif
