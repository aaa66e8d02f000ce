// Names and numbers of a model as MathML.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "io/latex/mathml.h"

namespace stiffit {

// Ids as they are typeset: k_cat and k1 with a subscript, alpha as the Greek letter, anything else
// as it is. Two ids never look the same: where k1 and k_1 would, the second is shown as it is.
class MathmlNames {
 public:
  explicit MathmlNames(const Model& model);
  const std::string& of(const std::string& id) const { return typeset_.at(id); }

 private:
  void add(const std::string& id);
  std::unordered_map<std::string, std::string> typeset_;
  std::unordered_set<std::string> taken_;
};

// `function`: the one whose body this is; -1: none.
std::string mathml_expression(const Model& model, const MathmlNames& names, ExprId root,
                              std::int32_t function = -1);
std::string mathml_number(double value);
// v with the reaction's name below.
std::string mathml_rate(std::string_view reaction);

}  // namespace stiffit
