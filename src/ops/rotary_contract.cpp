// The rules of RotaryEmbedding and MRotaryEmbedding (docs/operators.md). They run in the order of the table there and
// stop at the first that fails.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>

#include "base/checked.h"
#include "base/try.h"
#include "ops/call_reader.h"
#include "ops/positions.h"
#include "ops/rotary.h"

namespace wgk::ops {
namespace {

using std::string_view;

constexpr std::array<string_view, 3> kStandardInputs = {"x", "cos", "sin"};
constexpr std::array<string_view, 1> kStandardOptionalInputs = {"positionIds"};
constexpr std::array<string_view, 4> kMultimodalInputs = {"x", "positionIds", "cos", "sin"};
constexpr std::array<string_view, 1> kOutputs = {"y"};
constexpr std::array<string_view, 1> kInPlaceOutputs = {"x"};
constexpr std::array<string_view, 1> kMultimodalRequiredAttributes = {"mrope_section"};
// The last two belong to the extended forms.
constexpr std::array<string_view, 5> kStandardAttributes = {"interleaved", "num_heads", "rotary_embedding_dim",
                                                            "x_shape", "cache_shape"};
constexpr std::array<string_view, 8> kMultimodalAttributes = {"interleaved", "is_packed_batching",   "mrope_layout",
                                                              "num_heads",   "rotary_embedding_dim", "scale",
                                                              "x_shape",     "cache_shape"};

struct Names {
  string_view id;
  string_view name;
};

constexpr Names names_of(RotaryOperator op) {
  const bool multimodal = op.kind == RotaryKind::kMultimodal;
  switch (op.form) {
    case RotaryForm::kPublished:
      break;
    case RotaryForm::kExtended:
      return multimodal ? Names{"wgk.MRotaryEmbeddingExt", "MRotaryEmbeddingExt"}
                        : Names{"wgk.RotaryEmbeddingExt", "RotaryEmbeddingExt"};
    case RotaryForm::kInPlace:
      return multimodal ? Names{"wgk.MRotaryEmbeddingInPlace", "MRotaryEmbeddingInPlace"}
                        : Names{"wgk.RotaryEmbeddingInPlace", "RotaryEmbeddingInPlace"};
  }
  return multimodal ? Names{"com.microsoft.MRotaryEmbedding", "MRotaryEmbedding"}
                    : Names{"ai.onnx.RotaryEmbedding", "RotaryEmbedding"};
}

Signature signature_of(RotaryOperator op) {
  Signature signature;
  signature.id = names_of(op).id;
  signature.name = names_of(op).name;
  if (op.multimodal()) {
    signature.required_inputs = kMultimodalInputs;
    signature.required_attributes = kMultimodalRequiredAttributes;
    signature.optional_attributes = kMultimodalAttributes;
  } else {
    signature.required_inputs = kStandardInputs;
    signature.optional_inputs = kStandardOptionalInputs;
    signature.optional_attributes = kStandardAttributes;
  }
  if (!op.extended()) {
    signature.optional_attributes = signature.optional_attributes.first(signature.optional_attributes.size() - 2);
  }
  signature.outputs = op.form == RotaryForm::kInPlace ? kInPlaceOutputs : kOutputs;
  return signature;
}

/// |v| at and above which rounding to float32 gives infinity.
constexpr double kFloat32Overflow = 0x1.ffffffp127;

/// One pass over the rules; fills a RotaryCall as facts become known.
class Contract {
 public:
  Contract(RotaryOperator op, const OpCall& call, const DeviceProfile* profile)
      : op_(op), multimodal_(op.multimodal()), call_(call), profile_(profile), signature_(signature_of(op)) {}

  Result<RotaryCall> resolve() {
    WGK_CHECK(read_.check_names());
    out_.x = read_.input("x");
    out_.cos = read_.input("cos");
    out_.sin = read_.input("sin");
    out_.positions = read_.input("positionIds");
    WGK_CHECK(check_dtypes());
    WGK_CHECK(check_attributes());
    WGK_TRY(out_.shape, logical_shape("x", *out_.x, "x_shape"));
    WGK_TRY(out_.cache_shape, logical_shape("cos", *out_.cos, "cache_shape"));
    WGK_CHECK(check_x_shape());
    if (multimodal_) WGK_CHECK(check_sections());
    WGK_CHECK(check_caches());
    WGK_CHECK(check_positions_shape());
    if (!out_.empty() && out_.cache_rows < 1) return read_.fail("cos", "{} rows must be >= 1", out_.cache_rows);
    WGK_CHECK(read_.check_given_outputs("x", *out_.x));
    WGK_CHECK(read_.check_sizes(*out_.x, profile_));
    if (call_.check_values && call_.host_data) WGK_CHECK(check_position_values());
    return std::move(out_);
  }

 private:
  static RotaryElement element_of(DType dtype) {
    if (dtype == DType::kFloat32) return RotaryElement::kFloat32;
    return dtype == DType::kFloat16 ? RotaryElement::kFloat16 : RotaryElement::kBfloat16;
  }

  Status check_cache_dtypes() {
    const DType x = out_.x->dtype;
    const DType cos = out_.cos->dtype;
    if (!op_.extended()) {
      WGK_CHECK(read_.check_dtype("cos", x, "x"));
      WGK_CHECK(read_.check_dtype("sin", x, "x"));
    } else if (cos != x && cos != DType::kFloat32) {
      const string_view alternative = x == DType::kFloat32 ? "" : ", or float32";
      return read_.fail("cos", "dtype {} must be {} as x{}", dtype_name(cos), dtype_name(x), alternative);
    } else {
      WGK_CHECK(read_.check_dtype("sin", cos, "cos"));
    }
    out_.cache_element = element_of(cos);
    return {};
  }

  Status check_dtypes() {
    const DType dtype = out_.x->dtype;
    const bool words = op_.extended() && dtype == DType::kUint32;
    if (dtype != DType::kFloat32 && dtype != DType::kFloat16 && !words) {
      const string_view allowed =
          op_.extended() ? "float32, float16 or uint32 (words of bfloat16)" : "float32 or float16";
      return read_.fail("x", "dtype {} must be {}", dtype_name(dtype), allowed);
    }
    out_.element = element_of(dtype);
    WGK_CHECK(check_cache_dtypes());
    if (out_.positions != nullptr && out_.positions->dtype != DType::kInt64 &&
        out_.positions->dtype != DType::kUint32) {
      return read_.fail("positionIds", "dtype {} must be int64 (or its uint32 storage)",
                        dtype_name(out_.positions->dtype));
    }
    const bool can_float16 = profile_ == nullptr || profile_->has_feature("shader-f16") || op_.extended() ||
                             call_.extensions.float16_without_feature;
    if (dtype == DType::kFloat16 && !can_float16) return read_.fail("x", "float16 needs the device feature shader-f16");
    return {};
  }

  Status check_attributes() {
    WGK_TRY(const std::int64_t interleaved, read_.integer("interleaved", 0));
    WGK_TRY(const std::int64_t packed, read_.integer("is_packed_batching", 0));
    WGK_TRY(const std::int64_t layout, read_.integer("mrope_layout", 0));
    WGK_TRY(num_heads_, read_.integer("num_heads", 0));
    WGK_TRY(requested_dim_, read_.integer("rotary_embedding_dim", 0));
    WGK_CHECK(check_flag("interleaved", interleaved));
    WGK_CHECK(check_flag("mrope_layout", layout));
    const bool can_pack = call_.extensions.packed_batching || op_.extended();
    if (packed == 1 && !can_pack) {
      return read_.fail("is_packed_batching", "1 must be 0, packed batching is not implemented");
    }
    if (packed != 0 && packed != 1) {
      return read_.fail("is_packed_batching", "{} must be {}", packed, can_pack ? "0 or 1" : "0");
    }
    WGK_CHECK(check_scale());
    if (requested_dim_ < 0 || requested_dim_ % 2 != 0) {
      return read_.fail("rotary_embedding_dim", "{} must be 0 or a positive even number", requested_dim_);
    }
    if (multimodal_ && num_heads_ < 0) return read_.fail("num_heads", "{} must be >= 0", num_heads_);
    out_.interleaved = interleaved == 1;
    out_.striped = layout == 1;
    return {};
  }

  Status check_flag(string_view name, std::int64_t value) const {
    if (value == 0 || value == 1) return {};
    return read_.fail(name, "{} must be 0 or 1", value);
  }

  Status check_scale() {
    const AttributeValue* value = read_.attribute("scale");
    if (value == nullptr) return {};
    double scale = 0;
    if (const auto* number = std::get_if<double>(&value->get())) {
      scale = *number;
    } else if (const auto* integer = std::get_if<std::int64_t>(&value->get())) {
      scale = static_cast<double>(*integer);
    } else {
      return read_.fail("scale", "{} must be a number", show(*value));
    }
    if (!std::isfinite(scale)) return read_.fail("scale", "{} must be finite", show(*value));
    if (std::abs(scale) >= kFloat32Overflow) return read_.fail("scale", "{} must be finite as float32", show(*value));
    out_.scale = static_cast<float>(scale);
    return {};
  }

  /// The shape in elements: that of the tensor, or for words of bfloat16 the one that the attribute gives.
  Result<Shape> logical_shape(string_view key, const HostTensor& tensor, string_view attribute) const {
    const AttributeValue* value = read_.attribute(attribute);
    if (tensor.dtype != DType::kUint32) {
      if (value == nullptr) return tensor.shape;
      return read_.fail(attribute, "must not be given, {} {} has its own shape", dtype_name(tensor.dtype), key);
    }
    if (value == nullptr) return read_.fail(attribute, "missing, must be the shape of the bfloat16 {}", key);
    WGK_TRY(Shape shape, shape_from(attribute, *value));
    WGK_TRY(const std::int64_t count, count_elements(attribute, shape));
    const Shape words = {count / 2 + count % 2};
    if (tensor.shape == words) return shape;
    return read_.fail(key, "shape {} must be {}, the words of {} bfloat16 elements", to_string(tensor.shape),
                      to_string(words), count);
  }

  Result<Shape> shape_from(string_view attribute, const AttributeValue& value) const {
    const auto* list = std::get_if<AttributeValue::List>(&value.get());
    if (list == nullptr) return read_.fail(attribute, "{} must be a list of integers", show(value));
    Shape shape;
    for (const AttributeValue& element : *list) {
      const auto dimension = as_integer(element);
      if (!dimension || *dimension < 0) {
        return read_.fail(attribute, "dimension {} is {}, must be an integer >= 0", shape.size(), show(element));
      }
      shape.push_back(*dimension);
    }
    return shape;
  }

  /// Words are half as many as elements, so their own limit does not bound the elements.
  Result<std::int64_t> count_elements(string_view attribute, const Shape& shape) const {
    constexpr std::int64_t kLimit = std::int64_t{1} << 32;
    const auto count = element_count(shape);
    if (!count) return read_.fail(attribute, "shape {} must have < {} elements", to_string(shape), kLimit);
    if (*count >= kLimit) return read_.fail(attribute, "{} elements must be < {}", *count, kLimit);
    return *count;
  }

  Status check_x_shape() {
    const Shape& shape = out_.shape;
    if (shape.size() != 3 && shape.size() != 4) return read_.fail("x", "rank {} must be 3 or 4", shape.size());
    out_.batch = shape[0];
    WGK_CHECK(shape.size() == 3 ? split_hidden(shape) : take_heads(shape));
    return check_head_size();
  }

  Status split_hidden(const Shape& shape) {
    WGK_CHECK(need_num_heads("for rank-3 x"));
    if (shape[2] % num_heads_ != 0) {
      return read_.fail("x", "hidden size {} must be a multiple of num_heads = {}", shape[2], num_heads_);
    }
    out_.heads_inside_token = true;
    out_.sequence = shape[1];
    out_.heads = num_heads_;
    out_.head_size = shape[2] / num_heads_;
    return {};
  }

  Status take_heads(const Shape& shape) {
    if (multimodal_ && requested_dim_ != 0) {
      WGK_CHECK(need_num_heads(fmt::format("when rotary_embedding_dim is {}", requested_dim_)));
    }
    out_.heads = shape[1];
    out_.sequence = shape[2];
    out_.head_size = shape[3];
    return {};
  }

  Status need_num_heads(string_view when) const {
    if (read_.attribute("num_heads") == nullptr) return read_.fail("num_heads", "missing, must be >= 1 {}", when);
    if (num_heads_ < 1) return read_.fail("num_heads", "{} must be >= 1 {}", num_heads_, when);
    return {};
  }

  Status check_head_size() {
    const std::int64_t size = out_.head_size;
    const bool odd = size % 2 != 0;
    if (odd && (!multimodal_ || (requested_dim_ == 0 && size == 1))) {
      return read_.fail("x", "head size {} must be even", size);
    }
    if (odd && requested_dim_ == 0) {
      return read_.fail("x", "head size {} must be even, or rotary_embedding_dim set to an even number <= {}", size,
                        size - 1);
    }
    if (requested_dim_ > size) {
      return read_.fail("rotary_embedding_dim", "{} must be <= head size = {}", requested_dim_, size);
    }
    out_.rotary_dim = requested_dim_ != 0 ? requested_dim_ : size;
    return {};
  }

  Status check_sections() {
    const AttributeValue& value = *read_.attribute("mrope_section");
    const auto* list = std::get_if<AttributeValue::List>(&value.get());
    if (list == nullptr) return read_.fail("mrope_section", "{} must be a list of 3 integers", show(value));
    if (list->size() != 3) return read_.fail("mrope_section", "{} values must be 3", list->size());
    for (std::size_t i = 0; i < 3; ++i) {
      const auto section = as_integer((*list)[i]);
      if (!section) return read_.fail("mrope_section", "value {} at index {} must be an integer", show((*list)[i]), i);
      if (*section < 0) return read_.fail("mrope_section", "value {} at index {} must be >= 0", *section, i);
      out_.sections[i] = *section;
    }
    return check_section_sum();
  }

  Status check_section_sum() const {
    std::optional<std::uint64_t> sum = 0;
    for (const std::int64_t section : out_.sections) {
      if (sum) sum = base::checked_add(*sum, static_cast<std::uint64_t>(section));
    }
    if (!sum) {
      return read_.fail("mrope_section", "sum over {} must be rotary_dim / 2 = {}",
                        std::numeric_limits<std::uint64_t>::max(), out_.half());
    }
    if (*sum == static_cast<std::uint64_t>(out_.half())) return {};
    return read_.fail("mrope_section", "sum {} must be rotary_dim / 2 = {}", *sum, out_.half());
  }

  Status check_caches() {
    const Shape& cos = out_.cache_shape;
    const bool by_position = out_.positions != nullptr;
    if (cos.size() != (by_position ? 2u : 3u)) {
      return read_.fail("cos", "rank {} must be {} positionIds", cos.size(), by_position ? "2 with" : "3 without");
    }
    if (cos.back() != out_.half()) {
      return read_.fail("cos", "width {} must be rotary_dim / 2 = {}", cos.back(), out_.half());
    }
    if (out_.sin->shape != out_.cos->shape) {
      return read_.fail("sin", "shape {} must be cos shape = {}", to_string(out_.sin->shape),
                        to_string(out_.cos->shape));
    }
    if (by_position) {
      out_.cache_rows = cos[0];
      return {};
    }
    if (cos[0] != out_.batch) return read_.fail("cos", "dimension 0 is {}, must be batch = {}", cos[0], out_.batch);
    if (cos[1] != out_.sequence) {
      return read_.fail("cos", "dimension 1 is {}, must be sequence length = {}", cos[1], out_.sequence);
    }
    // The number of rows is only compared with 1 here; the element limit bounds the product later.
    out_.cache_rows = out_.empty() ? 0 : 1;
    return {};
  }

  Status check_positions_shape() const {
    if (out_.positions == nullptr) return {};
    const Shape& shape = out_.positions->shape;
    Shape wanted = {out_.batch, out_.sequence};
    if (multimodal_) wanted.insert(wanted.begin(), 3);
    if (shape.size() != wanted.size()) {
      return read_.fail("positionIds", "rank {} must be {}", shape.size(), wanted.size());
    }
    if (shape == wanted) return {};
    return read_.fail("positionIds", "shape {} must be {}", to_string(shape), to_string(wanted));
  }

  Status check_position_values() const {
    if (out_.positions == nullptr) return {};
    // An empty call reads no row; its positions need only survive the narrowing to uint32.
    constexpr std::int64_t kNarrowingLimit = std::int64_t{1} << 32;
    const std::int64_t limit = out_.empty() ? kNarrowingLimit : out_.cache_rows;
    const Positions positions(*out_.positions);
    const auto bad = positions.first_outside(limit);
    if (!bad) return {};
    return read_.fail("positionIds", "value {} at index {}{} must be in [0, {}){}", positions.at(*bad), *bad,
                      place_of(*bad), limit, out_.empty() ? "" : ", the cos rows");
  }

  std::string place_of(std::size_t index) const {
    if (!multimodal_) return "";
    constexpr std::array<string_view, 3> kStreams = {"temporal", "height", "width"};
    const auto sequence = static_cast<std::size_t>(out_.sequence);
    const std::size_t tokens = static_cast<std::size_t>(out_.batch) * sequence;
    const std::size_t stream = index / tokens;
    const std::size_t token = index % tokens;
    return fmt::format(" (stream {} {}, batch {}, token {})", stream, kStreams[stream], token / sequence,
                       token % sequence);
  }

  RotaryOperator op_;
  bool multimodal_;
  const OpCall& call_;
  const DeviceProfile* profile_;
  Signature signature_;
  CallReader read_{signature_, call_};
  RotaryCall out_;
  std::int64_t num_heads_ = 0;
  std::int64_t requested_dim_ = 0;
};

}  // namespace

Result<RotaryCall> resolve_rotary(RotaryOperator op, const OpCall& call, const DeviceProfile* profile) {
  return Contract(op, call, profile).resolve();
}

}  // namespace wgk::ops
