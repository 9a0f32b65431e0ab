// Package references: their spelling, and who is trusted.
#include "hub/reference.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "package/identifiers.h"
#include "package/locate.h"
#include "package/node.h"

namespace wgk::hub {
namespace {

constexpr std::size_t kMaxName = 96;
constexpr std::size_t kMaxRevision = 255;

Error usage(std::string_view text, std::string_view reason) {
  return Error{ErrorCode::kUsage, fmt::format("{}: {}", package::printable(text), reason)};
}

/// As the Hub allows for owners and names: letters, digits, '-', '_', '.', neither ends nor "--" or "..".
bool is_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  const auto is_end = [](char c) { return c == '-' || c == '.'; };
  return !text.empty() && text.size() <= kMaxName && std::all_of(text.begin(), text.end(), allowed) &&
         !is_end(text.front()) && !is_end(text.back()) && text.find("--") == std::string_view::npos &&
         text.find("..") == std::string_view::npos;
}

/// A branch or tag that is also a path below refs/.
bool is_ref_name(std::string_view text) {
  if (text.size() > kMaxRevision || !package::is_canonical_path(text)) return false;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find('/', start), text.size());
    if (text[start] == '.' || text[start] == '-') return false;
    start = end + 1;
  }
  return true;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// The revision after "@".
Result<std::string> own_revision(std::string_view text, std::string_view revision) {
  if (is_commit(revision)) return lower(revision);
  if (version_of(revision)) return std::string(revision);
  std::string hint = "write @v1 for version 1, or @ and the 40 hexadecimal digits of a commit";
  if (is_ref_name(revision)) hint += fmt::format("; another branch is given as --revision {}", revision);
  return usage(text, fmt::format("\"{}\" is no revision; {}", package::printable(revision), hint));
}

Result<std::string> chosen_revision(std::string_view text, const RevisionChoice& choice) {
  if (choice.version != 0 && !choice.revision.empty()) {
    return usage(text, "give a version or a revision, not both");
  }
  if (choice.version < 0) return usage(text, fmt::format("version {} must be 1 or more", choice.version));
  if (choice.version > 0) return fmt::format("v{}", choice.version);
  if (choice.revision.empty()) {
    return usage(text, fmt::format("say which version, for example {}@v1: without one, the contract of the operator "
                                   "could change under the program",
                                   text));
  }
  if (is_commit(choice.revision)) return lower(choice.revision);
  if (is_ref_name(choice.revision)) return choice.revision;
  return usage(text, fmt::format("\"{}\" is neither a branch or tag nor the 40 hexadecimal digits of a commit",
                                 package::printable(choice.revision)));
}

}  // namespace

bool is_commit(std::string_view text) {
  return text.size() == 40 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

std::optional<int> version_of(std::string_view revision) {
  if (revision.size() < 2 || revision[0] != 'v' || revision[1] == '0') return std::nullopt;
  int version = 0;
  const char* end = revision.data() + revision.size();
  const auto parsed = std::from_chars(revision.data() + 1, end, version);
  if (parsed.ec != std::errc() || parsed.ptr != end || version < 1) return std::nullopt;
  return version;
}

bool is_repository_part(std::string_view text) { return is_name(text); }

Status check_trusted(const PackageReference& reference, bool trust) {
  if (trust || reference.owner == package::kTrustedOwner) return {};
  return usage(reference.text(), fmt::format("packages of \"{}\" are not trusted (only those of {} are); --trust, or "
                                             "HubOptions::trust, accepts them",
                                             reference.owner, package::kTrustedOwner));
}

}  // namespace wgk::hub

namespace wgk::inline v0 {

bool PackageReference::is_pinned() const { return hub::is_commit(revision); }
std::string PackageReference::text() const { return fmt::format("{}/{}@{}", owner, name, revision); }
std::string PackageReference::repository() const { return fmt::format("{}/{}", owner, name); }

bool is_reference(std::string_view text) { return package::is_reference(text); }

Result<PackageReference> parse_reference(std::string_view text, const RevisionChoice& choice) {
  const std::size_t at = text.find('@');
  const std::string_view repository = text.substr(0, at);
  const std::size_t slash = repository.find('/');
  const std::string_view owner = repository.substr(0, slash);
  const std::string_view name = slash == std::string_view::npos ? std::string_view{} : repository.substr(slash + 1);
  if (!hub::is_name(owner) || !hub::is_name(name)) {
    return hub::usage(text, fmt::format("no reference to a package of the Hub; one looks like {}/ai.onnx.Add@v1",
                                        package::kTrustedOwner));
  }
  PackageReference reference{std::string(owner), std::string(name), {}};
  if (at != std::string_view::npos && (choice.version != 0 || !choice.revision.empty())) {
    return hub::usage(text, "the reference names a revision already; leave out --version and --revision");
  }
  auto revision =
      at == std::string_view::npos ? hub::chosen_revision(text, choice) : hub::own_revision(text, text.substr(at + 1));
  if (!revision) return revision.error();
  reference.revision = *std::move(revision);
  return reference;
}

}  // namespace wgk::inline v0
