// SPDX-License-Identifier: Apache-2.0
#include "model/infix_printer.h"

#include <cmath>

#include "base/number.h"

namespace stiffit::internal {
namespace {

// (a op b) op c is what a op b op c means.
bool groups_to_the_left(Op op) {
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::logical_and:
    case Op::logical_or:
      return true;
    default:
      return false;
  }
}

// "a && b || c" is read in two ways, so parentheses say which.
bool mixes(Op left, Op op) {
  return (op == Op::logical_or && left == Op::logical_and) ||
         (op == Op::logical_and && left == Op::logical_or);
}

}  // namespace

std::string InfixPrinter::print(std::uint32_t root) {
  out.clear();
  depth = 0;
  write(root, Binding::loosest);
  return std::move(out);
}

Binding InfixPrinter::binding(const PrintedNode& n) const {
  switch (n.op) {
    case Op::number:  // -2^x is not (-2)^x
      return std::signbit(n.number) && !std::isnan(n.number) ? Binding::sign : Binding::tightest;
    case Op::logical_or:
      return Binding::disjunction;
    case Op::logical_and:
      return Binding::conjunction;
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::eq:
    case Op::ne:
      return Binding::comparison;
    case Op::add:
    case Op::sub:
      return Binding::sum;
    case Op::mul:
    case Op::div:
      return Binding::product;
    case Op::neg:
      return Binding::sign;
    case Op::pow:
      return Binding::power;
    default:
      return Binding::tightest;
  }
}

std::string InfixPrinter::number(double value) const { return format_number(value); }

std::string InfixPrinter::between(const PrintedNode& n, const PrintedNode&) const {
  std::string name(name_of(n.op));
  return binding(n) == Binding::product ? name : " " + name + " ";
}

std::string InfixPrinter::function_name(const PrintedNode& n) const {
  return n.op == Op::call ? n.name : std::string(name_of(n.op));
}

void InfixPrinter::write(std::uint32_t id, Binding around) {
  if (enough()) {
    if (!out.ends_with("...")) out += "...";
    return;
  }
  ++depth;
  PrintedNode n = node(id);
  const Binding own = binding(n);
  const bool parentheses = own < around;
  if (parentheses) out += opening();
  bare(n, own);
  if (parentheses) out += closing();
  --depth;
}

void InfixPrinter::bare(const PrintedNode& n, Binding own) {
  if (special(n)) return;
  switch (n.op) {
    case Op::number:
      out += number(n.number);
      return;
    case Op::symbol:
      out += n.name;
      return;
    case Op::neg:
      out += '-';
      return write(n.operands[0], own == Binding::sum ? Binding::product : Binding::power);
    case Op::pow:
      write(n.operands[0], Binding::tightest);
      out += '^';
      return write(n.operands[1], Binding::tightest);
    case Op::select:
      out += function_name(n);
      return list(pieces(n));
    default:
      break;
  }
  if (own < Binding::tightest) return infix(n, own);
  out += function_name(n);
  list(n.operands);
}

// A chain of operations of the same strength reads from the left. Its left end may be thousands of
// operations deep, so it is walked, not called.
void InfixPrinter::infix(const PrintedNode& n, Binding own) {
  std::vector<PrintedNode> chain{n};
  while (groups_to_the_left(chain.back().op)) {
    PrintedNode left = node(chain.back().operands[0]);
    if (binding(left) != own || !groups_to_the_left(left.op) || mixes(left.op, n.op)) break;
    chain.push_back(std::move(left));
  }
  const bool grouped = groups_to_the_left(n.op) && !mixes(node(chain.back().operands[0]).op, n.op);
  write(chain.back().operands[0], grouped ? own : tighter(own));
  for (std::size_t i = chain.size(); i-- > 0;) {
    if (enough()) return write(chain[i].operands[1], own);  // says that it is cut
    PrintedNode right = node(chain[i].operands[1]);
    out += between(chain[i], right);
    Binding around = tighter(own);
    // A right side that begins with a sign keeps its parentheses: a + (-b).
    if (binding(right) == Binding::sign && own != Binding::comparison) around = Binding::power;
    if (flattens(chain[i], right)) around = own;
    write(chain[i].operands[1], around);
  }
}

void InfixPrinter::list(const std::vector<std::uint32_t>& operands) {
  out += opening();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i) out += ", ";
    write(operands[i], Binding::loosest);
  }
  out += closing();
}

std::vector<std::uint32_t> InfixPrinter::pieces(const PrintedNode& select) const {
  std::vector<std::uint32_t> result;
  PrintedNode n = select;
  for (;;) {
    result.push_back(n.operands[0]);
    result.push_back(n.operands[1]);
    PrintedNode rest = node(n.operands[2]);
    if (rest.op != Op::select) break;
    n = std::move(rest);
  }
  result.push_back(n.operands[2]);
  return result;
}

}  // namespace stiffit::internal
