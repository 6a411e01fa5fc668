/* test_page.c - the layout that the library and the slave agree on: a change
 * here is a change of the ABI and wants a new PAGE_MINOR or PAGE_MAJOR. */
#include "tests/unit/pages.h"

struct offset { const char *name; size_t got, want; };
#define AT(type, field, at) { #type "." #field, \
                              offsetof(struct type, field), at }
#define SIZE(type, bytes) { "sizeof " #type, sizeof(struct type), bytes }

static const struct offset offsets[] = {
    AT(page_header, magic, 0), AT(page_header, major, 8),
    AT(page_header, bytes, 16), AT(page_header, job, 24),
    AT(page_header, rank, 32), AT(page_header, slots, 40),
    AT(page_header, drop, 52), AT(page_header, slave_beat, 64),
    AT(page_header, slave_gone, 72), AT(page_header, state, 128),
    AT(page_header, pid, 132), AT(page_header, clock, 136),
    AT(page_header, slots_used, 140), AT(page_header, start_ticks, 144),
    AT(page_header, start_wall_ns, 152), AT(page_header, threads_shared, 160),
    AT(page_header, what, 56), AT(page_header, slave_pid, 60),
    AT(page_header, comms_lost, 164),
    AT(page_header, requests_lost, 168),
    AT(page_slot, seq, 0), AT(page_slot, tid, 4), AT(page_slot, call, 8),
    AT(page_slot, waits_call, 12), AT(page_slot, comm, 16),
    AT(page_slot, since_ticks, 24), AT(page_slot, calls, 32),
    AT(page_slot, in_ticks, 40), AT(page_slot, out_ticks, 48),
    AT(page_slot, peer, 56), AT(page_slot, source, 60),
    AT(page_slot, tag, 64), AT(page_slot, requests, 68),
    AT(page_slot, count, 72), AT(page_slot, bytes, 80),
    AT(page_slot, collective, 88), AT(page_slot, flights, 96),
    AT(page_slot, head, 128), AT(page_slot, waits, 136),
    AT(page_slot, lost, 144), AT(page_slot, tail, 192), SIZE(page_slot, 256),
    SIZE(page_count, 24), AT(page_record, text, 24),
    AT(page_comm, id, 8), AT(page_comm, parent, 16), AT(page_comm, rank, 24),
    AT(page_comm, remote_size, 32), AT(page_comm, collectives, 40),
    AT(page_comm, since_ticks, 48), AT(page_comm, history, 56),
    AT(page_comm, history_before, 64), AT(page_comm, freed, 72),
    AT(page_comm, parcels_in, 80), AT(page_comm, takes_from, 112),
    AT(page_comm, bytes, 120),
    SIZE(page_comm, 128),
    AT(page_slot, source_tag, 120), AT(page_peer, sent, 8),
    AT(page_peer, last_tag, 32), AT(page_peer, bytes, 40), SIZE(page_peer, 48),
    AT(page_messages, lost, 16), AT(page_messages, peer, 64),
    AT(page_request, peer, 24), AT(page_request, seq, 32),
    AT(page_request, site, 34),
    AT(page_request, waiter, 39), AT(page_request, sent, 40),
    SIZE(page_request, 48),
    AT(page_shared, request_key, 65536), AT(page_shared, request, 81920),
    AT(page_flight, comm, 24), AT(page_flight, peer, 48),
    AT(page_flight, call, 56), SIZE(page_flight, 64),
    AT(page_header, phase, 176), AT(page_header, phase_bad, 180),
    AT(page_header, without, 184), AT(page_header, level, 188),
    AT(page_header, phase_id, 192), AT(page_header, nspace, 200),
    AT(page_header, world_rank, 208), AT(page_header, world_size, 212),
    AT(page_header, crew_known, 216), AT(page_header, crew, 220),
    AT(page_header, rests, 360),
    AT(page_slot, site, 104), AT(page_slot, sites_lost, 108),
    AT(page_shared, module, 180224), AT(page_module, base, 16),
    AT(page_module, id, 28), AT(page_module, path, 64), SIZE(page_module, 256),
    AT(page_site, height, 8), AT(page_site, marks, 20),
    AT(page_site, calls, 24), SIZE(page_site, 64),
    AT(page_edge, ends, 4), AT(page_edge, n, 8), AT(page_edge, in_mean, 16),
    AT(page_edge, out_m2, 40), AT(page_edge, out_max, 56),
    AT(page_edge, bytes_mean, 64), AT(page_edge, in, 80),
    AT(page_edge, out, 200), SIZE(page_edge, 320),
    AT(page_bank, phase, 8), AT(page_bank, lost, 16),
    AT(page_bank, by_ends, 32), AT(page_bank, edge, 2112),
    AT(page_thread, site, 4096), AT(page_thread, frame, 36864),
    AT(page_thread, bank, 102400),
    AT(page_meeting, id, 8), AT(page_meeting, tag, 32),
    AT(page_meeting, run, 48), SIZE(page_meeting, 192),
    AT(page_meetings, meeting, 64),
    AT(page_stop, wanted, 4), AT(page_stop, order, 8), AT(page_stop, where, 64),
    AT(page_stop, sent, 80), AT(page_stop, signal, 128), AT(page_stop, tid, 132),
    AT(page_stop, generation, 144), AT(page_stop, swap, 148),
    AT(page_stop, why, 160), AT(page_stop, comm, 416),
    AT(page_stop, others, 33216), AT(page_stop, other, 33280),
    AT(page_stop_thread, sent, 16), SIZE(page_stop_thread, 64),
    AT(page_stop_comm, target, 16), SIZE(page_stop_comm, 32),
    AT(page_lease_ask, unread, 48), SIZE(page_lease_ask, 56), SIZE(page_lease, 136),
    SIZE(page_hello, 104), SIZE(page_grant, 136),
};

static void stays_as_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        if (offsets[i].got != offsets[i].want)
            fail_msg("%s is at %zu, was at %zu", offsets[i].name,
                     offsets[i].got, offsets[i].want);
}

/* Parts follow each other without overlap, rings are aligned. */
static void parts_are_apart(void **state)
{
    static const unsigned slots[] = { 1, 2, 3, 21, 63, PAGE_SLOTS };
    static const unsigned calls[] = { 1, 387, PAGE_CALLS };
    static const unsigned rings[] = { RING_BYTES_MIN, PAGE_RING_BYTES };

    (void)state;
    assert_true(sizeof(struct page_header) <= page_slot_at(0));
    for (size_t s = 0; s < 6; s++)
        for (size_t c = 0; c < 3; c++)
            for (size_t r = 0; r < 2; r++) {
                unsigned n = slots[s], last = n - 1;

                assert_true(page_slot_at(last) + sizeof(struct page_slot) <=
                            page_counts_at(n, calls[c], 0));
                assert_true(page_counts_at(n, calls[c], n) <=
                            page_ring_at(n, calls[c], rings[r], 0));
                assert_true(page_ring_at(n, calls[c], rings[r], n) <=
                            page_shared_at(n, calls[c], rings[r]));
                assert_true(page_shared_at(n, calls[c], rings[r]) +
                            sizeof(struct page_shared) <=
                            page_thread_at(n, calls[c], rings[r], 0));
                assert_true(page_thread_at(n, calls[c], rings[r], last) +
                            sizeof(struct page_thread) <=
                            page_told_at(n, calls[c], rings[r]));
                assert_true(page_told_at(n, calls[c], rings[r]) +
                            sizeof(struct page_told) <=
                            page_messages_at(n, calls[c], rings[r]));
                assert_true(page_messages_at(n, calls[c], rings[r]) +
                            sizeof(struct page_messages) <=
                            page_meetings_at(n, calls[c], rings[r]));
                assert_true(page_meetings_at(n, calls[c], rings[r]) +
                            sizeof(struct page_meetings) <=
                            page_stop_at(n, calls[c], rings[r]));
                assert_true(page_stop_at(n, calls[c], rings[r]) +
                            sizeof(struct page_stop) <=
                            page_bytes(n, calls[c], rings[r]));
                assert_int_equal(page_ring_at(n, calls[c], rings[r], last) %
                                 4096, 0);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_as_it_is),
        cmocka_unit_test(parts_are_apart),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
