// What everything of a model is called in a written file: valid identifiers of the target language,
// each once. An id that is valid already stays; `A(b!1)` becomes `A_b_1`, `R.k` becomes `R_k`, and
// a number tells apart what would be the same. The same model always gets the same names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "model/model.h"

namespace stiffit::internal {

class WrittenNames {
 public:
  using Reserved = std::function<bool(std::string_view)>;
  // Names that the target language keeps for itself; of functions, those as well.
  WrittenNames(const Model& model, Reserved reserved, Reserved reserved_for_functions);

  const std::string& of(Ref ref) const;  // not of time and arguments
  const std::string& of_function(std::int32_t index) const { return at(functions_, index); }
  const std::string& of_argument(std::int32_t function, std::int32_t index) const {
    return at(arguments_[function], index);
  }
  const std::string& of_unit(std::int32_t index) const { return at(units_, index); }
  const std::string& of_event(std::int32_t index) const { return at(events_, index); }  // or ""

  // An unused identifier like `wish`, taken from now on.
  std::string fresh(std::string_view wish);

 private:
  static const std::string& at(const std::vector<std::string>& list, std::int32_t index) {
    return list[index];
  }

  Reserved reserved_;
  std::unordered_set<std::string> taken_;
  std::vector<std::string> compartments_, species_, parameters_, reactions_, observables_,
      functions_, events_, units_;
  std::vector<std::vector<std::string>> arguments_;
};

// Letters, digits and '_', not beginning with a digit.
bool is_identifier(std::string_view text);
// The same made of any text: "A(b!1)" -> "A_b_1".
std::string as_identifier(std::string_view text);

}  // namespace stiffit::internal
