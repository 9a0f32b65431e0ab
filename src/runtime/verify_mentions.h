// Which names a text of the expression language mentions. Works on the words of the text, so that it also serves
// templates, whose trees are not at hand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wgk::runtime {

/// One use of a bare name.
struct Mention {
  std::string name;
  std::string member;    ///< "WG" of `tunables.WG` and `tunables["WG"]`; empty otherwise
  bool guarded = false;  ///< the operand of `is defined` or `is undefined`
  std::size_t offset = 0;
};

/// Every bare name of an expression, in order.
std::vector<Mention> mentions_in_expression(std::string_view text);

/// The same for the tags of a template; text between them and comments are left out.
std::vector<Mention> mentions_in_template(std::string_view text);

/// Words of WGSL text without its comments, in order.
std::vector<std::string> words_of_wgsl(const std::string& wgsl);

}  // namespace wgk::runtime
