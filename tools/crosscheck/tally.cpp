// Counting verdicts.
#include "tally.h"

#include <fmt/format.h>

namespace wgk::crosscheck {

void Tally::add(const CaseResult& verdict, bool was_run) {
  switch (verdict.outcome) {
    case CaseResult::Outcome::kPassed:
      ++(was_run ? ran : decided);
      break;
    case CaseResult::Outcome::kFailed:
      ++failed;
      break;
    case CaseResult::Outcome::kSkipped:
      ++skipped;
      break;
  }
}

void Tally::add(const Tally& other) {
  ran += other.ran;
  decided += other.decided;
  failed += other.failed;
  skipped += other.skipped;
  left_out += other.left_out;
}

std::string Tally::text() const {
  std::string text = fmt::format("{} ran, {} needed no device, {} failed, {} skipped", ran, decided, failed, skipped);
  if (left_out > 0) text += fmt::format(", {} left out", left_out);
  return text;
}

}  // namespace wgk::crosscheck
