/* seeds_page.c - what tasks and strangers on the same machine say: in their
 * pages, and to the sockets of a slave. */
#include "tests/fuzz/seeds.h"

#include "mpi-wrappers/page.h"

/* Not steps: see fuzz_page.c. */
static void piece(unsigned where, size_t at, const void *p, size_t n)
{
    const uint8_t head[] = { (uint8_t)where, 0, (uint8_t)at,
                             (uint8_t)(at >> 8), (uint8_t)n, 0 };

    memcpy(tale.bytes + tale.n, head, sizeof(head));
    memcpy(tale.bytes + tale.n + sizeof(head), p, n);
    tale.n += sizeof(head) + n;
}

void page_tales(const char *dir)
{
    struct { struct page_record r; char text[8]; } in =
        { { 32, PAGE_RECORD_ENTER, 3, 5, 4, 1000 }, "step" };
    struct page_record out = { 24, PAGE_RECORD_EXIT, 3, 5, 0, 2000 };
    uint32_t used = 1;
    uint64_t head = sizeof(in) + sizeof(out), bad = 1 << 30;

    piece(0, offsetof(struct page_header, slots_used) -
             offsetof(struct page_header, state), &used, sizeof(used));
    piece(2, 0, &in, sizeof(in));
    piece(2, sizeof(in), &out, sizeof(out));
    piece(1, offsetof(struct page_slot, head), &head, sizeof(head));
    head += sizeof(out);
    piece(2, sizeof(in) + sizeof(out), &out, sizeof(out));
    piece(1, offsetof(struct page_slot, calls), &head, sizeof(head));
    piece(0, 8, &used, sizeof(used));
    piece(1, offsetof(struct page_slot, head), &head, sizeof(head));
    piece(1, offsetof(struct page_slot, head), &bad, sizeof(bad));
    tell(dir, "page", "calls");
}

/* Page and master of a slave that was killed. */
static void scribbled(unsigned who, unsigned where, size_t at, const void *p,
                      size_t n)
{
    uint8_t bytes[128] = { (uint8_t)where, 0, (uint8_t)at, (uint8_t)(at >> 8),
                           (uint8_t)n, 0 };

    memcpy(bytes + 6, p, n);
    raw(who, STEP_SPECIAL, bytes, 6 + n);
}

void lastwords_tales(const char *dir)
{
    const struct page_site cost = { .address = 0x1234, .call = 12,
                                    .calls = 7, .in_ticks = 700 };
    struct { struct page_record r; char text[8]; } in =
        { { 32, PAGE_RECORD_ENTER, 3, 5, 4, 1000 }, "step" };
    uint32_t used = 1;
    uint64_t head = sizeof(in);

    for (unsigned alive = 0; alive < 8; alive += 4) {
        scribbled(alive, 0, offsetof(struct page_header, slots_used) -
                  offsetof(struct page_header, state), &used, sizeof(used));
        scribbled(alive, 2, 0, &in, sizeof(in));
        scribbled(alive, 5, PAGE_SITE_FIRST * sizeof(cost), &cost,
                  sizeof(cost));
        scribbled(alive, 1, offsetof(struct page_slot, calls), &head,
                  sizeof(head));
        scribbled(alive, 1, offsetof(struct page_slot, head), &head,
                  sizeof(head));
        operator_welcome(0);
        SAY(0, TERMINATE, Terminate, HCT__TERMINATE__INIT, m->job = 7);
        SAY(0, EVENT_ACK, EventAck, HCT__EVENT_ACK__INIT, m->job = 7,
            m->upto = 1);
        tell(dir, "lastwords", alive ? "read" : "unread");
    }
}

/* See fuzz_admission.c. */
void admission_tales(const char *dir)
{
    raw(0, STEP_RAW, "hello", 5);
    raw(0, STEP_SPECIAL, "\0", 1);              /* the library accepts it */
    raw(1, STEP_SPECIAL, "\2", 1);              /* says nothing, and leaves */
    raw(1, STEP_CLOSE, "", 0);
    raw(2, STEP_RAW, "x", 1);
    raw(2, STEP_CLOSE, "", 0);
    raw(3, STEP_SPECIAL, "\5x", 2);             /* out of band */
    raw(4, STEP_SPECIAL, "\3", 1);              /* has said all */
    raw(5, STEP_RAW, "x", 1);
    raw(5, STEP_SPECIAL, "\4", 1);              /* is cut off */
    raw(0, STEP_SPECIAL, "\0", 1);
    raw(6, STEP_SPECIAL, "\7xx", 3);            /* says a word, and is gone */
    raw(0, STEP_SPECIAL, "\0", 1);
    tell(dir, "admission", "guests");
    raw(0, STEP_SPECIAL, "\1\0", 2);            /* nobody may come in */
    raw(0, STEP_RAW, "x", 1);
    raw(0, STEP_SPECIAL, "\1\1", 2);
    raw(0, STEP_RAW, "x", 1);
    raw(1, STEP_RAW, "x", 1);
    raw(0, STEP_SPECIAL, "\0", 1);
    tell(dir, "admission", "refused");
    raw(0, STEP_SPECIAL, "\6", 1);              /* a crowd */
    raw(0, STEP_RAW, "x", 1);
    raw(0, STEP_SPECIAL, "\0", 1);
    tell(dir, "admission", "crowd");
}

void registry_tales(const char *dir)
{
    struct page_hello h = { .magic = PAGE_MAGIC, .major = PAGE_MAJOR,
                            .job = 7, .rank = 1, .ntasks = 4 };
    const uint8_t length = sizeof(h);

    for (int i = 0; i < 3; i++, h.rank += 4, h.major = i == 2) {
        memcpy(tale.bytes + tale.n++, &length, 1);
        memcpy(tale.bytes + tale.n, &h, sizeof(h));
        tale.n += sizeof(h);
    }
    tell(dir, "registry", "hello");
}
