// The parts of a card that lie in files of their own: the author's notes and a test case for the example.
#include <algorithm>
#include <filesystem>

#include <wgk/limits.hpp>

#include "package/contract.h"
#include "package/sources.h"

namespace wgk::package {
namespace {

constexpr std::uint64_t kMaxNotesBytes = 1u << 20;
constexpr std::size_t kMaxExampleCases = 16;  ///< where to look for an example

bool is_example(const TestCase& test) {
  return test.error.empty() && test.expect_error.empty() && test.skip_gpu_reason.empty() && !test.inputs.empty();
}

}  // namespace

CardParts read_card_parts(const LoadedPackage& loaded) {
  CardParts parts;
  if (loaded.folder.empty()) return parts;
  const std::filesystem::path folder(loaded.folder);
  if (auto notes = read_contained(folder, "card-notes.md", kMaxNotesBytes); notes.ok()) parts.notes = *std::move(notes);
  const auto text = read_contained(folder, "build/webgpu/test.json", limits::kMaxTestFileBytes);
  if (!text.ok()) return parts;
  auto file = parse_test_file(*text, {.max_cases = kMaxExampleCases});
  if (!file.ok()) return parts;
  const auto found = std::find_if(file->cases.begin(), file->cases.end(), is_example);
  if (found != file->cases.end()) parts.example = std::move(*found);
  return parts;
}

}  // namespace wgk::package
