/* report.h - what hector-emulate has measured, for people and as JSON. */
#ifndef HECTOR_EMULATE_REPORT_H
#define HECTOR_EMULATE_REPORT_H

#include "proto/base/str.h"
#include "proto/link/message.h"
#include "slave/emulate/options.h"

/* One reduction; times in ns. */
struct report_merge {
    uint64_t asked_ns;          /* from the question to the whole answer */
    uint64_t took_ns, own_ns, path_ns, master_ns, finish_ns;
    uint64_t cpu_master_ns, cpu_daemons_ns;     /* processor time meanwhile;
                                   0: the master is not ours */
    uint64_t received_bytes, result_bytes;
    uint32_t messages;          /* between the master and slaves */
    uint32_t levels, fan_out;
};

struct report {
    const struct emulate *options;
    uint64_t join_ns, launch_ns, end_ns;
    uint64_t question_ns, question_bytes;       /* processor time that it took
                                   to make; 0: there is none */
    uint64_t made_ns;           /* processor time of making the traces, before
                                   the first reduction */
    struct report_merge first, median;  /* of all after the first */
    uint64_t least_ns, most_ns; /* asked_ns of these */
    uint64_t rss_bytes, peak_bytes, idle_bytes; /* of the master, 0: not ours;
                                   idle: when the daemons had joined */
    double run_s, run_cpu_s;    /* of samples and events; 0: none */
    uint64_t run_events;
    uint64_t end_cpu_ns;        /* of the master, in the end; 0: not ours */
    uint64_t statements, costs; /* messages about calls, and what is in them */
};

/* bytes: the packed tree, or model, of the last reduction. -1 when it is wrong, or
 * cannot be written. */
int report_print(const struct report *r, const Hct__Gathered *m,
                 const struct str *bytes, struct err *err);

#endif
