/* orders.h - what a master may order a slave: the table of messages. */
#ifndef HECTOR_ORDERS_H
#define HECTOR_ORDERS_H

#include <stddef.h>

#include "proto/link/conn.h"

/* For uplink_ops: all that messages.def has from a master to a slave. The
 * uplink's owner is the struct jobs. */
extern const struct conn_route orders_routes[];
extern const size_t orders_nroutes;

#endif
