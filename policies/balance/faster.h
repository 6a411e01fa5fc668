/* faster.h - moves that make a job faster: its slowest tasks go, one after the
 * other, to where they go fastest; of all beginnings of this row of moves the
 * one that is worth most is done. To look beyond a move that is worth nothing
 * yet is Kernighan's and Lin's way (An efficient heuristic procedure for
 * partitioning graphs, 1970), and needed here: of two tasks that are equally
 * slow one alone does not make the job any faster. */
#ifndef HECTOR_BALANCE_FASTER_H
#define HECTOR_BALANCE_FASTER_H

#include "policies/balance/field.h"

/* Was anything worth it? */
bool faster_try(struct field *f, uint32_t work);

#endif
