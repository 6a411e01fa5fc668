/* model_draw.h - the shapes that hector model draws models in. Each appends to
 * out, or prints; names come from anybody's binaries, and are escaped. */
#ifndef HECTOR_MODEL_DRAW_H
#define HECTOR_MODEL_DRAW_H

#include "master/hector/model/modelview.h"

/* What is shown of it. */
struct model_text { bool phases, steps, histograms; };
int model_print(const struct modelview *v, const struct model_text *what,
                struct err *err);

void model_draw_json(struct str *out, const struct modelview *v);

/* A graph for plain dot: a node for each state, an edge for each step with how
 * often, and the means. */
void model_draw_dot(struct str *out, const struct modelview *v);

#endif
