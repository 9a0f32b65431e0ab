// What a lock file demands of a package that is being fetched or loaded.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <wgk/hub.hpp>

namespace wgk::hub {

/// The entry that counts for a reference; nullopt without a lock file. Errors: kUsage for a bad lock file, kCheckFailed
/// when it does not list the reference.
Result<std::optional<LockedPackage>> locked_entry(const PackageReference& reference, const HubOptions& options);

/// Error: kCheckFailed, naming the files that differ; it starts with `what`.
Status check_digests(const std::string& what, const LockedPackage& locked,
                     const std::map<std::string, std::string>& digests);

}  // namespace wgk::hub
