// Names and expressions of a model, typeset.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "model/model.h"

namespace stiffit {

// k_1 as k with a subscript, alpha as the Greek letter, long names in italics. Two ids never look
// the same: where k1 and k_1 would, the second is shown letter by letter.
class LatexNames {
 public:
  explicit LatexNames(const Model& model);
  const std::string& of(const std::string& id) const { return typeset_.at(id); }

 private:
  void add(const std::string& id);
  std::unordered_map<std::string, std::string> typeset_;
  std::unordered_map<std::string, int> shown_;
};

// For running text: every character shows itself.
std::string latex_text(const std::string& text);
std::string latex_number(double value);

// `function`: the one whose body this is; -1: none. Rates of reactions are v with a subscript.
std::string latex_expression(const Model& model, const LatexNames& names, ExprId root,
                             std::int32_t function = -1);
std::string latex_rate(const LatexNames& names, const std::string& reaction);

}  // namespace stiffit
