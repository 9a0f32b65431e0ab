// What graphics drivers read from the environment.
#pragma once

namespace wgk::cli {

/// Without XDG_RUNTIME_DIR (a container, a cron job) Mesa's device-select layer looks for a Wayland display all the
/// same and complains on stderr; it is switched off then. A program may do that to its own environment, a library may
/// not. Call before the first thread starts.
void quiet_drivers();

}  // namespace wgk::cli
