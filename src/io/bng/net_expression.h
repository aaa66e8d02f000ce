// Expressions of BioNetGen network files (the language of muParser with BioNetGen's own names) and
// the names they may use. Symbols are made once per thing and shared by everything that names it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "model/model.h"

namespace stiffit::internal {

// What a name of the file stands for.
struct NetName {
  Ref ref;                     // a parameter, a function without arguments, or a group
  std::int32_t function = -1;  // a function with arguments
  Span span;
};

// The names of the file and the expressions read so far.
class NetScope {
 public:
  NetScope(Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

  // Reports a name that is there already, with both places.
  void declare(Span name, NetName meaning);
  const NetName* find(std::string_view name) const;
  std::string hint_for(std::string_view name) const;

  // Calls of functions with arguments, to be checked when all bodies are known.
  void note_call(std::int32_t function, Span span) { calls_.push_back({function, span}); }
  void check_calls();

  // The one node of a symbol.
  ExprId symbol(Ref ref);

  Model& model() { return model_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  std::string_view view(Span span) const {
    return diagnostics_.source().text().substr(span.begin, span.end - span.begin);
  }
  // 'text', for messages
  std::string quoted(Span span) const;

 private:
  Model& model_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string_view, NetName> names_;
  std::vector<ExprId> parameter_nodes_, species_nodes_, observable_nodes_;
  ExprId time_node_ = no_expr;
  struct Call {
    std::int32_t function;
    Span span;
  };
  std::vector<Call> calls_;
};

struct NetExpression {
  bool valid = false;          // false: an error was reported
  bool constant = false;       // names nothing: `value` is its value, no node was made
  double value = 0;            //
  ExprId id = no_expr;         // unless constant
  bool counts_inside = false;  // calls a group with an argument: only BioNetGen can evaluate it
};

// Reads `text` as an expression. `arguments` are those of the function whose body it is;
// `uses` collects what it needs: parameters by index, functions with arguments as -1 - index.
NetExpression parse_net_expression(NetScope& scope, Span text,
                                   const std::vector<std::string>& arguments = {},
                                   std::vector<std::int32_t>* uses = nullptr);

// The node of an expression, a new number if it is constant.
ExprId node_of(NetScope& scope, const NetExpression& expression);

bool is_name_start(char c);
bool is_name_part(char c);

}  // namespace stiffit::internal
