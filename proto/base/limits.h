/* limits.h - limits of resources that a user has set for what he runs, and that
 * a daemon on the way there need not keep. */
#ifndef HECTOR_LIMITS_H
#define HECTOR_LIMITS_H

#include <sys/resource.h>

/* Let this process have all it may of the resource (RLIMIT_...). *was: what was
 * in force before; {0, 0} if that is not known. */
void limits_lift(int resource, struct rlimit *was);

/* That again, for who is to run under it; safe after fork(). */
void limits_restore(int resource, const struct rlimit *was);

/* Files may be larger than the user's tasks can make them; what is too large
 * even so is an error, EFBIG, and no signal. */
void limits_lift_file_size(struct rlimit *was);

#endif
