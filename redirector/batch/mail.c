/* mail.c - see mail.h. */
#include "redirector/batch/mail.h"

#include <errno.h>
#include <stdio.h>

#include "redirector/batch/agent.h"
#include "redirector/batch/system.h"

/* Addresses are a user's words: they are no names of files here. */
static const char form[] =
    "set -f\n"
    "to=$(%s)\n"
    "if [ -z \"$to\" ]; then\n"
    "    echo '%s knows no mail user of its job' >&2\n"
    "    exit 1\n"
    "fi\n"
    "exec mailx -s \"%s $%s hangs\" $(echo \"$to\" | tr ',' ' ')\n";

int mail_command(char *buf, struct err *err)
{
    const struct system *s = system_here();
    int n;

    if (!s)
        return err_set(err, EINVAL, "--notify mail: we are in no batch system, that "
                       "knows whom to write to; a command may, as in --notify "
                       "'mailx -s hangs me'");
    if (!s->mail || !s->job)
        return err_set(err, EINVAL, "--notify mail: %s does not say whom to write to; "
                       "a command may, as in --notify 'mailx -s hangs me'", s->name);
    if (!agent_is_there("mailx"))
        return err_set(err, ENOENT, "--notify mail: there is no mailx in PATH");
    n = snprintf(buf, MAIL_COMMAND_MAX, form, s->mail, s->name, s->name, s->job);
    return n < MAIL_COMMAND_MAX ? 0 : err_set(err, ENOMEM, "--notify mail: too long");
}
