// Every limit on what a package or a request from a stranger may use. All of them fail closed: what exceeds one is an
// error that names the place, the amount and the limit; nothing is cut short. tests/limits has a test just below and
// just above each.
//
// A device has limits too (maxBufferSize, maxStorageBufferBindingSize, maxComputeWorkgroupsPerDimension, …). They are
// read from its profile and kept by plan() and again, before any GPU object is made, by the device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wgk::inline v0::limits {

// Files of a package.
inline constexpr std::uint64_t kMaxMetadataBytes = 1u << 20;     ///< metadata.json
inline constexpr std::uint64_t kMaxManifestBytes = 4u << 20;     ///< manifest.json
inline constexpr std::uint64_t kMaxTestFileBytes = 64u << 20;    ///< test.json
inline constexpr std::uint64_t kMaxBenchFileBytes = 4u << 20;    ///< bench.json
inline constexpr std::size_t kMaxTemplateBytes = 1u << 20;       ///< one template, and its text after include expansion
inline constexpr std::uint64_t kMaxPackedFileBytes = 64u << 20;  ///< any other file that `wgk pack` or `verify` reads
inline constexpr std::size_t kMaxPackageTemplateBytes = 16u << 20;  ///< all templates, and all after include expansion
inline constexpr std::uint64_t kMaxPackageBytes = 256u << 20;       ///< all files, for `pack` and `verify`
inline constexpr std::size_t kMaxPackedFiles = 10'000;

// JSON of any origin. Duplicate keys, invalid UTF-8 and NUL are refused whatever their number.
inline constexpr int kMaxJsonDepth = 64;

// The manifest.
inline constexpr std::uint64_t kMaxPorts = 64;  ///< inputs, outputs and scalar arguments together
inline constexpr std::uint64_t kMaxAttributes = 256;
inline constexpr std::uint64_t kMaxTunables = 1024;
inline constexpr std::uint64_t kMaxDerives = 1024;        ///< of one map
inline constexpr std::uint64_t kMaxVariants = 512;        ///< after expansion of families
inline constexpr std::uint64_t kMaxPasses = 16;           ///< declared in one variant
inline constexpr std::uint64_t kMaxBindings = 32;         ///< of one pass
inline constexpr std::uint64_t kMaxFields = 256;          ///< of one uniform struct
inline constexpr std::uint64_t kMaxIntermediates = 256;   ///< of one variant
inline constexpr std::uint64_t kMaxModelItems = 262'144;  ///< everything that one manifest declares
inline constexpr std::size_t kMaxWarnings = 100;          ///< kept; further ones are counted
inline constexpr std::uint64_t kMaxSafeInteger = (std::uint64_t{1} << 53) - 1;  ///< of an integer in JSON
inline constexpr std::uint64_t kMaxFamilyNodes = 500'000;                       ///< JSON values made by families
inline constexpr std::uint64_t kMaxFamilyBytes = 16u << 20;                     ///< text in them
inline constexpr std::uint64_t kMaxFamilyValues = 256;  ///< of a record: every cell of two axes copies both records

// Expressions and templates.
inline constexpr std::size_t kMaxExpressionBytes = 16u << 10;
inline constexpr int kMaxExpressionNesting = 128;  ///< parentheses, calls and operators
inline constexpr int kMaxStatementNesting = 64;
inline constexpr int kMaxMacroDepth = 64;  ///< of calls
inline constexpr std::size_t kMaxMacroParameters = 256;
inline constexpr int kMaxIncludeDepth = 16;
inline constexpr int kMaxIncludes = 10'000;                      ///< replacements in one template, however small
inline constexpr std::uint64_t kMaxEvaluationSteps = 1'000'000;  ///< node visits, loop turns, list items produced; per
                                                                 ///< plan for expressions, and per render
inline constexpr int kMaxEvaluationDepth = 1000;          ///< expressions, statements and macro calls at work together
inline constexpr std::size_t kMaxListItems = 100'000;     ///< of range(), fill() or any list
inline constexpr std::size_t kMaxStringBytes = 4u << 20;  ///< one string value
inline constexpr std::uint32_t kMaxValueDepth = 128;      ///< levels of lists and maps in one value
inline constexpr std::uint64_t kMaxValueWeight = 1'000'000;  ///< values in one value, counted as often as reachable
inline constexpr std::size_t kMaxRenderedBytes = 4u << 20;   ///< WGSL of one pass

// WGSL, before the compiler of the WebGPU implementation sees it (WGSL itself promises 127 nested blocks).
inline constexpr std::uint64_t kMaxShaderNesting = 128;        ///< brackets of any kind
inline constexpr std::uint64_t kMaxShaderOperators = 1000;     ///< in one expression, and `else` behind one another
inline constexpr std::uint64_t kMaxShaderDeclarations = 2048;  ///< of a module

// One plan.
inline constexpr std::size_t kMaxPassInstances = 4096;                          ///< after expansion of repeat groups
inline constexpr std::uint64_t kMaxRepeatCount = 65'535;                        ///< of one group
inline constexpr std::size_t kMaxPlanWgslBytes = 64u << 20;                     ///< of all passes
inline constexpr std::uint64_t kMaxPlanRenderSteps = 32 * kMaxEvaluationSteps;  ///< of all passes
inline constexpr std::uint64_t kMaxPlanDetailBytes = 64u << 20;      ///< names, fields and uniform bytes of all passes
inline constexpr std::uint64_t kMaxWorkgroupsPerDimension = 65'535;  ///< whatever more a device may offer

// Tensors.
inline constexpr std::size_t kMaxRank = 32;
inline constexpr std::uint64_t kMaxElements = (std::uint64_t{1} << 53) - 1;
inline constexpr std::int64_t kMaxExactInteger = std::int64_t{1} << 53;  ///< of an attribute, either sign

// Requests.
inline constexpr std::size_t kMaxRequestText = 256u << 20;
inline constexpr std::uint64_t kMaxRequestBytes = std::uint64_t{4} << 30;  ///< of all tensors
inline constexpr std::size_t kMaxNpyHeader = 65'536;  ///< far above what NumPy writes for any shape

// One call. DeviceOptions::max_call_bytes changes it for a device.
inline constexpr std::uint64_t kMaxCallBytes = std::uint64_t{16} << 30;  ///< tensors, scratch, uniforms, read-back

}  // namespace wgk::inline v0::limits
