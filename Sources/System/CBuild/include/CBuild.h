#pragma once

/// The revision that was built; "unknown" unless it was told at the build.
const char *hearth_build_revision(void);
