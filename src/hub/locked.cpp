// Finding the lock file and the entry in it.
#include "hub/locked.h"

#include <fmt/format.h>

#include "base/try.h"
#include "hub/settings.h"

namespace wgk::hub {

Result<std::optional<LockedPackage>> locked_entry(const PackageReference& reference, const HubOptions& options) {
  const std::string file = lock_file(options, process_environment);
  if (file.empty()) return std::optional<LockedPackage>();
  WGK_TRY(const PackageLock lock, PackageLock::read(file));
  const LockedPackage* entry = lock.find(reference);
  if (entry != nullptr) return std::optional<LockedPackage>(*entry);
  return Error{ErrorCode::kCheckFailed,
               fmt::format("{} is not in {}; add it with wgk lock {}", reference.text(), file, reference.text())};
}

}  // namespace wgk::hub
