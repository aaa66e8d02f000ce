// What a quantity of a model can depend on, through rates, rules, events and initial values. Asked
// before a fit: an unknown that no datum can see is a mistake of the problem.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "model/model.h"

namespace stiffit::internal {

class Influences {
 public:
  explicit Influences(const Model& model);

  // Everything that may change one of these, they themselves included. More rather than less.
  void add(Ref ref);
  bool contains(Ref ref) const { return found_.contains({ref.kind, ref.index}); }

 private:
  void add_expression(ExprId root);
  void add_changes_of(Ref ref);

  const Model& model_;
  std::vector<std::vector<std::int32_t>> reactions_of_;  // per species: what changes it
  std::set<std::pair<SymbolKind, std::int32_t>> found_;
  std::vector<Ref> open_;
  std::set<ExprId> seen_;
};

}  // namespace stiffit::internal
