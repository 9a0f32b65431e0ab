// Only where the layer exists.
#include "driver_environment.h"

#include <cstdlib>

namespace wgk::cli {

void quiet_drivers() {
#if defined(__linux__)
  constexpr int kKeepUsersChoice = 0;
  if (std::getenv("XDG_RUNTIME_DIR") == nullptr) setenv("NODEVICE_SELECT", "1", kKeepUsersChoice);
#endif
}

}  // namespace wgk::cli
