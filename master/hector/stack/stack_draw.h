/* stack_draw.h - the shapes that hector stack draws a call tree in. Each
 * appends to out; what it has to show comes from anybody's binaries, and is
 * escaped. */
#ifndef HECTOR_STACK_DRAW_H
#define HECTOR_STACK_DRAW_H

#include <stdbool.h>

#include "master/hector/stack/callview.h"

struct stack_text_style {
    bool colour;
    unsigned width;             /* of the terminal; 0: nothing is cut */
};
void stack_draw_text(struct str *out, const struct callview *v,
                     const struct stack_text_style *style);

/* Its classes only, at most so many, with lines of their own. */
void stack_draw_classes(struct str *out, const struct callview *v,
                        const struct stack_text_style *style, uint32_t most);

void stack_draw_json(struct str *out, const struct callview *v);

/* STAT's attributes, and labels for plain dot. */
void stack_draw_dot(struct str *out, const struct callview *v);

/* "main;solve;MPI_Wait 12", a line for each place where traces end. */
void stack_draw_folded(struct str *out, const struct callview *v);

void stack_draw_svg(struct str *out, const struct callview *v);
void stack_draw_html(struct str *out, const struct callview *v);

#endif
