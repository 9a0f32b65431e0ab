// Trees: values, their arena, and the sink that builds them from JSON text.
#include "package/tree.h"

#include <algorithm>
#include <type_traits>
#include <unordered_set>

#include <fmt/format.h>

#include "base/try.h"
#include "base/visible.h"
#include "package/place.h"

namespace wgk::package {
namespace {

constexpr std::size_t kLinearDuplicateSearch = 16;

/// Builds the values of a text. The members of open containers lie in one row, innermost last, and move into the arena
/// when their container closes.
class Builder : public base::JsonSink {
 public:
  explicit Builder(TreeArena& arena) : arena_(arena) {}

  void restart() override {
    frames_.clear();
    row_.clear();
    root_ = Tree();
  }
  void null() override { add(Tree()); }
  void boolean(bool value) override { add(Tree::boolean(value)); }
  void integer(std::int64_t value) override { add(Tree::integer(value)); }
  void unsigned_integer(std::uint64_t value) override { add(Tree::unsigned_integer(value)); }
  void number(double value) override { add(Tree::number(value)); }
  void string(std::string& value) override { add(Tree::string(arena_.copy(value))); }
  void open_map() override { open(true); }
  void open_list() override { open(false); }

  bool key(std::string& name) override {
    Frame& frame = frames_.back();
    if (!is_new_key(frame, name)) return false;
    frame.key = arena_.copy(name);
    if (!frame.keys.empty()) frame.keys.insert(frame.key);
    return true;
  }

  void close() override {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    const std::span<const Tree::Member> row = std::span(row_).subspan(frame.first);
    Tree made;
    if (frame.is_map) {
      made = Tree::map(arena_.copy(row));
    } else {
      items_.clear();
      for (const Tree::Member& item : row) items_.push_back(item.value);
      made = Tree::list(arena_.copy(std::span<const Tree>(items_)));
    }
    row_.resize(frame.first);
    add(made);
  }

  Tree root() const { return root_; }

 private:
  struct Frame {
    bool is_map;
    std::size_t first;                          ///< of its members in row_
    std::string_view key;                       ///< of the value to come
    std::unordered_set<std::string_view> keys;  ///< filled only for maps that a linear search would make slow
  };

  void open(bool is_map) { frames_.push_back({is_map, row_.size(), {}, {}}); }

  void add(const Tree& value) {
    if (frames_.empty()) {
      root_ = value;
    } else {
      row_.push_back({frames_.back().key, value});
    }
  }

  bool is_new_key(Frame& frame, std::string_view name) {
    const std::span<const Tree::Member> members = std::span(row_).subspan(frame.first);
    if (members.size() < kLinearDuplicateSearch) {
      return std::none_of(members.begin(), members.end(), [&](const auto& member) { return member.key == name; });
    }
    if (frame.keys.empty()) {
      for (const Tree::Member& member : members) frame.keys.insert(member.key);
    }
    return frame.keys.count(name) == 0;
  }

  TreeArena& arena_;
  std::vector<Frame> frames_;
  std::vector<Tree::Member> row_;
  std::vector<Tree> items_;
  Tree root_;
};

/// "variants[0].derive", with a dot or bracket before each step.
std::string path_text(const Place* place) {
  if (place == nullptr) return {};
  const std::string parent = path_text(place->parent);
  return place->is_item() ? fmt::format("{}[{}]", parent, place->index) : fmt::format("{}.{}", parent, place->key);
}

/// Makes the tree anew where something below it has changed, so that its counts are right.
Status remove_from(Tree& tree, const Place* place, bool& changed) {
  bool below = false;
  if (tree.is_list()) {
    std::size_t index = 0;
    for (Tree& item : tree.items()) {
      const Place here{place, {}, index++};
      if (item.is_structured()) WGK_CHECK(remove_from(item, &here, below));
    }
    if (below) tree = Tree::list(tree.items());
    changed = changed || below;
    return {};
  }
  const std::span<Tree::Member> members = tree.members();
  auto end = members.begin();
  for (Tree::Member& member : members) {
    const Place here{place, member.key, 0};
    if (member.key == "$comment") {
      if (member.value.is_string()) continue;
      return Error{ErrorCode::kPackage,
                   fmt::format("manifest{} must be a string", base::visible(path_text(&here), 200))};
    }
    if (member.value.is_structured()) WGK_CHECK(remove_from(member.value, &here, below));
    *end++ = member;
  }
  const auto left = static_cast<std::size_t>(end - members.begin());
  if (below || left < members.size()) {
    changed = true;
    tree = Tree::map(members.first(left));
  }
  return {};
}

bool has_brace(std::string_view text) { return text.find('{') != std::string_view::npos; }

}  // namespace

Tree Tree::boolean(bool value) {
  Tree tree;
  tree.kind_ = Kind::kBoolean;
  tree.boolean_ = value;
  return tree;
}

Tree Tree::unsigned_integer(std::uint64_t value) {
  Tree tree;
  tree.kind_ = Kind::kUnsigned;
  tree.unsigned_ = value;
  return tree;
}

Tree Tree::integer(std::int64_t value) {
  Tree tree;
  tree.kind_ = Kind::kInteger;
  tree.integer_ = value;
  return tree;
}

Tree Tree::number(double value) {
  Tree tree;
  tree.kind_ = Kind::kFloat;
  tree.number_ = value;
  return tree;
}

Tree Tree::string(std::string_view text) {
  Tree tree;
  tree.kind_ = Kind::kString;
  tree.braced_ = has_brace(text);
  tree.size_ = tree.bytes_ = static_cast<std::uint32_t>(text.size());
  tree.text_ = text.data();
  return tree;
}

Tree Tree::list(std::span<Tree> items) {
  Tree tree;
  tree.kind_ = Kind::kList;
  tree.size_ = static_cast<std::uint32_t>(items.size());
  tree.items_ = items.data();
  for (const Tree& item : items) {
    tree.braced_ = tree.braced_ || item.braced_;
    tree.values_ += item.values_;
    tree.bytes_ += item.bytes_;
  }
  return tree;
}

Tree Tree::map(std::span<Member> members) {
  Tree tree;
  tree.kind_ = Kind::kMap;
  tree.size_ = static_cast<std::uint32_t>(members.size());
  tree.members_ = members.data();
  for (const auto& [key, value] : members) {
    tree.braced_ = tree.braced_ || value.braced_ || has_brace(key);
    tree.values_ += value.values_;
    tree.bytes_ += value.bytes_ + static_cast<std::uint32_t>(key.size());
  }
  return tree;
}

double Tree::as_number() const {
  if (kind_ == Kind::kUnsigned) return static_cast<double>(unsigned_);
  return kind_ == Kind::kInteger ? static_cast<double>(integer_) : number_;
}

const Tree::Member* Tree::find(std::string_view key) const {
  if (!is_map()) return nullptr;
  for (const Member& member : members()) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

static_assert(std::is_trivially_destructible_v<Tree::Member>, "the arena runs no destructors");

std::string_view TreeArena::copy(std::string_view text) {
  // An empty text has an address of its own, too: by it a Place knows a key and an expression is found again.
  if (text.empty()) return {static_cast<const char*>(memory_.allocate(1, 1)), 0};
  const std::span<char> made = copy(std::span<const char>(text));
  return {made.data(), made.size()};
}

Tree TreeArena::copy(const Tree& tree) {
  if (tree.is_string()) return Tree::string(copy(tree.text()));
  if (tree.is_list()) {
    const std::span<Tree> items = copy(tree.items());
    for (Tree& item : items) item = copy(item);
    return Tree::list(items);
  }
  if (tree.is_map()) {
    const std::span<Tree::Member> members = copy(tree.members());
    for (auto& [key, value] : members) {
      key = copy(key);
      value = copy(value);
    }
    return Tree::map(members);
  }
  return tree;
}

Result<Document> parse_document(std::string_view text) {
  Document document{std::make_shared<TreeArena>(), {}};
  Builder builder(*document.arena);
  WGK_CHECK(base::parse_json_into(text, builder, ErrorCode::kPackage));
  document.root = builder.root();
  return document;
}

Status remove_comments(Document& document) {
  bool changed = false;
  if (!document.root.is_structured()) return {};
  return remove_from(document.root, nullptr, changed);
}

base::Json to_json(const Tree& tree) {
  switch (tree.kind()) {
    case Tree::Kind::kNull:
      return nullptr;
    case Tree::Kind::kBoolean:
      return tree.as_boolean();
    case Tree::Kind::kUnsigned:
      return tree.as_unsigned();
    case Tree::Kind::kInteger:
      return tree.as_integer();
    case Tree::Kind::kFloat:
      return tree.as_number();
    case Tree::Kind::kString:
      return std::string(tree.text());
    case Tree::Kind::kList: {
      base::Json list = base::Json::array();
      for (const Tree& item : tree.items()) list.push_back(to_json(item));
      return list;
    }
    case Tree::Kind::kMap:
      break;
  }
  base::Json map = base::Json::object();
  for (const auto& [key, value] : tree.members()) map[std::string(key)] = to_json(value);
  return map;
}

}  // namespace wgk::package
