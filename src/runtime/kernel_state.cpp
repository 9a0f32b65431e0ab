// The two bounded lists behind Kernel::run on GPU tensors.
#include "runtime/kernel_state.h"

#include <algorithm>
#include <utility>

namespace wgk::inline v0 {
namespace {

bool same(std::span<const gpu::BufferRange> a, std::span<const gpu::BufferRange> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const gpu::BufferRange& x, const gpu::BufferRange& y) {
    return x.buffer == y.buffer && x.offset == y.offset && x.size == y.size;
  });
}

template <typename List, typename Wanted>
auto* touch(List& list, Wanted wanted) {
  const auto found = std::find_if(list.begin(), list.end(), wanted);
  if (found == list.end()) return static_cast<typename List::value_type*>(nullptr);
  list.splice(list.begin(), list, found);
  return &list.front();
}

}  // namespace

std::shared_ptr<const Prepared::Impl> Kernel::State::find(const CallSpec& spec) {
  const std::lock_guard lock(mutex);
  const Entry* entry = touch(entries, [&](const Entry& e) { return e.spec == spec; });
  return entry == nullptr ? nullptr : entry->prepared;
}

void Kernel::State::remember(CallSpec spec, std::shared_ptr<const Prepared::Impl> prepared) {
  const std::lock_guard lock(mutex);
  entries.push_front({std::move(spec), std::move(prepared), {}});
  if (entries.size() > kMaxShapes) entries.pop_back();
}

std::shared_ptr<const Bound::Impl> Kernel::State::find(const Prepared::Impl& prepared,
                                                       std::span<const gpu::BufferRange> ranges) {
  const std::lock_guard lock(mutex);
  Entry* entry = touch(entries, [&](const Entry& e) { return e.prepared.get() == &prepared; });
  if (entry == nullptr) return nullptr;
  const Binding* binding = touch(entry->bindings, [&](const Binding& b) { return same(b.ranges, ranges); });
  return binding == nullptr ? nullptr : binding->bound;
}

void Kernel::State::remember(const Prepared::Impl& prepared, std::span<const gpu::BufferRange> ranges,
                             std::shared_ptr<const Bound::Impl> bound) {
  const std::lock_guard lock(mutex);
  Entry* entry = touch(entries, [&](const Entry& e) { return e.prepared.get() == &prepared; });
  if (entry == nullptr) return;
  entry->bindings.push_front({{ranges.begin(), ranges.end()}, std::move(bound)});
  if (entry->bindings.size() > kMaxBindingsPerShape) entry->bindings.pop_back();
}

}  // namespace wgk::inline v0
