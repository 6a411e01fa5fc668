/* behind_draw.h - the shapes that hector why --progress draws its graph in. */
#ifndef HECTOR_BEHIND_DRAW_H
#define HECTOR_BEHIND_DRAW_H

#include "master/hector/behind/behind.h"

/* Each appends to out; what it shows comes from anybody's binaries, and is
 * escaped. */
void behind_draw_text(struct str *out, const struct behind *b);
void behind_draw_json(struct str *out, const struct behind *b);
void behind_draw_dot(struct str *out, const struct behind *b,
                     const char *title);
void behind_draw_svg(struct str *out, const struct behind *b,
                     const char *title);
/* The same as a page that needs nothing else. */
void behind_draw_html(struct str *out, const struct behind *b,
                     const char *title);

#endif
