// libSBML writes numbers with 15 digits, and its e-notation reads back a bit off. Where that would
// change the number, a stand-in goes through libSBML and is replaced in the finished text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stiffit::internal {

class ExactNumbers {
 public:
  double in_attribute(double value) { return pass(value, false); }
  double in_math(double value) { return pass(value, true); }
  // Puts the true digits into what libSBML wrote.
  std::string restore(const std::string& text) const;

 private:
  double pass(double value, bool math);

  std::vector<std::string> digits_;
};

}  // namespace stiffit::internal
