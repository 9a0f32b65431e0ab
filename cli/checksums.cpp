// The file is text, a case per line, so that a difference reads well in a diff.
#include "checksums.h"

#include <map>
#include <sstream>

#include <fmt/format.h>

#include "cli.h"

namespace wgk::cli {
namespace {

std::string case_key(const PackageReport& package, const CaseReport& test) { return package.op + " " + test.name; }

bool has_digest(const CaseReport& test) { return !test.result.float16_digest.empty(); }

Result<std::map<std::string, std::string>> read_checksums(const std::string& file) {
  const Result<std::string> text = read_text(file);
  if (!text) return text.error();
  std::map<std::string, std::string> digests;
  std::istringstream lines(*text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::size_t space = line.rfind(' ');
    if (space == std::string::npos || line.size() - space - 1 != 64) {
      return Error{ErrorCode::kUsage, fmt::format("{}:{}: expected \"<op id> <case> <sha256>\"", file, number)};
    }
    digests[line.substr(0, space)] = line.substr(space + 1);
  }
  return digests;
}

}  // namespace

std::string checksums_text(const std::vector<PackageReport>& packages) {
  std::string text;
  for (const PackageReport& package : packages) {
    for (const CaseReport& test : package.cases) {
      if (has_digest(test)) text += fmt::format("{} {}\n", case_key(package, test), test.result.float16_digest);
    }
  }
  return text;
}

Status compare_checksums(const std::string& file, std::vector<PackageReport>& packages) {
  const auto wanted = read_checksums(file);
  if (!wanted) return wanted.error();
  for (PackageReport& package : packages) {
    for (CaseReport& test : package.cases) {
      if (!has_digest(test)) continue;
      const auto found = wanted->find(case_key(package, test));
      if (found != wanted->end() && found->second == test.result.float16_digest) continue;
      test.result.outcome = CaseResult::Outcome::kFailed;
      test.result.message = found == wanted->end()
                                ? fmt::format("{} has no checksum of this case; write the file anew", file)
                                : fmt::format("float16 results have the checksum {}, {} says {}",
                                              test.result.float16_digest, file, found->second);
    }
  }
  return {};
}

}  // namespace wgk::cli
