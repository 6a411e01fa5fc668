/* mail.h - who wants the mail of a batch job: the batch system knows, as it has
 * mail of its own to send. */
#ifndef HECTOR_MAIL_H
#define HECTOR_MAIL_H

#include <stddef.h>

#include "proto/base/err.h"

/* Into buf, of MAIL_COMMAND_MAX bytes: a command for sh that asks the batch system
 * which we are in, and mails to that user what is on its standard input, by
 * mailx(1). -1: there is no such system, it does not say whom, or there is no mailx. */
enum { MAIL_COMMAND_MAX = 1024 };
int mail_command(char *buf, struct err *err);

#endif
