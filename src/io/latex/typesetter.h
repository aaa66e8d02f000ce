// Names, numbers and expressions of a model, typeset.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "io/latex/typeset_notation.h"
#include "model/model.h"

namespace stiffit::internal {

// k_cat and k1 with a subscript, alpha as the Greek letter. Two ids never look the same: where k1
// and k_1 would, the second is shown letter by letter.
class Typesetter {
 public:
  Typesetter(const Model& model, const TypesetNotation& notation);

  const std::string& name(const std::string& id) const { return names_.at(id); }
  const std::string& name(Ref ref) const { return name(model_.id_of(ref)); }
  std::string rate(const std::string& reaction) const;
  std::string number(double value) const;
  // `function`: the one whose body this is; -1: none.
  std::string expression(ExprId root, std::int32_t function = -1) const;

  const Model& model() const { return model_; }
  const TypesetNotation& notation() const { return notation_; }

 private:
  void add(const std::string& id);

  const Model& model_;
  const TypesetNotation& notation_;
  std::unordered_map<std::string, std::string> names_;
  std::unordered_set<std::string> taken_;
};

}  // namespace stiffit::internal
