/* serve.h - a policy is shown the tape and answers (judgewire.h). */
#ifndef HECTOR_SERVE_H
#define HECTOR_SERVE_H

#include "master/judge/policy.h"

/* Until the stream ends. 0: it has; else what the process is to end with. */
int serve(struct policy *p);

/* The policy cannot be, in words. */
void serve_refuse(const char *why);

#endif
