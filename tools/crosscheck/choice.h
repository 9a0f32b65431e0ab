// Which cases of a package run when not all are to.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include <wgk/plan.hpp>

namespace wgk::crosscheck {

/// Takes every case that renders a shader which no earlier one rendered, and the first few of every variant. Planning
/// and judging make the same choice, since both ask in the order of the cases.
class Choice {
 public:
  /// `per_variant`: how many cases of a variant are taken whatever they render; 0: all.
  explicit Choice(std::size_t per_variant) : per_variant_(per_variant) {}

  bool takes(const Plan& plan);

  /// The variants that no taken case runs, each with the first reason that was met.
  std::map<std::string, std::string> variants_left() const;
  std::size_t variants_run() const { return taken_.size(); }

 private:
  bool has_new_shader(const Plan& plan);

  std::size_t per_variant_;
  std::set<std::string> shaders_;
  std::map<std::string, std::size_t> taken_;     ///< cases by variant
  std::map<std::string, std::string> rejected_;  ///< every variant seen, and why it was rejected once
};

}  // namespace wgk::crosscheck
