// POSIX only; elsewhere the runtime library takes care of it.
#include "standard_streams.h"

#if defined(__unix__) || defined(__APPLE__)
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#endif

namespace wgk::cli {

void open_standard_streams() {
#if defined(__unix__) || defined(__APPLE__)
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    // The lowest free number is taken, which is the one that was found closed.
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) static_cast<void>(open("/dev/null", O_RDWR));
  }
  // A file that reaches the limit on its size is then an error like a full disk, and what was written can be removed.
  std::signal(SIGXFSZ, SIG_IGN);
#endif
}

}  // namespace wgk::cli
