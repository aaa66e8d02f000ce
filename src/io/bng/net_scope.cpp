// SPDX-License-Identifier: Apache-2.0
#include "io/bng/net_expression.h"

namespace stiffit::internal {

void NetScope::declare(Span name, NetName meaning) {
  meaning.span = name;
  auto [it, is_new] = names_.emplace(view(name), meaning);
  if (!is_new)
    diagnostics_.error(
        name, quoted(name) + " is declared twice",
        "first declared on line " +
            std::to_string(diagnostics_.source().locate(it->second.span.begin).line));
}

const NetName* NetScope::find(std::string_view name) const {
  auto it = names_.find(name);
  return it == names_.end() ? nullptr : &it->second;
}

std::string NetScope::hint_for(std::string_view name) const {
  std::vector<std::string> candidates;
  candidates.reserve(names_.size());
  for (const auto& [known, meaning] : names_) candidates.emplace_back(known);
  std::string nearest = nearest_name(name, candidates);
  if (nearest.empty()) return {};
  int line = diagnostics_.source().locate(find(nearest)->span.begin).line;
  return "did you mean '" + nearest + "', declared on line " + std::to_string(line) + "?";
}

std::string NetScope::quoted(Span span) const {
  std::string text("'");
  text.append(view(span));
  text.push_back('\'');
  return text;
}

void NetScope::check_calls() {
  for (const Call& call : calls_)
    if (const Function& f = model_.functions[call.function]; f.body == no_expr)
      diagnostics_.error(call.span, "function '" + f.id + "' counts molecules inside one species",
                         "only BioNetGen itself can evaluate it");
}

ExprId NetScope::symbol(Ref ref) {
  if (ref.kind == SymbolKind::time) {
    if (time_node_ == no_expr) time_node_ = model_.expressions.symbol(ref);
    return time_node_;
  }
  std::vector<ExprId>& nodes = ref.kind == SymbolKind::species      ? species_nodes_
                               : ref.kind == SymbolKind::observable ? observable_nodes_
                                                                    : parameter_nodes_;
  std::size_t i = ref.index;
  if (nodes.size() <= i) nodes.resize(i + 1, no_expr);
  if (nodes[i] == no_expr) nodes[i] = model_.expressions.symbol(ref);
  return nodes[i];
}

}  // namespace stiffit::internal
