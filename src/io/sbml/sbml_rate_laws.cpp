// SBML Level 1 Version 2, Appendix C. Where Version 1 lists fewer arguments than its formula has
// symbols (hillmr, hillmmr, ucii, ucir, unir, ordbbr), the list of Version 2 is meant.
// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/sbml_rate_laws.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace stiffit::internal {
namespace {

struct RateLaw {
  const char *name, *arguments, *formula;
};

constexpr const char* usir = "usir";

constexpr RateLaw rate_laws[] = {
    {"uui", "S Vm Km", "Vm*S/(Km + S)"},
    {"uur", "S P Vf Vr KmS KmP", "(Vf*S/KmS - Vr*P/KmP)/(1 + S/KmS + P/KmP)"},
    {"uuhr", "S P Vf Km1 Km2 Keq", "Vf/Km1*(S - P/Keq)/(1 + S/Km1 + P/Km2)"},
    {"isouur", "S P Vf KmS KmP Kii Keq", "Vf*(S - P/Keq)/(S*(1 + P/Kii) + KmS*(1 + P/KmP))"},
    {"hilli", "S V S05 h", "V*S^h/(S05^h + S^h)"},
    // (S/S05)*(1 - P/(S*Keq)) without the division by S, which may be zero.
    {"hillr", "S P Vf S05 P05 h Keq",
     "Vf*(S - P/Keq)/S05*(S/S05 + P/P05)^(h - 1)/(1 + (S/S05 + P/P05)^h)"},
    {"hillmr", "S P M S05 P05 M05 Vf Keq h alpha",
     "Vf*(S - P/Keq)/S05*(S/S05 + P/P05)^(h - 1)/"
     "((S/S05 + P/P05)^h + (1 + (M/M05)^h)/(1 + alpha*(M/M05)^h))"},
    {"hillmmr", "S P M S05 P05 M05 Ma Ma05 Mb Mb05 Vf Keq h a b alpha1 alpha2 alpha12",
     "Vf*(S - P/Keq)/S05*(S/S05 + P/P05)^(h - 1)/"
     "((S/S05 + P/P05)^h + (1 + (Ma/Ma05)^h + (Mb/Mb05)^h)/"
     "(1 + alpha1*(Ma/Ma05)^h + alpha2*(Mb/Mb05)^h + "
     "alpha1*alpha2*alpha12*(Ma/Ma05)^h*(Mb/Mb05)^h))"},
    {"usii", "S V Km Ki", "V*(S/Km)/(1 + S/Km + S^2/Ki)"},
    {usir, "S P Vf Vr KmS KmP Ki", "(Vf*S/KmS + Vr*P/KmP)/(1 + S/KmS + P/KmP + S^2/Ki)"},
    {"uai", "S V Ksa Ksc", "V*(S/Ksa)^2/(1 + S/Ksc + (S/Ksa)^2 + S/Ksa)"},
    {"ucii", "S I V Km Ki", "V*S/Km/(1 + S/Km + I/Ki)"},
    {"ucir", "S P I Vf Vr KmS KmP Ki", "(Vf*S/KmS - Vr*P/KmP)/(1 + S/KmS + P/KmP + I/Ki)"},
    {"unii", "S I V Km Ki", "V*S/Km/(1 + I/Ki + S/Km*(1 + I/Ki))"},
    {"unir", "S P I Vf Vr KmS KmP Ki",
     "(Vf*S/KmS - Vr*P/KmP)/(1 + I/Ki + (S/KmS + P/KmP)*(1 + I/Ki))"},
    {"uuci", "S I V Km Ki", "V*S/Km/(1 + S/Km*(1 + I/Ki))"},
    {"uucr", "S P I Vf Vr KmS KmP Ki", "(Vf*S/KmS - Vr*P/KmP)/(1 + (S/KmS + P/KmP)*(1 + I/Ki))"},
    {"umi", "S I V Km Kis Kic", "V*S/Km/(1 + I/Kis + S/Km*(1 + I/Kic))"},
    {"umr", "S P I Vf Vr KmS KmP Kis Kic",
     "(Vf*S/KmS - Vr*P/KmP)/(1 + I/Kis + (S/KmS + P/KmP)*(1 + I/Kic))"},
    {"uaii", "S Ac V Km Ka", "V*S/Km/(1 + S/Km + Ka/Ac)"},
    {"uai", "S Ac V Km Ka", "V*S/Km/(1 + S/Km + Ka/Ac)"},  // uaii in Version 1
    {"uar", "S P Ac Vf Vr KmS KmP Ka", "(Vf*S/KmS - Vr*P/KmP)/(1 + S/KmS + P/KmP + Ka/Ac)"},
    {"ucti", "S Ac V Km Ka", "V*S/Km/(1 + Ka/Ac + S/Km*(1 + Ka/Ac))"},
    {"uctr", "S P Ac Vf Vr KmS KmP Ka",
     "(Vf*S/KmS - Vr*P/KmP)/(1 + Ka/Ac + (S/KmS + P/KmP)*(1 + Ka/Ac))"},
    {"umai", "S Ac V Km Kas Kac", "V*S/Km/(1 + Kas/Ac + S/Km*(1 + Kac/Ac))"},
    {"umar", "S P Ac Vf Vr KmS KmP Kas Kac",
     "(Vf*S/KmS - Vr*P/KmP)/(1 + Kas/Ac + (S/KmS + P/KmP)*(1 + Kac/Ac))"},
    {"uhmi", "S M V Km Kd a b", "V*S/Km*(1 + b*M/(a*Kd))/(1 + M/Kd + S/Km*(1 + M/(a*Kd)))"},
    {"uhmr", "S P M Vf Vr KmS KmP Kd a b",
     "(Vf*S/KmS - Vr*P/KmP)*(1 + b*M/(a*Kd))/(1 + M/Kd + (S/KmS + P/KmP)*(1 + M/(a*Kd)))"},
    {"ualii", "S I V Ks Kii n L", "V*(S/Ks)*(1 + S/Ks)^(n - 1)/(L*(1 + I/Kii)^n + (1 + S/Ks)^n)"},
    {"ordubr", "A P Q Vf Vr KmA KmQ KmP KiP Keq",
     "Vf*(A - P*Q/Keq)/(KmA + A*(1 + P/KiP) + Vf/(Vr*Keq)*(KmQ*P + KmP*Q + P*Q))"},
    {"ordbur", "A B P Vf Vr KmA KmB KmP KiA Keq",
     "Vf*(A*B - P/Keq)/(A*B + KmA*B + KmB*A + Vf/(Vr*Keq)*(KmP + P*(1 + A/KiA)))"},
    {"ordbbr", "A B P Q Vf Vr KmA KmB KmP KmQ KiA KiB KiP Keq",
     "Vf*(A*B - P*Q/Keq)/(A*B*(1 + P/KiP) + KmB*(A + KiA) + KmA*B + "
     "Vf/(Vr*Keq)*(KmQ*P*(1 + A/KiA) + Q*KmP*(1 + KmA*B/(KiA*KmB) + P*(1 + B/KiB))))"},
    {"ppbr", "A B P Q Vf Vr KmA KmB KmP KmQ KiA KiQ Keq",
     "Vf*(A*B - P*Q/Keq)/(A*B + KmB*A + KmA*B*(1 + Q/KiQ) + "
     "Vf/(Vr*Keq)*(KmQ*P*(1 + A/KiA) + Q*(KmP + P)))"},
};

using Tree = std::unique_ptr<ASTNode>;

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

Tree copy(const ASTNode& node) { return Tree(node.deepCopy()); }

// Every name of `formal` in the body becomes the argument of that place.
Tree substitute(Tree body, const std::vector<std::string>& formal, const ASTNode& call) {
  if (body->getType() == AST_NAME) {
    auto found = std::find(formal.begin(), formal.end(), body->getName());
    return copy(*call.getChild(static_cast<unsigned>(found - formal.begin())));
  }
  for (unsigned i = 0; i < body->getNumChildren(); ++i)
    body->replaceChild(i, substitute(copy(*body->getChild(i)), formal, call).release(), true);
  return body;
}

Tree product(const ASTNode& constant, const ASTNode& call, unsigned first, unsigned last) {
  Tree result = copy(constant);
  for (unsigned i = first; i < last; ++i) {
    auto times = std::make_unique<ASTNode>(AST_TIMES);
    times->addChild(result.release());
    times->addChild(copy(*call.getChild(i)).release());
    result = std::move(times);
  }
  return result;
}

// massr(S..., P..., k1, k2): the substrates are those at its head that the reaction uses up. Null
// if what comes after them cannot be told apart.
Tree reversible_mass_action(const ASTNode& call, const ::Reaction* reaction) {
  const unsigned count = call.getNumChildren();
  if (count < 3) return nullptr;
  const unsigned species = count - 2;
  unsigned substrates = species == 2 ? 1 : 0;
  auto takes_part = [&](unsigned i, bool reactant) {
    const ASTNode& argument = *call.getChild(i);
    if (!reaction || argument.getType() != AST_NAME) return false;
    return reactant ? reaction->getReactant(argument.getName()) != nullptr
                    : reaction->getProduct(argument.getName()) != nullptr;
  };
  if (reaction) {
    unsigned head = 0;
    while (head < species && takes_part(head, true)) ++head;
    bool rest_are_products = true;
    for (unsigned i = head; i < species; ++i) rest_are_products &= takes_part(i, false);
    if (rest_are_products) substrates = head;
    if (!rest_are_products && species != 2) return nullptr;
  } else if (species != 2) {
    return nullptr;
  }
  auto minus = std::make_unique<ASTNode>(AST_MINUS);
  minus->addChild(product(*call.getChild(species), call, 0, substrates).release());
  minus->addChild(product(*call.getChild(species + 1), call, substrates, species).release());
  return minus;
}

// What the call stands for, its arguments being expanded already; null if it is no rate law.
Tree written_out(const ASTNode& call, const ::Reaction* reaction, Span span,
                 Diagnostics& diagnostics) {
  if (call.getType() != AST_FUNCTION || !call.getName()) return nullptr;
  const unsigned count = call.getNumChildren();
  const std::string name = call.getName();
  if ((name == "mass" || name == "massi") && count > 0)
    return product(*call.getChild(count - 1), call, 0, count - 1);
  if (name == "massr") {
    Tree both = reversible_mass_action(call, reaction);
    if (!both)
      diagnostics.error(span, "the arguments of 'massr' cannot be told apart",
                        "it takes the reactants, the products and two constants");
    return both;
  }
  std::string expected;
  for (const RateLaw& law : rate_laws) {
    if (name != law.name) continue;
    const std::vector<std::string> formal = words(law.arguments);
    if (formal.size() != count) {
      expected += (expected.empty() ? "it takes " : ", or ") + std::string(law.arguments);
      continue;
    }
    if (name == usir)
      diagnostics.warning(span, "'usir' adds the rate of the way back, as the standard has it",
                          "write the formula out if it should be subtracted");
    return substitute(Tree(SBML_parseFormula(law.formula)), formal, call);
  }
  if (!expected.empty())
    diagnostics.error(
        span, "function '" + name + "' is called with " + std::to_string(count) + " arguments",
        expected);
  return nullptr;
}

void expand_children(ASTNode& node, const ::Reaction* reaction, Span span,
                     Diagnostics& diagnostics) {
  for (unsigned i = 0; i < node.getNumChildren(); ++i) {
    ASTNode& child = *node.getChild(i);
    expand_children(child, reaction, span, diagnostics);
    if (Tree law = written_out(child, reaction, span, diagnostics))
      node.replaceChild(i, law.release(), true);
  }
}

}  // namespace

Tree expand_rate_laws(const ASTNode& formula, const ::Reaction* reaction, Span span,
                      Diagnostics& diagnostics) {
  Tree result = copy(formula);
  expand_children(*result, reaction, span, diagnostics);
  if (Tree law = written_out(*result, reaction, span, diagnostics)) return law;
  return result;
}

}  // namespace stiffit::internal
