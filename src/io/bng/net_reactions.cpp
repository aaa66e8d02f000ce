// SPDX-License-Identifier: Apache-2.0
#include "io/bng/net_reactions.h"

#include <bit>
#include <charconv>
#include <unordered_map>

#include "base/interrupt.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

class ReactionReader {
 public:
  explicit ReactionReader(NetScope& scope)
      : scope_(scope),
        expressions_(scope.model().expressions),
        text_(scope.diagnostics().source().text()),
        species_(static_cast<std::int32_t>(scope.model().species.size())) {}

  void read(Span line) {
    NetWords words(text_, line);
    Span number = words.next(), left = words.next(), right = words.next(), rate = words.rest();
    if (rate.empty()) {
      scope_.diagnostics().error(line, "incomplete reaction",
                                 "expected: number reactants products rate");
      return;
    }
    Reaction reaction;
    reaction.id = std::to_string(++count_);
    reaction.id.insert(reaction.id.begin(), 'R');
    reaction.span = line;
    reactants_.clear();
    if (scope_.view(number).find_first_not_of("0123456789") != std::string_view::npos)
      scope_.diagnostics().error(number, "expected the number of the reaction");
    bool good = read_side(left, reaction.reactants, &reactants_);
    good = read_side(right, reaction.products, nullptr) && good;
    reaction.rate = read_rate(rate);
    if (!good || reaction.rate == no_expr) return;
    scope_.model().reactions.push_back(std::move(reaction));
  }

 private:
  // "1,1,4": species by number, repeats are stoichiometry; "0" is nothing.
  bool read_side(Span list, std::vector<SpeciesReference>& side,
                 std::vector<std::int32_t>* ordered) {
    if (scope_.view(list) == "0") return true;
    bool good = true;
    for (std::uint32_t at = list.begin; at <= list.end;) {
      std::uint32_t end = at;
      while (end < list.end && text_[end] != ',') ++end;
      std::int32_t number = read_net_index(scope_, {at, end}, species_, "species");
      if (number == 0) {
        good = false;
      } else {
        add(side, number - 1, {at, end});
        if (ordered) ordered->push_back(number - 1);
      }
      at = end + 1;
    }
    return good;
  }

  static void add(std::vector<SpeciesReference>& side, std::int32_t species, Span span) {
    for (SpeciesReference& reference : side)
      if (reference.species == species) {
        reference.stoichiometry += 1;
        return;
      }
    SpeciesReference reference;
    reference.species = species;
    reference.span = span;
    side.push_back(reference);
  }

  ExprId read_rate(Span rate) {
    Span word = rate;
    double factor = 1;
    if (std::uint32_t star = leading_factor(rate, factor)) word.begin = star;
    std::uint32_t end = word.begin;
    while (end < word.end && is_name_part(text_[end])) ++end;
    std::string_view name = scope_.view({word.begin, end});
    if (const NetName* known = scope_.find(name)) {
      if (end == word.end && known->function < 0)
        return times_reactants(scaled(factor, scope_.symbol(known->ref), known->ref), 0);
    } else {
      NetWords parameters(text_, {end, word.end});
      if (name == "Ele") return elementary(factor, parameters, rate);
      if (name == "Sat") return saturation(factor, parameters, rate);
      if (name == "MM") return michaelis_menten(factor, parameters, rate);
      if (name == "Hill") return hill(factor, parameters, rate);
      if (name == "Arrhenius" || name == "FunctionProduct")
        return refuse(rate, "rate law '" + std::string(name) + "' is not read");
    }
    NetExpression law = parse_net_expression(scope_, rate);
    return law.valid ? times_reactants(node_of(scope_, law), 0) : no_expr;
  }

  // Where the rate goes on after "NUMBER*"; 0 if it does not begin so.
  std::uint32_t leading_factor(Span rate, double& factor) const {
    const char* begin = text_.data() + rate.begin;
    auto [stop, code] = std::from_chars(begin, text_.data() + rate.end, factor);
    if (code != std::errc() || stop == begin || is_name_start(*begin) ||
        stop == text_.data() + rate.end || *stop != '*') {
      factor = 1;
      return 0;
    }
    return static_cast<std::uint32_t>(stop - text_.data()) + 1;
  }

  // factor*k, one node for all reactions that have the same.
  ExprId scaled(double factor, ExprId k, Ref ref) {
    if (factor == 1) return k;
    std::uint64_t key = std::bit_cast<std::uint64_t>(factor) * 0x9E3779B97F4A7C15u +
                        static_cast<std::uint64_t>(static_cast<std::uint32_t>(k));
    auto [it, is_new] = scaled_.try_emplace(key, Scaled{factor, ref, no_expr});
    if (!is_new && it->second.factor == factor && it->second.ref == ref) return it->second.node;
    ExprId node = scaled(factor, k);
    if (is_new) it->second.node = node;
    return node;
  }
  ExprId scaled(double factor, ExprId k) {
    return factor == 1 ? k : product(expressions_.number(factor), k);
  }

  ExprId product(ExprId a, ExprId b) { return expressions_.apply(Op::mul, a, b); }
  ExprId sum(ExprId a, ExprId b) { return expressions_.apply(Op::add, a, b); }
  ExprId reactant(std::size_t i) { return scope_.symbol({SymbolKind::species, reactants_[i]}); }
  ExprId times_reactants(ExprId rate, std::size_t first) {
    for (std::size_t i = first; i < reactants_.size(); ++i) rate = product(rate, reactant(i));
    return rate;
  }

  ExprId refuse(Span span, std::string message) {
    scope_.diagnostics().error(span, std::move(message));
    return no_expr;
  }

  // The parameters of a keyword law; false after a report.
  bool law_parameters(NetWords& words, std::vector<ExprId>& parameters) {
    for (Span word = words.next(); !word.empty(); word = words.next()) {
      NetExpression parameter = parse_net_expression(scope_, word);
      if (!parameter.valid) return false;
      parameters.push_back(node_of(scope_, parameter));
    }
    return true;
  }

  ExprId elementary(double factor, NetWords& words, Span rate) {
    std::vector<ExprId> p;
    if (!law_parameters(words, p)) return no_expr;
    if (p.size() != 1) return refuse(rate, "'Ele' needs one rate constant");
    return times_reactants(scaled(factor, p[0]), 0);
  }

  ExprId saturation(double factor, NetWords& words, Span rate) {
    std::vector<ExprId> p;
    if (!law_parameters(words, p)) return no_expr;
    if (p.empty()) return refuse(rate, "'Sat' needs a rate constant");
    std::size_t saturated = p.size() - 1;
    if (saturated > reactants_.size())
      return refuse(rate, "'Sat' has more saturation constants than the reaction has reactants");
    if (saturated == 0) return scaled(factor, p[0]);
    ExprId top = times_reactants(scaled(factor, p[0]), 0);
    ExprId bottom = sum(p[1], reactant(0));
    for (std::size_t i = 1; i < saturated; ++i)
      bottom = product(bottom, sum(p[i + 1], reactant(i)));
    return expressions_.apply(Op::div, top, bottom);
  }

  ExprId hill(double factor, NetWords& words, Span rate) {
    std::vector<ExprId> p;
    if (!law_parameters(words, p)) return no_expr;
    if (p.size() != 3) return refuse(rate, "'Hill' needs three parameters: k K n");
    if (reactants_.empty()) return refuse(rate, "'Hill' needs a reactant");
    ExprId x = expressions_.apply(Op::pow, reactant(0), p[2]);
    ExprId bottom = sum(expressions_.apply(Op::pow, p[1], p[2]), x);
    ExprId top = times_reactants(product(scaled(factor, p[0]), x), 1);
    return expressions_.apply(Op::div, top, bottom);
  }

  ExprId michaelis_menten(double factor, NetWords& words, Span rate) {
    std::vector<ExprId> p;
    if (!law_parameters(words, p)) return no_expr;
    if (p.size() != 2) return refuse(rate, "'MM' needs two parameters: kcat Km");
    if (reactants_.size() < 2)
      return refuse(rate, "'MM' needs two reactants: the substrate and the enzyme");
    ExprId substrate = reactant(0), km = p[1], enzyme = reactant(1);
    for (std::size_t i = 2; i < reactants_.size(); ++i) enzyme = sum(enzyme, reactant(i));
    ExprId b = expressions_.apply(Op::sub, expressions_.apply(Op::sub, substrate, km), enzyme);
    ExprId four = product(expressions_.number(4), product(substrate, km));
    ExprId root = expressions_.apply(Op::sqrt, sum(product(b, b), four));
    ExprId free = product(expressions_.number(0.5), sum(b, root));
    ExprId top = product(product(scaled(factor, p[0]), enzyme), free);
    return expressions_.apply(Op::div, top, sum(km, free));
  }

  struct Scaled {
    double factor;
    Ref ref;
    ExprId node;
  };

  NetScope& scope_;
  Expressions& expressions_;
  std::string_view text_;
  std::int32_t species_;
  int count_ = 0;
  std::vector<std::int32_t> reactants_;  // of the line, repeated ones repeated
  std::unordered_map<std::uint64_t, Scaled> scaled_;
};

}  // namespace

void read_net_reactions(NetScope& scope, const std::vector<Span>& lines) {
  scope.model().reactions.reserve(lines.size());
  ReactionReader reader(scope);
  InterruptCheck check;
  for (Span line : lines) {
    check();
    if (scope.diagnostics().full()) return;
    reader.read(line);
  }
}

std::int32_t read_net_index(NetScope& scope, Span word, std::int32_t largest,
                            std::string_view what) {
  std::string_view text = scope.view(word);
  std::int32_t index = 0;
  auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (!text.empty() && code == std::errc() && stop == text.data() + text.size() && index >= 1 &&
      index <= largest)
    return index;
  bool whole = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  Span shown = word.empty() ? Span{word.begin, word.begin + 1} : word;
  if (whole)
    scope.diagnostics().error(shown, "there is no " + std::string(what) + " " + std::string(text),
                              "the file has " + std::to_string(largest));
  else
    scope.diagnostics().error(shown, "expected the number of a " + std::string(what) + ", found '" +
                                         std::string(text) + "'");
  return 0;
}

}  // namespace stiffit::internal
