// Random changes of a package's files: in the structure of JSON, in the words of expressions and templates, in bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace wgk::test {

class Mutator {
 public:
  using Json = nlohmann::ordered_json;
  using Files = std::map<std::string, std::string>;

  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  /// One to three changes. The manifest is changed most often, since everything hangs on it.
  Files mutate(const Files& files, const Json& manifest) {
    Files changed = files;
    Json document = manifest;
    for (std::size_t times = 1 + below(3); times > 0; --times) {
      switch (below(8)) {
        case 0:
          change_template(changed);
          break;
        case 1:
          changed["manifest.json"] = change_text(document.dump(-1, ' ', false, Json::error_handler_t::replace));
          return changed;
        default:
          change_json(document);
      }
    }
    changed["manifest.json"] = document.dump(-1, ' ', false, Json::error_handler_t::replace);
    return changed;
  }

  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

 private:
  static void collect(Json& node, std::vector<Json*>& nodes) {
    nodes.push_back(&node);
    if (!node.is_structured()) return;
    for (Json& child : node) collect(child, nodes);
  }

  void change_json(Json& document) {
    std::vector<Json*> nodes;
    collect(document, nodes);
    Json& node = *nodes[below(nodes.size())];
    const Json& other = *nodes[below(nodes.size())];
    switch (below(9)) {
      case 0:
        node = Json(other);  // a copy first: `other` may lie inside `node`
        return;
      case 1:
        erase_child(node);
        return;
      case 2:
        repeat_child(node);
        return;
      case 3:
        rename_child(node);
        return;
      case 4:
        node = extreme();
        return;
      default:
        if (node.is_string()) {
          node = change_text(node.get<std::string>());
        } else if (!node.is_structured()) {
          node = extreme();
        }
    }
  }

  Json extreme() {
    static const Json kValues = Json::parse(R"([0, -1, 1, 0.5, 1e308, -1e308, 4294967296, 9007199254740993, null, true,
      false, "", "0", "1 / 0", "attrs.q", "[]", "{}", [], {}, "shapes.x", "$T", "$q", "float32", "int64", "a.wgsl"])");
    return kValues[below(kValues.size())];
  }

  void erase_child(Json& node) {
    if (!node.is_structured() || node.empty()) return;
    auto child = node.begin();
    std::advance(child, static_cast<std::ptrdiff_t>(below(node.size())));
    node.erase(child);
  }

  void repeat_child(Json& node) {
    if (!node.is_array() || node.empty()) return;
    const Json child = node[below(node.size())];
    for (std::size_t times = 1 + below(40); times > 0; --times) node.push_back(child);
  }

  void rename_child(Json& node) {
    if (!node.is_object() || node.empty()) return;
    auto child = node.begin();
    std::advance(child, static_cast<std::ptrdiff_t>(below(node.size())));
    const Json value = *child;
    node[change_text(child.key())] = value;
  }

  void change_template(Files& files) {
    std::vector<std::string*> texts;
    for (auto& [path, text] : files) {
      if (path != "manifest.json") texts.push_back(&text);
    }
    if (texts.empty()) return;
    std::string& text = *texts[below(texts.size())];
    text = change_text(text);
  }

  /// A byte or a word of the language put in, left out or put in the place of another.
  std::string change_text(std::string text) {
    static constexpr std::string_view kWords[] = {
        "{{", "}}",   "{%",     "%}", "{#",    "(",  ")",      "[",      "]",     " + ",  " ** ",     " / ",
        "-",  " if ", " else ", ".",  "|join", ",",  "numel(", "dim(",   "0",     "1e9",  "99999999", "'",
        "\"", "\\",   "$",      "$T", "\xff",  "\0", "é",      "shapes", "attrs", "true", "none",     " in "};
    const std::size_t at = below(text.size() + 1);
    switch (below(4)) {
      case 0:
        return text.insert(at, kWords[below(std::size(kWords))]);
      case 1:
        return text.erase(at, 1 + below(8));
      case 2:
        return text.replace(at, std::min<std::size_t>(text.size() - at, 1), kWords[below(std::size(kWords))]);
      default:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        return text;
    }
  }

  std::mt19937_64 random_;
};

}  // namespace wgk::test
