// A first package: y = alpha * x, with one of everything that a small kernel needs.
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <wgk/pack.hpp>
#include <wgk/package.hpp>

#include "base/try.h"
#include "package/identifiers.h"
#include "package/node.h"

namespace wgk::inline v0 {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = R"json({
  "domain": "@domain@",
  "name": "@name@",
  "sinceVersion": 1,
  "description": "Multiplies every element of `x` by the attribute `alpha`.",
  "inputs": {
    "x": { "onnx": "X", "dtype": "T", "description": "A tensor of any shape." }
  },
  "outputs": {
    "y": { "onnx": "Y", "dtype": "T", "shape": "shapes.x", "description": "`alpha * x`, shaped as `x`." }
  },
  "attributes": {
    "alpha": { "default": 2, "description": "The factor." }
  },
  "typeConstraints": { "T": ["float32", "float16"] },
  "tunables": {
    "WORKGROUP_SIZE": { "default": 64, "description": "Invocations per workgroup." }
  },
  "derive": {
    "count": "numel(shapes.x)"
  },
  "variants": [
    {
      "id": "elementwise",
      "description": "One invocation per element.",
      "when": ["count < 4294967296", "f16Ok(dtypes.T)"],
      "passes": [
        {
          "id": "main",
          "shader": "@file@.wgsl.jinja",
          "bindings": [
            "x",
            "y",
            {
              "name": "params",
              "struct": [
                { "name": "count", "type": "u32", "value": "count" },
                { "name": "alpha", "type": "f32", "value": "attrs.alpha" }
              ]
            }
          ],
          "dispatch": { "threads": "count", "workgroupSize": "tunables.WORKGROUP_SIZE" }
        }
      ]
    }
  ]
}
)json";

constexpr std::string_view kTemplate = R"wgsl({{ env.wgsl.resourceDeclarations }}

const workgroup_size = {{ tunables.WORKGROUP_SIZE }}u;

@compute @workgroup_size(workgroup_size)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  // More workgroups than fit on one axis are folded onto the next one.
  let index = id.x + id.y * groups.x * workgroup_size;
  if (index >= params.count) {
    return;
  }
  y[index] = {{ T }}(params.alpha) * x[index];
}
)wgsl";

constexpr std::string_view kTests = R"json({
  "cases": [
    {
      "name": "the default factor",
      "inputs": {
        "x": { "dtype": "float32", "shape": [2, 2], "data": { "kind": "values", "values": [1, -2, 0.5, 0] } }
      },
      "outputs": {
        "y": { "dtype": "float32", "shape": [2, 2], "data": { "kind": "values", "values": [2, -4, 1, 0] } }
      }
    },
    {
      "name": "a factor of its own",
      "inputs": {
        "x": { "dtype": "float32", "shape": [3], "data": { "kind": "values", "values": [1, 2, 3] } }
      },
      "attrs": { "alpha": -0.5 },
      "outputs": {
        "y": { "dtype": "float32", "shape": [3], "data": { "kind": "values", "values": [-0.5, -1, -1.5] } }
      }
    },
    {
      "name": "float16",
      "inputs": {
        "x": { "dtype": "float16", "shape": [2], "data": { "kind": "values", "values": [1.5, -8] } }
      },
      "outputs": {
        "y": { "dtype": "float16", "shape": [2], "data": { "kind": "values", "values": [3, -16] } }
      }
    },
    {
      "name": "no elements",
      "inputs": {
        "x": { "dtype": "float32", "shape": [0, 4], "data": { "kind": "values", "values": [] } }
      },
      "outputs": {
        "y": { "dtype": "float32", "shape": [0, 4], "data": { "kind": "values", "values": [] } }
      }
    }
  ]
}
)json";

std::string filled(std::string_view text, std::string_view place, std::string_view value) {
  std::string out(text);
  for (auto at = out.find(place); at != std::string::npos; at = out.find(place, at + value.size())) {
    out.replace(at, place.size(), value);
  }
  return out;
}

/// "RotaryEmbedding" -> "rotary-embedding", the way template files are named.
std::string file_name(std::string_view name) {
  std::string out;
  bool after_lower = false;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && after_lower) out += '-';
    out += upper ? static_cast<char>(c - 'A' + 'a') : c == '_' ? '-' : c;
    after_lower = !upper && c != '_';
  }
  return out;
}

Status write_file(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (out) return {};
  return Error{ErrorCode::kUsage, fmt::format("{}: cannot be written", file.string())};
}

Status write_contents(const fs::path& package, const std::string& domain, const std::string& name) {
  const fs::path root = package / "build" / "webgpu";
  std::error_code error;
  fs::create_directories(root, error);
  if (error) return Error{ErrorCode::kUsage, fmt::format("{}: {}", root.string(), error.message())};
  const std::string file = file_name(name);
  const std::string manifest = filled(filled(filled(kManifest, "@domain@", domain), "@name@", name), "@file@", file);
  WGK_CHECK(write_file(root / "manifest.json", manifest));
  WGK_CHECK(write_file(root / (file + ".wgsl.jinja"), kTemplate));
  WGK_CHECK(write_file(root / "test.json", kTests));
  WGK_TRY(const Packed packed, pack_package(package.string()));
  WGK_TRY(const Package loaded, Package::load(package.string()));
  return write_file(package / "README.md", loaded.contract_markdown());
}

Error taken(const fs::path& folder) {
  return Error{ErrorCode::kUsage, fmt::format("{}: exists already; nothing was written", folder.string())};
}

}  // namespace

Result<std::string> create_package(std::string_view name, std::string_view directory) {
  const auto dot = name.rfind('.');
  const std::string domain(dot == std::string_view::npos ? "local" : name.substr(0, dot));
  const std::string bare(dot == std::string_view::npos ? name : name.substr(dot + 1));
  const std::string op = domain + "." + bare;
  if (!package::is_domain(domain) || !package::is_identifier(bare)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("\"{}\" is not an operator id such as com.example.Scale", package::printable(name))};
  }
  const fs::path parent = directory.empty() ? fs::path(".") : fs::u8path(directory);
  const fs::path target = parent / op;
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error))) return taken(target);
  // Made beside its place and renamed, so that a failure leaves nothing behind.
  const fs::path draft = parent / ("." + op + ".new");
  if (fs::exists(fs::symlink_status(draft, error))) return taken(draft);
  if (Status status = write_contents(draft, domain, bare); !status) {
    fs::remove_all(draft, error);
    return status.error();
  }
  fs::rename(draft, target, error);
  if (!error) return target.string();
  const std::string reason = error.message();
  fs::remove_all(draft, error);
  return Error{ErrorCode::kUsage, fmt::format("{}: {}", target.string(), reason)};
}

}  // namespace wgk::inline v0
