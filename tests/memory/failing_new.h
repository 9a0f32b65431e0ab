// An operator new that fails when it is told to.
#pragma once

#include <cstddef>

namespace wgk::test {

/// Makes the n-th allocation of this thread from now on fail (1: the next one), and it alone, while the object lives.
class FailingNew {
 public:
  explicit FailingNew(std::size_t nth);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;

  /// Whether it came to that.
  static bool failed();
};

}  // namespace wgk::test
