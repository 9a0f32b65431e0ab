// Syntax trees of expressions and templates.
//
// Nodes lie in vectors and name each other by index: a tree is one block of memory, and its destruction cannot recurse.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jinja/name.h"
#include "jinja/value.h"

namespace wgk::jinja {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xFFFFFFFFu;

enum class NodeType : std::uint8_t {
  kConstant,  ///< a: index in constants
  kName,      ///< a: index in names
  kList,      ///< a: first in extra, b: count
  kMap,       ///< a: first in extra (key, value, key, value, …), b: count of pairs
  kUnary,     ///< a: operand; op: UnaryOp
  kTernary,   ///< a: condition, b: value if true, c: else, or kNoNode
  // From here on, a is the operand at the left; see Evaluator::eval_chain.
  kBinary,  ///< a, b: operands; op: BinaryOp
  kTest,    ///< a: operand, b: 1 if negated; op: Test
  kFilter,  ///< a: operand, b: first argument in extra, c: count; op: Filter
  kMember,  ///< a: object, b: index in strings
  kIndex,   ///< a: object, b: index expression
  kSlice,   ///< a: object, b: place in extra of start, stop and step, each possibly kNoNode
  kCall,    ///< a: callee, b: place in extra, c: count of positional arguments. Extra: count of keyword arguments,
            ///< positional arguments, then pairs of index in strings and node
};

enum class UnaryOp : std::uint8_t { kNot, kMinus, kPlus };

enum class BinaryOp : std::uint8_t {
  kOr,
  kAnd,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn,
  kAdd,
  kSubtract,
  kConcat,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kPower,
};

/// The operator as it is written: "//", "not in".
std::string_view operator_text(BinaryOp op);

enum class Test : std::uint8_t {
  kDefined,
  kUndefined,
  kNone,
  kBoolean,
  kTrue,
  kFalse,
  kNumber,
  kInteger,
  kString,
  kIterable,
  kMapping,
  kSequence,
  kCallable,
  kOdd,
  kEven,
  kUpper,
  kLower,
};

enum class Filter : std::uint8_t {
  kLength,
  kFirst,
  kLast,
  kReverse,
  kSort,
  kUnique,
  kList,
  kJoin,
  kUpper,
  kLower,
  kTrim,
  kReplace,
  kAbs,
  kInt,
  kFloat,
  kString,
  kDefault,
};

std::string_view test_name(Test test);
std::string_view filter_name(Filter filter);

struct Node {
  NodeType type;
  std::uint8_t op = 0;
  std::uint32_t offset = 0;  ///< where errors point, in bytes of the parsed text
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};

struct Ast {
  std::vector<Node> nodes;
  std::vector<std::uint32_t> extra;
  std::vector<Value> constants;
  std::vector<Name> names;
  std::vector<std::string> strings;
};

struct ParsedExpression {
  std::string text;
  Ast ast;
  NodeId root = kNoNode;
};

using BlockId = std::uint32_t;
inline constexpr BlockId kNoBlock = 0xFFFFFFFFu;

struct Statement {
  enum class Type : std::uint8_t {
    kText,       ///< a, b: begin and end in the trimmed text
    kOutput,     ///< a: node
    kIf,         ///< a: first in branches, b: count
    kFor,        ///< a: index in loops
    kSet,        ///< a: value node or kNoNode, b: block if there is no value, c: place of the targets in ast.extra
    kSetMember,  ///< a, b as kSet, c: object node, d: index in ast.strings
    kMacro,      ///< a: index in macros
    kBreak,
    kContinue,
  };
  Type type;
  std::uint32_t offset = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
};

struct Branch {
  NodeId condition;  ///< kNoNode for else
  BlockId block;
};

struct Loop {
  std::uint32_t targets;  ///< place in ast.extra: count, then indices in ast.names; a count of 0 means one plain name
  NodeId iterable;
  NodeId condition;  ///< kNoNode if all items are taken
  BlockId body;
  BlockId otherwise;  ///< kNoBlock if there is none
};

struct Macro {
  struct Parameter {
    std::uint32_t name;
    NodeId fallback;  ///< kNoNode if there is none
  };
  std::uint32_t name;
  std::vector<Parameter> parameters;
  BlockId body;
};

/// Maps offsets in the trimmed text back to the text as it was given.
struct TextChunk {
  std::uint32_t trimmed;
  std::uint32_t original;
};

struct TemplateNode {
  std::string text;  ///< after trim_blocks and lstrip_blocks
  std::vector<TextChunk> chunks;
  Ast ast;
  std::vector<Statement> statements;
  std::vector<std::vector<std::uint32_t>> blocks;  ///< statements of each block
  std::vector<Branch> branches;
  std::vector<Loop> loops;
  std::vector<Macro> macros;
  BlockId root = kNoBlock;
  std::uint32_t loop_name = kNoNode;  ///< index of `loop` in ast.names, if it occurs
};

}  // namespace wgk::jinja
