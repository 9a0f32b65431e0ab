// A small scanner of WGSL tokens: enough to see words, number literals and attributes, blind to comments.
#include "plan/enable_lines.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wgk::plan {
namespace {

constexpr std::string_view kF16 = "f16";
constexpr std::string_view kSubgroups = "subgroups";
constexpr std::string_view kSubgroupSizeControl = "subgroup_size_control";

struct Token {
  enum class Kind { kEnd, kWord, kNumber, kSymbol } kind = Kind::kEnd;
  std::string_view text;

  bool is(char symbol) const { return kind == Kind::kSymbol && text.front() == symbol; }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// By byte. Bytes of non-ASCII characters count as letters: WGSL identifiers may hold them.
constexpr std::array<bool, 256> kIsWord = [] {
  std::array<bool, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                  byte == '_' || byte >= 0x80;
  }
  return table;
}();

bool is_word(char c) { return kIsWord[static_cast<unsigned char>(c)]; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Token next() {
    skip_blank();
    if (at_ == text_.size()) return {};
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_word(c)) return take(Token::Kind::kWord, word_length(at_));
    return take(Token::Kind::kSymbol, 1);
  }

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Token take(Token::Kind kind, std::size_t length) {
    const Token token{kind, text_.substr(at_, length)};
    at_ += length;
    return token;
  }

  std::size_t word_length(std::size_t from) const {
    std::size_t end = from;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return end - from;
  }

  /// Digits, letters, points, and a sign behind an exponent letter (`e` is a digit in hexadecimal).
  Token number() {
    const bool hexadecimal = peek(0) == '0' && (peek(1) == 'x' || peek(1) == 'X');
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      const char before = end > at_ ? text_[end - 1] : '\0';
      const bool exponent = hexadecimal ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
      if (!is_word(c) && c != '.' && !((c == '+' || c == '-') && exponent)) break;
      ++end;
    }
    return take(Token::Kind::kNumber, end - at_);
  }

  void skip_blank() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || (c >= '\t' && c <= '\r')) {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        skip_line_comment();
      } else if (c == '/' && peek(1) == '*') {
        skip_block_comment();
      } else {
        return;
      }
    }
  }

  void skip_line_comment() {
    while (at_ < text_.size() && !at_line_end()) ++at_;
  }

  /// Line ends of WGSL: LF, VT, FF, CR, NEL, LS and PS.
  bool at_line_end() const {
    const char c = text_[at_];
    if (c >= '\n' && c <= '\r') return true;
    if (static_cast<unsigned char>(c) < 0x80) return false;
    const std::string_view rest = text_.substr(at_, 3);
    return rest.substr(0, 2) == "\xC2\x85" || rest == "\xE2\x80\xA8" || rest == "\xE2\x80\xA9";
  }

  void skip_block_comment() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      if (text_[at_] == '/' && peek(1) == '*') {
        ++depth;
        at_ += 2;
      } else if (text_[at_] == '*' && peek(1) == '/') {
        at_ += 2;
        if (--depth == 0) return;
      } else {
        ++at_;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::array<std::string_view, 25> kSubgroupFunctions{
    "subgroupAdd",       "subgroupExclusiveAdd", "subgroupInclusiveAdd",
    "subgroupAll",       "subgroupAnd",          "subgroupAny",
    "subgroupBallot",    "subgroupBroadcast",    "subgroupBroadcastFirst",
    "subgroupElect",     "subgroupMax",          "subgroupMin",
    "subgroupMul",       "subgroupExclusiveMul", "subgroupInclusiveMul",
    "subgroupOr",        "subgroupShuffle",      "subgroupShuffleDown",
    "subgroupShuffleUp", "subgroupShuffleXor",   "subgroupXor",
    "quadBroadcast",     "quadSwapDiagonal",     "quadSwapX",
    "quadSwapY"};

constexpr std::array<std::string_view, 4> kSubgroupBuiltins{"subgroup_invocation_id", "subgroup_size", "subgroup_id",
                                                            "num_subgroups"};

template <typename Range, typename T>
bool contains(const Range& range, const T& value) {
  return std::find(range.begin(), range.end(), value) != range.end();
}

/// Collects what the text uses and enables, looking at most three tokens back.
class ExtensionScan {
 public:
  WgslExtensions run(std::string_view wgsl) {
    Scanner scanner(wgsl);
    for (Token token = scanner.next(); token.kind != Token::Kind::kEnd; token = scanner.next()) {
      if (in_enable_) {
        enable(token);
      } else {
        use(token);
      }
      before_[2] = before_[1];
      before_[1] = before_[0];
      before_[0] = token;
    }
    for (const auto& [needed, name] :
         {std::pair(f16_, kF16), std::pair(subgroups_, kSubgroups), std::pair(size_control_, kSubgroupSizeControl)}) {
      if (needed && !contains(found_.enabled, name)) found_.missing.emplace_back(name);
    }
    return std::move(found_);
  }

 private:
  void enable(const Token& token) {
    if (token.is(';')) in_enable_ = false;
    if (token.kind == Token::Kind::kWord && seen_.insert(token.text).second) found_.enabled.emplace_back(token.text);
  }

  void use(const Token& token) {
    if (token.kind == Token::Kind::kNumber && token.text.back() == 'h') f16_ = true;
    if (token.kind == Token::Kind::kWord) {
      // `enable` is a keyword of WGSL: nothing else can have the name.
      in_enable_ = token.text == "enable";
      f16_ = f16_ || token.text == kF16;
      const bool in_builtin = before_[0].is('(') && before_[1].text == "builtin" && before_[2].is('@');
      if (in_builtin && contains(kSubgroupBuiltins, token.text)) subgroups_ = true;
    }
    if (token.is('(') && before_[0].kind == Token::Kind::kWord) {
      const std::string_view name = before_[0].text;
      const bool may_be = name.starts_with("subgroup") || name.starts_with("quad");
      subgroups_ = subgroups_ || (may_be && contains(kSubgroupFunctions, name));
      size_control_ = size_control_ || (before_[1].is('@') && name == "subgroup_size");
    }
  }

  std::array<Token, 3> before_{};
  bool in_enable_ = false;
  bool f16_ = false;
  bool subgroups_ = false;
  bool size_control_ = false;
  WgslExtensions found_;
  std::unordered_set<std::string_view> seen_;  ///< of found_.enabled: a text may list any number of names
};

}  // namespace

WgslExtensions scan_extensions(std::string_view wgsl) { return ExtensionScan().run(wgsl); }

std::string add_enable_lines(std::string wgsl, const std::vector<std::string>& missing) {
  if (missing.empty()) return wgsl;
  std::string lines;
  for (const std::string& name : missing) lines += fmt::format("enable {};\n", name);
  return lines + wgsl;
}

std::string unsupported_enables(const std::vector<std::string>& enabled, const DeviceProfile& profile) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFeatures{{
      {kF16, "shader-f16"},
      {kSubgroups, "subgroups"},
      {"chromium_experimental_subgroup_matrix", "chromium-experimental-subgroup-matrix"},
  }};
  std::vector<std::string> faults;
  for (const auto& [extension, feature] : kFeatures) {
    if (!contains(enabled, extension) || profile.has_feature(feature)) continue;
    faults.push_back(fmt::format("enable {}; (requires device feature \"{}\")", extension, feature));
  }
  return fmt::format("{}", fmt::join(faults, ", "));
}

}  // namespace wgk::plan
