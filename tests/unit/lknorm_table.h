/* lknorm_table.h - the table of the Lk-norm, for tests that compare models: filled
 * once, before a group of them. */
#ifndef HECTOR_TEST_LKNORM_TABLE_H
#define HECTOR_TEST_LKNORM_TABLE_H

#include "policies/smm/lknorm.h"

static struct lknorm table;

static int fill_table(void **state)
{
    (void)state;
    lknorm_fill(&table);
    return 0;
}

#endif
