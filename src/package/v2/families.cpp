// Expansion of variant families: cells of cases or of two axes, and substitution of {placeholders}.
#include "package/v2/families.h"

#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/js_number.h"
#include "base/try.h"
#include "package/identifiers.h"
#include "package/parts.h"

namespace wgk::package::v2 {
namespace {

using Record = std::vector<std::pair<std::string_view, const Tree*>>;

const Tree* find(const Record& record, std::string_view name) {
  for (const auto& [key, value] : record) {
    if (key == name) return value;
  }
  return nullptr;
}

void set(Record& record, std::string_view name, const Tree* value) {
  for (auto& [key, old] : record) {
    if (key == name) {
      old = value;
      return;
    }
  }
  record.emplace_back(name, value);
}

/// The identifier of the "{identifier}" at `open`, or empty. Looks at the characters of the identifier only: looking
/// for "}" would make a text of many "{" quadratic.
std::string_view placeholder_at(std::string_view text, std::size_t open) {
  std::size_t end = open + 1;
  while (end < text.size() && is_identifier_char(text[end])) ++end;
  const std::string_view name = text.substr(open + 1, end - open - 1);
  return end < text.size() && text[end] == '}' && is_identifier(name) ? name : std::string_view{};
}

/// The first "{identifier}" of a text, braces included, or empty.
std::string_view find_placeholder(std::string_view text) {
  for (auto open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const std::string_view name = placeholder_at(text, open);
    if (!name.empty()) return text.substr(open, name.size() + 2);
  }
  return {};
}

bool is_whole_placeholder(std::string_view text) {
  return text.size() > 2 && text.front() == '{' && placeholder_at(text, 0).size() == text.size() - 2;
}

/// Puts the values of a record into a template. What holds no "{" is shared with the template, as are the places of all
/// that is made; a value of the record is copied, so that no tree stands in two places.
class Substitution {
 public:
  Substitution(const Node& family, std::uint64_t& nodes, std::uint64_t& bytes)
      : family_(family), arena_(family.context().arena), nodes_(nodes), bytes_(bytes) {}

  /// The template with the record's values in place. nullopt: this value removes the member that holds it.
  Result<std::optional<Tree>> apply(const Tree& tree, const Record& record, const Place* place) {
    if (!tree.braced()) {
      nodes_ += tree.values();
      bytes_ += tree.bytes();
      if (spent()) return too_much(place);
      return std::optional(tree);
    }
    ++nodes_;
    if (spent()) return too_much(place);
    if (tree.is_string()) return apply_string(tree.text(), record, place);
    if (tree.is_list()) return apply_list(tree.items(), record, place);
    return apply_map(tree.members(), record, place);
  }

  /// No placeholder may be left in an expanded variant, wherever it came from: an unknown name, a value that holds one,
  /// or values that form one together.
  Status check_resolved(const Tree& tree, const Place* place) const {
    if (!tree.braced()) return {};
    if (tree.is_string()) return check_text(tree.text(), place);
    if (tree.is_list()) {
      std::size_t index = 0;
      for (const Tree& item : tree.items()) {
        const Place here{place, {}, index++};
        WGK_CHECK(check_resolved(item, &here));
      }
      return {};
    }
    for (const auto& [key, value] : tree.members()) {
      const Place here{place, key, 0};
      WGK_CHECK(check_text(key, &here));
      WGK_CHECK(check_resolved(value, &here));
    }
    return {};
  }

 private:
  bool spent() const { return nodes_ > limits::kMaxFamilyNodes || bytes_ > limits::kMaxFamilyBytes; }

  Error fail(const Place* place, std::string_view text) const {
    return Node(family_.tree(), place, family_.context())
        .fail(fmt::format("WebGPU manifest {} variant family {}", family_.context().op, text));
  }
  Error too_much(const Place* place) const { return fail(place, "expands to too much data"); }

  Result<std::optional<Tree>> apply_string(std::string_view text, const Record& record, const Place* place) {
    if (is_whole_placeholder(text)) {
      const Tree* value = find(record, text.substr(1, text.size() - 2));
      if (value == nullptr) return std::optional(Tree::string(text));
      if (value->is_null()) return std::optional<Tree>();
      nodes_ += value->values() - 1;  // the placeholder was counted
      bytes_ += value->bytes();
      if (spent()) return too_much(place);
      return std::optional(arena_.copy(*value));
    }
    WGK_TRY(const std::string_view made, substitute_text(text, record, place));
    return std::optional(Tree::string(made));
  }

  Status check_text(std::string_view text, const Place* place) const {
    const std::string_view placeholder = find_placeholder(text);
    if (placeholder.empty()) return {};
    return fail(place,
                fmt::format("leaves unresolved placeholder \"{}\" at {}", printable(placeholder), pointer_text(place)));
  }

  Result<std::string_view> substitute_text(std::string_view text, const Record& record, const Place* place) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
      const auto open = text.find('{', at);
      out += text.substr(at, open - at);
      if (open == std::string_view::npos) break;
      const std::string_view name = placeholder_at(text, open);
      if (name.empty()) {
        out += '{';
        at = open + 1;
        continue;
      }
      const Tree* value = find(record, name);
      if (value == nullptr) {
        out += text.substr(open, name.size() + 2);
      } else {
        WGK_CHECK(append_value(*value, name, place, out));
      }
      if (out.size() > limits::kMaxFamilyBytes) return too_much(place);
      at = open + name.size() + 2;
    }
    bytes_ += out.size();
    return arena_.copy(std::string_view(out));
  }

  Status append_value(const Tree& value, std::string_view name, const Place* place, std::string& out) const {
    if (value.is_string()) {
      out += value.text();
    } else if (value.is_boolean()) {
      out += value.as_boolean() ? "true" : "false";
    } else if (value.is_number()) {
      out += base::js_number(value.as_number());
    } else {
      return fail(place, fmt::format("value \"{}\" is {}, which has no text inside a longer string", printable(name),
                                     json_text(&value)));
    }
    return {};
  }

  Result<std::optional<Tree>> apply_list(std::span<const Tree> list, const Record& record, const Place* place) {
    std::vector<Tree> out;
    std::size_t index = 0;
    for (const Tree& item : list) {
      const Place here{place, {}, index++};
      WGK_TRY(const std::optional<Tree> made, apply(item, record, &here));
      if (!made) return fail(&here, "has null for a list element");
      if (made->is_list() && item.is_string()) {
        const std::span<const Tree> spliced = made->items();
        out.insert(out.end(), spliced.begin(), spliced.end());
      } else {
        out.push_back(*made);
      }
    }
    return std::optional(Tree::list(arena_.copy(std::span<const Tree>(out))));
  }

  Result<std::optional<Tree>> apply_map(std::span<const Tree::Member> map, const Record& record, const Place* place) {
    std::vector<Tree::Member> out;
    std::set<std::string_view> keys;
    for (const auto& [key, value] : map) {
      const Place here{place, key, 0};
      WGK_TRY(const std::string_view name, substitute_text(key, record, &here));
      WGK_TRY(const std::optional<Tree> made, apply(value, record, &here));
      if (!made) continue;
      if (!keys.insert(name).second) return fail(&here, fmt::format("makes the key \"{}\" twice", printable(name)));
      out.push_back({name, *made});
    }
    return std::optional(Tree::map(arena_.copy(std::span<const Tree::Member>(out))));
  }

  const Node& family_;
  TreeArena& arena_;
  std::uint64_t& nodes_;
  std::uint64_t& bytes_;
};

/// One axis: its name and its records by $key, in order.
struct Axis {
  std::string_view name;
  std::vector<std::pair<std::string, Record>> records;

  const Record* record(std::string_view key) const {
    for (const auto& [name_of_record, values] : records) {
      if (name_of_record == key) return &values;
    }
    return nullptr;
  }
};

class Family {
 public:
  explicit Family(const Node& node) : node_(node) {}

  /// The value records, one per case or cell.
  Result<std::vector<Record>> records() {
    static constexpr auto kCaseKeys = std::to_array<std::string_view>({"description", "cases", "variants"});
    static constexpr auto kAxisKeys =
        std::to_array<std::string_view>({"description", "axes", "exclude", "cases", "variants"});
    const std::string where = "WebGPU variant family";
    if (node_.has("axes")) {
      WGK_CHECK(node_.known_keys(where, kAxisKeys));
      return cells();
    }
    WGK_CHECK(node_.known_keys(where, kCaseKeys));
    const Node cases = node_.at("cases");
    WGK_CHECK(cases.require_non_empty_array());
    WGK_CHECK(cases.limit(node_.context().op, "variants", cases.size(), limits::kMaxVariants));
    std::vector<Record> out;
    for (std::size_t index = 0; index < cases.size(); ++index) {
      WGK_TRY(Record record, values_of(cases.at(index), {}));
      out.push_back(std::move(record));
    }
    return out;
  }

 private:
  /// The members of a record but for `without`.
  Result<Record> values_of(const Node& node, const std::set<std::string_view>& without) const {
    WGK_CHECK(node.require_object());
    WGK_CHECK(node.limit("WebGPU manifest " + node.context().op + " variant family", "values", node.size(),
                         limits::kMaxFamilyValues));
    Record record;
    WGK_CHECK(for_each_member(node, [&](std::string_view name, const Node& value) -> Status {
      if (without.count(name) > 0) return {};
      if (!is_identifier(name)) {
        return value.fail(fmt::format("WebGPU manifest {} variant family: \"{}\" is not the name of a value",
                                      node.context().op, printable(name)));
      }
      record.emplace_back(name, &value.tree());
      return {};
    }));
    return record;
  }

  Result<Axis> read_axis(std::string_view name, const Node& list) const {
    WGK_CHECK(list.require_non_empty_array());
    WGK_CHECK(list.limit(node_.context().op, "variants", list.size(), limits::kMaxVariants));
    Axis axis{name, {}};
    for (std::size_t index = 0; index < list.size(); ++index) {
      const Node node = list.at(index);
      WGK_TRY(Record record, values_of(node, {"$key"}));
      if (!node.has("$key")) return node.fail_here("must have $key");
      WGK_TRY(std::string key, node.at("$key").string());
      if (!is_identifier(key) || axis.record(key) != nullptr) {
        return node.at("$key").fail_here(fmt::format("must be a unique identifier, got \"{}\"", printable(key)));
      }
      axis.records.emplace_back(std::move(key), std::move(record));
    }
    return axis;
  }

  Status read_axes() {
    const Node axes = node_.at("axes");
    WGK_CHECK(axes.require_object());
    if (axes.size() != 2) return axes.fail_here(fmt::format("must have exactly two axes, got {}", axes.size()));
    WGK_CHECK(for_each_member(axes, [&](std::string_view name, const Node& list) -> Status {
      WGK_TRY(Axis axis, read_axis(name, list));
      axes_.push_back(std::move(axis));
      return {};
    }));
    std::map<std::string_view, std::size_t> owner;
    for (std::size_t index = 0; index < 2; ++index) {
      for (const auto& entry : axes_[index].records) {
        for (const auto& [name, value] : entry.second) {
          const auto claimed = owner.emplace(name, index).first->second;
          if (claimed != index || name == axes_[0].name || name == axes_[1].name) {
            return axes.fail_here(fmt::format("use the value name \"{}\" twice", printable(name)));
          }
        }
      }
    }
    return {};
  }

  /// The two keys of a record of `exclude` or `cases`.
  Result<std::pair<std::string, std::string>> cell_keys(const Node& node) const {
    WGK_CHECK(node.require_object());
    std::string keys[2];
    for (std::size_t index = 0; index < 2; ++index) {
      const Axis& axis = axes_[index];
      if (!node.has(axis.name)) return node.fail_here(fmt::format("must have {}", printable(axis.name)));
      WGK_TRY(keys[index], node.at(axis.name).string());
      if (axis.record(keys[index]) == nullptr) {
        return node.at(axis.name).fail_here(fmt::format("is \"{}\", which is no $key", printable(keys[index])));
      }
    }
    return std::pair{keys[0], keys[1]};
  }

  Result<std::set<std::pair<std::string, std::string>>> excluded() const {
    std::set<std::pair<std::string, std::string>> out;
    if (!node_.has("exclude")) return out;
    const Node list = node_.at("exclude");
    WGK_CHECK(list.require_array());
    for (std::size_t index = 0; index < list.size(); ++index) {
      const Node item = list.at(index);
      WGK_TRY(auto keys, cell_keys(item));
      if (item.size() != 2) return item.fail_here("must name the two axes and nothing else");
      out.insert(std::move(keys));
    }
    return out;
  }

  Result<std::map<std::pair<std::string, std::string>, Record>> overrides() const {
    std::map<std::pair<std::string, std::string>, Record> out;
    if (!node_.has("cases")) return out;
    const Node list = node_.at("cases");
    WGK_CHECK(list.require_array());
    for (std::size_t index = 0; index < list.size(); ++index) {
      const Node item = list.at(index);
      WGK_TRY(auto keys, cell_keys(item));
      WGK_TRY(Record record, values_of(item, {axes_[0].name, axes_[1].name}));
      if (!out.emplace(std::move(keys), std::move(record)).second) return item.fail_here("names a cell a second time");
    }
    return out;
  }

  Result<std::vector<Record>> cells() {
    WGK_CHECK(read_axes());
    WGK_TRY(const auto holes, excluded());
    WGK_TRY(const auto changes, overrides());
    for (const auto& change : changes) {
      if (holes.count(change.first) > 0) return node_.at("cases").fail_here("names a cell that exclude removes");
    }
    WGK_CHECK(node_.limit(node_.context().op, "variants", axes_[0].records.size() * axes_[1].records.size(),
                          limits::kMaxVariants + holes.size()));
    std::vector<Record> out;
    for (const auto& [outer_key, outer] : axes_[0].records) {
      for (const auto& [inner_key, inner] : axes_[1].records) {
        const std::pair cell{outer_key, inner_key};
        if (holes.count(cell) > 0) continue;
        Record record = outer;
        record.insert(record.end(), inner.begin(), inner.end());
        if (const auto change = changes.find(cell); change != changes.end()) {
          for (const auto& [name, value] : change->second) set(record, name, value);
        }
        out.push_back(std::move(record));
      }
    }
    if (out.empty()) return node_.fail_here("excludes every cell");
    return out;
  }

  const Node& node_;
  std::vector<Axis> axes_;
};

}  // namespace

Result<std::vector<Node>> expand_families(const Node& variants) {
  std::vector<Node> out;
  std::uint64_t made_nodes = 0;
  std::uint64_t made_bytes = 0;
  const std::string& op = variants.context().op;
  for (std::size_t index = 0; index < variants.size(); ++index) {
    const Node node = variants.at(index);
    WGK_CHECK(node.require_object());
    if (!node.has("cases") && !node.has("axes")) {
      out.push_back(node);
      WGK_CHECK(variants.limit(op, "variants", out.size(), limits::kMaxVariants));
      continue;
    }
    if (!node.has("variants")) return node.fail_here("is a variant family and must have variants");
    WGK_TRY(const std::vector<Record> records, Family(node).records());
    const Node templates = node.at("variants");
    WGK_CHECK(templates.require_non_empty_array());
    WGK_CHECK(node.limit(op, "variants", out.size() + records.size() * templates.size(), limits::kMaxVariants));
    Substitution substitution(node, made_nodes, made_bytes);
    for (const Record& record : records) {
      for (std::size_t item = 0; item < templates.size(); ++item) {
        const Node form = templates.at(item);
        WGK_CHECK(form.require_object());
        WGK_TRY(const std::optional<Tree> made, substitution.apply(form.tree(), record, form.place()));
        // Removing a member is meant for options; a variant without these two would be another variant.
        for (const std::string_view key : {"id", "passes"}) {
          if (form.has(key) && made->find(key) == nullptr) return form.at(key).fail_here("must not be removed by null");
        }
        WGK_CHECK(substitution.check_resolved(*made, form.place()));
        out.emplace_back(*node.context().arena.make(*made), form.place(), node.context());
      }
    }
  }
  return out;
}

}  // namespace wgk::package::v2
