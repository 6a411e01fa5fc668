/* addr.h - where a daemon listens: "unix:/path" or "tcp:host:port".
 *
 * A list "tcp:10.0.0.1:7000,tcp:192.168.1.1:7000" names one listener by
 * several ways; whoever connects tries them in that order. "[::1]" style
 * brackets surround IPv6 hosts. A bare "/path" means unix:, a bare
 * "host:port" means tcp:. "unix:@name" has no file: the name is in the kernel
 * (an abstract socket), and goes with the process. */
#ifndef HECTOR_ADDR_H
#define HECTOR_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

enum { ADDR_TEXT_MAX = 160, ADDR_LIST_MAX = 1024 };

struct addr {
    bool is_unix;
    char host[128];             /* host, or the path of a Unix socket */
    uint16_t port;              /* 0 when listening: any free port */
};

struct sockaddr_un;
/* The address of a Unix socket; returns how many bytes of it count. */
unsigned addr_unix(const struct addr *a, struct sockaddr_un *sun);

int addr_parse(struct addr *a, const char *text, struct err *err);
int addr_format(const struct addr *a, char *buf, size_t size);

/* Parse a comma-separated list of at most max; returns how many. */
int addr_parse_list(struct addr *v, int max, const char *text,
                    struct err *err);

/* A listening, non-blocking, close-on-exec socket; a->port is filled in. A
 * stale Unix socket nobody listens on is replaced; a live one is an error. */
int addr_listen(struct addr *a, struct err *err);

/* Every TCP address of this host that others may reach, with the given port,
 * as a list in text form; loopback only when there is nothing else. */
int addr_list_local(uint16_t port, char *buf, size_t size, struct err *err);

/* Does this host name mean the machine we are on? Compares with the host
 * name, "localhost" and the addresses of our interfaces; looks names up. */
bool addr_is_local_host(const char *host);

#endif
