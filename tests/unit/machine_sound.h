/* machine_sound.h - what holds of every table of machine.h: each event has one
 * edge at most from a state, each state but the first is reached from it, each
 * event does something, and no two words are the same. */
#ifndef MACHINE_SOUND_H
#define MACHINE_SOUND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/machine.h"

static inline void words_differ(const char *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_true(*v[i]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(v[i], v[k]);
    }
}

static inline size_t edges_of(const struct machine *m, unsigned state,
                              unsigned event)
{
    size_t n = 0;

    for (size_t i = 0; i < m->nedges; i++)
        n += m->edges[i].event == event && m->edges[i].first <= state &&
             state <= m->edges[i].last;
    return n;
}

static inline void assert_sound(const struct machine *m)
{
    uint64_t reached = 1, before = 0, events = 0;

    assert_true(m->nstates <= 64 && m->nevents <= 64);
    words_differ(m->states, m->nstates);
    words_differ(m->events, m->nevents);
    for (size_t i = 0; i < m->nedges; i++)
        assert_true(m->edges[i].first <= m->edges[i].last &&
                    m->edges[i].last < m->nstates &&
                    m->edges[i].to < m->nstates &&
                    m->edges[i].event < m->nevents);
    while (reached != before) {
        before = reached;
        for (unsigned s = 0; s < m->nstates; s++)
            for (unsigned e = 0; e < m->nevents; e++) {
                int to = machine_next(m, s, e, NULL);

                assert_int_equal(edges_of(m, s, e), to >= 0);
                if (to >= 0)
                    events |= 1ull << e;
                if (to >= 0 && (before >> s & 1))
                    reached |= 1ull << to;
            }
    }
    assert_int_equal(reached, (2ull << (m->nstates - 1)) - 1);
    assert_int_equal(events, (2ull << (m->nevents - 1)) - 1);
    for (unsigned s = 0; s < m->nstates; s++)
        assert_int_equal(machine_find(m, m->states[s]), s);
}

#endif
