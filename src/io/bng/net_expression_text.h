// Expressions of a model in the words of a BioNetGen network.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "io/written/written_names.h"

namespace stiffit::internal {

class NetExpressions {
 public:
  NetExpressions(const Model& model, WrittenNames& names);

  // Functions of the model are written in place. Species become groups of one, noted in `groups`;
  // what has no word is noted in `refused`.
  std::string text(ExprId id) { return write(id, nullptr); }
  std::string species(std::int32_t index);
  // Does the value change with time?
  bool varies(ExprId id) const;
  bool is_ruled(std::int32_t parameter) const { return ruled_.contains(parameter); }

  std::map<std::int32_t, std::string> groups;  // species, name of its group
  std::set<std::string> refused;               // "the function floor"

 private:
  using Texts = std::vector<std::string>;
  std::string write(ExprId id, const Texts* arguments);
  std::string symbol(Ref ref, const Texts* arguments);
  std::string refuse(const std::string& what);

  const Model& model_;
  WrittenNames& names_;
  std::set<std::int32_t> ruled_;  // parameters with an assignment rule
};

// Without the parentheses around all of it.
std::string net_unwrapped(const std::string& text);

}  // namespace stiffit::internal
