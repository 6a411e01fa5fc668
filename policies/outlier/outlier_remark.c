/* outlier_remark.c - what the policy outlier says of all tasks that it has compared,
 * for who looks at them. */
#include <stdarg.h>
#include <stdio.h>

#include "policies/outlier/outlier.h"

__attribute__((format(printf, 2, 3)))
static void remark(struct hct_out *out, const char *fmt, ...)
{
    struct hct_line *l;
    va_list ap;

    if (out->nlines >= out->lines_max) {
        out->lost++;
        return;
    }
    if (!out->nremarks++)
        out->remarks = out->nlines;
    l = &out->lines[out->nlines++];
    *l = (struct hct_line){ .rank = HCT_NONE };
    va_start(ap, fmt);
    vsnprintf(l->text, sizeof(l->text), fmt, ap);
    va_end(ap);
}

static void remark_phase(const struct outlier *s, struct hct_out *out)
{
    const struct oddphase_one *one = oddphase_oddest(&s->phases);
    char text[sizeof(((struct hct_line *)0)->text)];

    if (!one)
        return;
    oddphase_say(one, text, sizeof(text));
    remark(out, "%s", text);
}

static void remark_left_out(const struct outlier *s, struct hct_out *out)
{
    const struct dictionary *d = &s->dictionary;

    if (d->left_out)
        remark(out, "%u steps of the %u tasks that are the sample are left out: they "
               "found no room among %d, or it is not known where they are",
               d->left_out, s->nsample, DICTIONARY_STEPS);
}

void outlier_remark(const struct outlier *s, struct hct_out *out)
{
    remark_phase(s, out);
    remark_left_out(s, out);
}
