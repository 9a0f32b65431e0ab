// Compiled pipelines, kept for the next call that needs the same one.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "gpu/context.h"

namespace wgk::gpu {

struct Pipeline {
  BindGroupLayout layout;
  ComputePipeline compute;
};

/// Key: SHA-256 over WGSL, entry point and the types of the bindings, so no input of a pipeline can be forgotten.
std::string pipeline_key(const PlanPass& pass);

/// At most `capacity` pipelines; the one unused for longest goes first. A pipeline in use outlives its place here. Any
/// thread.
class PipelineCache {
 public:
  static constexpr std::size_t kDefaultCapacity = 256;
  explicit PipelineCache(std::size_t capacity = kDefaultCapacity) : capacity_(capacity) {}

  /// Error: the reason only; "shader does not compile: …" carries the compiler's text.
  Result<std::shared_ptr<const Pipeline>> get(DeviceContext& context, const PlanPass& pass);

  /// Compiles what is missing for all of these passes, on up to `threads` threads at once. An error of one pass is not
  /// reported here: its get() will.
  void warm(DeviceContext& context, std::span<const PlanPass* const> passes, unsigned threads);

  std::size_t size() const;
  /// Pipelines compiled since the start; a hit compiles nothing.
  std::size_t compiled() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Pipeline> pipeline;
  };

  std::shared_ptr<const Pipeline> find(const std::string& key);
  std::shared_ptr<const Pipeline> insert(std::string key, std::shared_ptr<const Pipeline> pipeline);

  mutable std::mutex mutex_;  ///< guards all below; never held while something compiles
  std::size_t capacity_;
  std::size_t compiled_ = 0;
  std::list<Entry> entries_;  ///< most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
};

}  // namespace wgk::gpu
