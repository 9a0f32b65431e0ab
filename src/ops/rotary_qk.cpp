// The operator is two calls of RotaryEmbedding that share all but x, the number of heads and the result. Each is
// checked, computed and compared as such; what that says is put into the words of this operator.
#include "ops/rotary_qk.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/try.h"
#include "ops/call_reader.h"
#include "ops/mismatch.h"
#include "ops/rotary.h"

namespace wgk::ops {
namespace {

using std::string_view;

constexpr string_view kId = "wgk.RotaryEmbeddingQK";
constexpr std::array<string_view, 4> kInputs = {"q", "k", "cos", "sin"};
constexpr std::array<string_view, 1> kOptionalInputs = {"positionIds"};
constexpr std::array<string_view, 2> kOutputs = {"qRotated", "kRotated"};
constexpr std::array<string_view, 4> kAttributes = {"interleaved", "q_num_heads", "kv_num_heads",
                                                    "rotary_embedding_dim"};
constexpr RotaryOperator kRotary = {RotaryKind::kStandard, RotaryForm::kPublished};

/// How one of the two calls names what is its own.
struct Side {
  string_view x;
  string_view num_heads;
  string_view y;
};

constexpr std::array<Side, 2> kSides = {Side{"q", "q_num_heads", "qRotated"}, Side{"k", "kv_num_heads", "kRotated"}};

Signature signature() {
  Signature signature;
  signature.id = kId;
  signature.name = "RotaryEmbeddingQK";
  signature.required_inputs = kInputs;
  signature.optional_inputs = kOptionalInputs;
  signature.outputs = kOutputs;
  signature.optional_attributes = kAttributes;
  return signature;
}

/// Copies the entry `from`, where there is one, as `to`.
template <typename Map>
void copy_as(const Map& source, string_view from, string_view to, Map& target) {
  if (const auto found = source.find(from); found != source.end()) target.emplace(to, found->second);
}

/// The RotaryEmbedding call of one side.
OpCall call_of(const Side& side, const OpCall& call) {
  OpCall own;
  own.check_values = call.check_values;
  own.host_data = call.host_data;
  own.extensions = call.extensions;
  const auto rename = [&](const auto& source, auto& target) {
    copy_as(source, side.x, "x", target);
    for (const string_view shared : {"cos", "sin", "positionIds"}) copy_as(source, shared, shared, target);
    copy_as(source, side.y, "y", target);
  };
  rename(call.inputs, own.inputs);
  rename(call.outputs, own.outputs);
  rename(call.ranges, own.ranges);
  for (const string_view shared : {"interleaved", "rotary_embedding_dim"}) {
    copy_as(call.attributes, shared, shared, own.attributes);
  }
  copy_as(call.attributes, side.num_heads, "num_heads", own.attributes);
  return own;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

string_view renamed(const Side& side, string_view word) {
  if (word == "ai.onnx.RotaryEmbedding") return kId;
  if (word == "x") return side.x;
  if (word == "y") return side.y;
  if (word == "num_heads") return side.num_heads;
  return word;
}

/// A message of RotaryEmbedding in the words of this operator.
std::string in_own_words(const Side& side, string_view message) {
  std::string text;
  while (!message.empty()) {
    const auto end = std::find_if(message.begin(), message.end(), [](char c) { return !is_word(c); });
    const auto length = static_cast<std::size_t>(end - message.begin());
    text += renamed(side, message.substr(0, length));
    if (length < message.size()) text += message[length];
    message.remove_prefix(std::min(length + 1, message.size()));
  }
  return text;
}

Result<RotaryCall> resolve(const Side& side, const OpCall& own, const DeviceProfile* profile) {
  auto resolved = resolve_rotary(kRotary, own, profile);
  if (resolved) return resolved;
  return Error{resolved.error().code, in_own_words(side, resolved.error().message)};
}

Status check_agreement(const CallReader& read, const RotaryCall& q, const RotaryCall& k) {
  if (k.shape.size() != q.shape.size()) {
    return read.fail("k", "rank {} must be that of q = {}", k.shape.size(), q.shape.size());
  }
  if (k.batch != q.batch) return read.fail("k", "batch {} must be that of q = {}", k.batch, q.batch);
  if (k.sequence != q.sequence) {
    return read.fail("k", "sequence length {} must be that of q = {}", k.sequence, q.sequence);
  }
  if (k.head_size != q.head_size) {
    return read.fail("k", "head size {} must be that of q = {}", k.head_size, q.head_size);
  }
  return {};
}

/// The part of `outputs` that one side yields, as its y.
OpOutputs outputs_of(const Side& side, const OpOutputs& outputs) {
  OpOutputs own;
  if (const HostTensor* tensor = find_output(side.y, outputs)) own.emplace_back("y", *tensor);
  return own;
}

}  // namespace

Status rotary_qk_check(const OpCall& call, const DeviceProfile* profile) {
  const Signature names = signature();
  const CallReader read(names, call);
  WGK_CHECK(read.check_names());
  const OpCall q_call = call_of(kSides[0], call);
  const OpCall k_call = call_of(kSides[1], call);
  WGK_TRY(const RotaryCall q, resolve(kSides[0], q_call, profile));
  WGK_CHECK(read.check_dtype("k", q.x->dtype, "q"));
  WGK_TRY(const RotaryCall k, resolve(kSides[1], k_call, profile));
  WGK_CHECK(check_agreement(read, q, k));
  // Overlaps between the two sides; sizes are known to be right by now.
  return read.check_sizes(*q.x, profile);
}

Result<OpOutputs> rotary_qk_reference(const OpCall& call) {
  OpCall trusted_values = call;
  trusted_values.check_values = false;
  trusted_values.host_data = true;
  WGK_CHECK(rotary_qk_check(trusted_values, nullptr));
  OpOutputs outputs;
  for (const Side& side : kSides) {
    WGK_TRY(OpOutputs own, rotary_reference(kRotary, call_of(side, trusted_values)));
    outputs.emplace_back(side.y, std::move(own.front().second));
  }
  return outputs;
}

std::vector<Mismatch> rotary_qk_compare(const OpCall& call, const OpOutputs& expected, const OpOutputs& got) {
  Mismatches mismatches;
  for (const Side& side : kSides) {
    const auto found = rotary_compare(kRotary, call_of(side, call), outputs_of(side, expected), outputs_of(side, got));
    for (const Mismatch& mismatch : found) mismatches.add(in_own_words(side, mismatch.message));
  }
  return mismatches.take();
}

}  // namespace wgk::ops
