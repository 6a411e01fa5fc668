/* greeting.c - Hello, Welcome and Refuse. */
#include "proto/link/greeting.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/link/refused.h"

void greeting_name(char *buf, size_t size)
{
    const struct passwd *pw = getpwuid(geteuid());
    char host[200] = "";

    gethostname(host, sizeof(host) - 1);
    if (pw)
        snprintf(buf, size, "%.60s@%s", pw->pw_name, host);
    else
        snprintf(buf, size, "%u@%s", (unsigned)geteuid(), host);
}

void greeting_hello(struct conn *c, Hct__Hello *m)
{
    char name[300], *given = m->name;

    m->protocol = PROTOCOL_VERSION;
    m->version = (char *)HECTOR_VERSION;
    m->messages = MESSAGE_LAST;
    if (!*given) {
        greeting_name(name, sizeof(name));
        m->name = name;
    }
    if (!m->instance && getrandom(&m->instance, sizeof(m->instance), 0) !=
                            sizeof(m->instance))
        m->instance = clock_wall_ns() ^ (uint64_t)getpid() << 40;
    conn_send(c, MESSAGE_HELLO, m);
    m->name = given;
}

static void note_last(struct conn *c, uint32_t messages)
{
    conn_set_last(c, messages ? messages : MESSAGE_LAST_SILENT);
}

int greeting_welcomed(struct conn *c, const Hct__Welcome *m, Hct__Role role,
                      struct err *err)
{
    if (m->protocol != PROTOCOL_VERSION)
        return err_set(err, EPROTO, "%s (version %s) speaks protocol %u, we "
                       "(version " HECTOR_VERSION ") %u", m->name, m->version,
                       m->protocol, PROTOCOL_VERSION);
    if (m->role != role)
        return err_set(err, EPROTO, "%s has role %d, not %d", m->name,
                       (int)m->role, (int)role);
    note_last(c, m->messages);
    conn_set_role(c, (unsigned)role);
    return 0;
}

int greeting_on_refuse(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    const Hct__Refuse *m = msg;

    (void)arg, (void)c;
    return err_set(err, EACCES, "refused: %s",
                   *m->why ? m->why : "no reason is given");
}

int greeting_check(struct conn *c, const Hct__Hello *m, const char *self,
                   struct err *err)
{
    note_last(c, m->messages);
    if (m->protocol == PROTOCOL_VERSION)
        return 0;
    return err_set(err, EPROTO, "protocol %u of version %s: this %s (version "
                   HECTOR_VERSION ") speaks %u", m->protocol, m->version,
                   self, PROTOCOL_VERSION);
}

void greeting_welcome(struct conn *c, Hct__Role peer, Hct__Welcome *m)
{
    conn_set_role(c, (unsigned)peer);
    m->protocol = PROTOCOL_VERSION;
    m->version = (char *)HECTOR_VERSION;
    m->messages = MESSAGE_LAST;
    conn_send(c, MESSAGE_WELCOME, m);
}

void greeting_refuse(struct conn *c, const char *subsystem,
                     const struct err *why)
{
    Hct__Refuse m = HCT__REFUSE__INIT;

    refused(subsystem, conn_peer(c), why);
    m.why = (char *)why->text;
    conn_send(c, MESSAGE_REFUSE, &m);
    conn_close_flushed(c);
}
