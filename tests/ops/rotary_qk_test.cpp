// wgk.RotaryEmbeddingQK: RotaryEmbedding of q and of k, and what the two must share.
#include <cstring>

#include <gtest/gtest.h>

#include "ops/call_builder.h"

namespace wgk::ops::testing {
namespace {

constexpr std::string_view kId = "wgk.RotaryEmbeddingQK";

/// Rank 4: two batches, four query heads and two key heads of four, three tokens, eight rows.
OwnedCall valid_call() {
  OwnedCall call;
  call.tensors = {{"q", zeros(DType::kFloat32, {2, 4, 3, 4})},
                  {"k", zeros(DType::kFloat32, {2, 2, 3, 4})},
                  {"cos", zeros(DType::kFloat32, {8, 2})},
                  {"sin", zeros(DType::kFloat32, {8, 2})},
                  {"positionIds", zeros(DType::kInt64, {2, 3})}};
  return call;
}

void set(OwnedCall& call, const char* key, HostTensor tensor) { call.tensors.insert_or_assign(key, std::move(tensor)); }

struct Complaint {
  const char* name;
  void (*change)(OwnedCall&);
  const char* message;
};

void PrintTo(const Complaint& row, std::ostream* out) { *out << row.name; }

class RotaryQkContract : public ::testing::TestWithParam<Complaint> {};

TEST_P(RotaryQkContract, NamesWhatIsWrong) {
  OwnedCall call = valid_call();
  GetParam().change(call);
  EXPECT_EQ(complaint(kId, call), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, RotaryQkContract,
    ::testing::Values(Complaint{"Valid", [](OwnedCall&) {}, ""},
                      Complaint{"MoreKeyHeads",
                                [](OwnedCall& c) {
                                  set(c, "k", zeros(DType::kFloat32, {2, 9, 3, 4}));
                                },
                                ""},
                      Complaint{"NoKey", [](OwnedCall& c) { c.tensors.erase("k"); }, "k: required input is missing"},
                      Complaint{"ForeignInput", [](OwnedCall& c) { set(c, "x", zeros(DType::kFloat32, {1})); },
                                "x: is not an input of RotaryEmbeddingQK"},
                      Complaint{"ForeignAttribute",
                                [](OwnedCall& c) {
                                  c.options.attributes = {{"num_heads", 4}};
                                },
                                "num_heads: is not an attribute of RotaryEmbeddingQK"},
                      Complaint{"QueryDtype",
                                [](OwnedCall& c) {
                                  set(c, "q", zeros(DType::kInt32, {2, 4, 3, 4}));
                                },
                                "q: dtype int32 must be float32 or float16"},
                      Complaint{"KeyDtype",
                                [](OwnedCall& c) {
                                  set(c, "k", zeros(DType::kFloat16, {2, 2, 3, 4}));
                                },
                                "k: dtype float16 must be float32 as q"},
                      Complaint{"KeyRank",
                                [](OwnedCall& c) {
                                  set(c, "k", zeros(DType::kFloat32, {2, 3, 8}));
                                  c.options.attributes = {{"kv_num_heads", 2}};
                                },
                                "k: rank 3 must be that of q = 4"},
                      Complaint{"KeyBatch",
                                [](OwnedCall& c) {
                                  c.tensors.erase("positionIds");
                                  set(c, "cos", zeros(DType::kFloat32, {2, 3, 2}));
                                  set(c, "sin", zeros(DType::kFloat32, {2, 3, 2}));
                                  set(c, "k", zeros(DType::kFloat32, {1, 2, 3, 4}));
                                },
                                "cos: dimension 0 is 2, must be batch = 1"},
                      Complaint{"KeyHeadSize",
                                [](OwnedCall& c) {
                                  set(c, "k", zeros(DType::kFloat32, {2, 2, 3, 6}));
                                  c.options.attributes = {{"rotary_embedding_dim", 4}};
                                },
                                "k: head size 6 must be that of q = 4"},
                      Complaint{"KeyHeadsMissing",
                                [](OwnedCall& c) {
                                  set(c, "q", zeros(DType::kFloat32, {2, 3, 16}));
                                  set(c, "k", zeros(DType::kFloat32, {2, 3, 8}));
                                  c.options.attributes = {{"q_num_heads", 4}};
                                },
                                "kv_num_heads: missing, must be >= 1 for rank-3 k"},
                      Complaint{"QueryHiddenSize",
                                [](OwnedCall& c) {
                                  set(c, "q", zeros(DType::kFloat32, {2, 3, 18}));
                                  c.options.attributes = {{"q_num_heads", 4}, {"kv_num_heads", 2}};
                                },
                                "q: hidden size 18 must be a multiple of q_num_heads = 4"},
                      Complaint{"PositionValue",
                                [](OwnedCall& c) {
                                  set(c, "positionIds", positions({2, 3}, {0, 1, 2, 3, 8, 5}));
                                },
                                "positionIds: value 8 at index 4 must be in [0, 8), the cos rows"},
                      Complaint{"GivenKeyOutput",
                                [](OwnedCall& c) {
                                  c.options.outputs = {{"kRotated", {DType::kFloat32, {2, 2, 3, 5}}}};
                                },
                                "kRotated: shape [2,2,3,5] must be k shape = [2,2,3,4]"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(RotaryQk, OutputOfOneSideMustNotOverlapTheOther) {
  OwnedCall call = valid_call();
  const int buffer = 0;
  call.options.ranges = {{"k", {&buffer, 0, 192}}, {"qRotated", {&buffer, 64, 384}}};
  EXPECT_NE(complaint(kId, call), "");
}

/// One row with cosine 0 and sine 1 turns (a, b) into (-b, a).
TEST(RotaryQk, RotatesBothWithTheirOwnHeads) {
  OwnedCall call;
  call.tensors = {{"q", floats({1, 1, 4}, {1, 2, 3, 4})},
                  {"k", floats({1, 1, 2}, {5, 6})},
                  {"cos", floats({1, 1}, {0})},
                  {"sin", floats({1, 1}, {1})},
                  {"positionIds", positions({1, 1}, {0})}};
  call.options.attributes = {{"q_num_heads", 2}, {"kv_num_heads", 1}};
  EXPECT_EQ(values(run(kId, call, "qRotated")), (std::vector<float>{-2, 1, -4, 3}));
  EXPECT_EQ(values(run(kId, call, "kRotated")), (std::vector<float>{-6, 5}));
}

TEST(RotaryQk, ComparisonNamesTheOutput) {
  OwnedCall call = valid_call();
  const OpOutputs expected = op(kId).reference(call.view()).value();
  OpOutputs got = expected;
  EXPECT_TRUE(op(kId).compare(call.view(), expected, got).empty());
  const float wrong = 1;
  std::memcpy(got[1].second.data.data() + 4, &wrong, sizeof(wrong));
  const auto mismatches = op(kId).compare(call.view(), expected, got);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].message.rfind("kRotated[0,0,0,1]: got ", 0), 0u) << mismatches[0].message;
  got.pop_back();
  EXPECT_FALSE(op(kId).compare(call.view(), expected, got).empty());
}

}  // namespace
}  // namespace wgk::ops::testing
