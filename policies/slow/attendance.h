/* attendance.h - are all tasks of the job at work? Where one is held, or waits
 * for somebody who is not of the job, the others wait for it, and nobody is
 * slow. */
#ifndef HCT_SLOW_ATTENDANCE_H
#define HCT_SLOW_ATTENDANCE_H

#include <stdbool.h>

#include "policies/hct_policy.h"

/* ... and seen in this look? */
bool attendance_whole(const struct hct_snapshot *in);

#endif
