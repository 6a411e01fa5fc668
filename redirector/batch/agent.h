/* agent.h - how a launch agent is called: CMD HOST COMMAND ARG...
 *
 * Pure. */
#ifndef HECTOR_AGENT_H
#define HECTOR_AGENT_H

#include <stdbool.h>

#include "proto/base/err.h"
#include "redirector/batch/hosts.h"

/* The agent when none is chosen: that of the allocation the hosts are from,
 * else "ssh". */
const char *agent_default(const struct hosts *h);

/* The name people know an agent by: "ssh" of "/usr/bin/ssh -p 22". Into a
 * static buffer. */
const char *agent_name(const char *agent);

/* What is in lines that it says though nothing is wrong, or that are said in
 * better words; NULL at the end, or NULL: there are no such. */
const char *const *agent_noise(const char *agent);

/* Variables that would have it do something else than its words say, NULL at the
 * end, or NULL: there are none. */
const char *const *agent_unset(const char *agent);

/* Is its program there, in PATH if it has no other place? */
bool agent_is_there(const char *agent);

/* All words of the call, NULL at the end; free with agent_free(). A plain
 * "srun" gets the options it needs to behave like that. Agents that hand
 * their words to a remote shell (ssh, rsh, remsh, qrsh) get them quoted. */
char **agent_words(const char *agent, const struct host *host,
                   const char *const *command, struct err *err);
void agent_free(char **words);

/* Is what it has said before it ended something that a batch system gets over, so
 * that it is to be tried again? */
bool agent_may_pass(const char *agent, const char *line);

#endif
