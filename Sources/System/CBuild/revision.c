#include "CBuild.h"

#ifndef HEARTH_REVISION
#define HEARTH_REVISION "unknown"
#endif

const char *hearth_build_revision(void) { return HEARTH_REVISION; }
