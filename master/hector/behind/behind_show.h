/* behind_show.h - hector why JOB --progress: the whole of it. */
#ifndef HECTOR_BEHIND_SHOW_H
#define HECTOR_BEHIND_SHOW_H

#include <stdint.h>

#include "master/hector/core/tool.h"
#include "master/store/store.h"

enum behind_shape { BEHIND_TEXT, BEHIND_DOT, BEHIND_SVG, BEHIND_HTML };

/* Of a job that runs the master is asked. Returns the exit status. */
int behind_show(const struct tool *t, struct store *st, uint64_t job,
                enum behind_shape shape);

#endif
