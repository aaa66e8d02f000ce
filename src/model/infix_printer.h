// Expressions as text in infix languages: one walk for all of them, which knows how strongly
// operations bind and where parentheses are needed. A language gives its words and, where it has
// them, forms of its own (fractions, piecewise).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/operation.h"

namespace stiffit::internal {

enum class Binding {
  loosest,
  disjunction,
  conjunction,
  comparison,
  sum,
  product,
  sign,
  power,
  tightest,
};
inline Binding tighter(Binding b) { return static_cast<Binding>(static_cast<int>(b) + 1); }

// One operation, wherever it comes from.
struct PrintedNode {
  Op op = Op::number;
  double number = 0;
  std::string name;  // of a symbol or of a called function
  std::vector<std::uint32_t> operands;
};

class InfixPrinter {
 public:
  virtual ~InfixPrinter() = default;
  std::string print(std::uint32_t root);

 protected:
  virtual PrintedNode node(std::uint32_t id) const = 0;

  // The words of the language; as in text models unless it says otherwise.
  virtual Binding binding(const PrintedNode& n) const;
  virtual std::string number(double value) const;
  virtual std::string between(const PrintedNode& n, const PrintedNode& right) const;
  virtual std::string function_name(const PrintedNode& n) const;
  virtual std::string opening() const { return "("; }
  virtual std::string closing() const { return ")"; }
  // Whether a + (b + c) may be written without its parentheses.
  virtual bool flattens(const PrintedNode& n, const PrintedNode& right) const = 0;
  // Writes a form of the language's own; false: it has none for this.
  virtual bool special(const PrintedNode&) { return false; }
  // True if there is text enough: the rest is cut.
  virtual bool enough() const { return false; }

  void write(std::uint32_t id, Binding around);
  void list(const std::vector<std::uint32_t>& operands);
  // Values and conditions of a piecewise function in turn, then the value otherwise.
  std::vector<std::uint32_t> pieces(const PrintedNode& select) const;

  std::string out;
  int depth = 0;

 private:
  void bare(const PrintedNode& n, Binding own);
  void infix(const PrintedNode& n, Binding own);
};

}  // namespace stiffit::internal
