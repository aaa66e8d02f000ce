// SPDX-License-Identifier: Apache-2.0
#include "io/bng/read_bng.h"

#include <algorithm>

#include "base/interrupt.h"
#include "base/number.h"
#include "io/bng/net_blocks.h"
#include "io/bng/net_expression.h"
#include "io/bng/net_reactions.h"

namespace stiffit::internal {
namespace {

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class NetReader {
 public:
  NetReader(const std::shared_ptr<const Source>& source, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), text_(source->text()), scope_(model_, diagnostics) {
    model_.source = source;
    std::string_view name = source->name();
    if (std::size_t slash = name.find_last_of("/\\"); slash != std::string_view::npos)
      name.remove_prefix(slash + 1);
    model_.id = name.substr(0, name.rfind('.'));
    model_.title = "BioNetGen network " + model_.id;
  }

  // Names first, as functions may use the groups that follow them.
  std::optional<Model> read() {
    NetBlocks blocks = split_net_blocks(*model_.source, diagnostics_);
    if (blocks.species.empty())
      diagnostics_.error({}, "no species",
                         "a BioNetGen network has a block 'begin species ... end species'");
    declare_parameters(blocks.parameters);
    declare_functions(blocks.functions);
    declare_groups(blocks.groups);
    read_parameters();
    read_functions();
    read_species(blocks.species);
    read_net_reactions(scope_, blocks.reactions);
    read_groups();
    scope_.check_calls();
    check_circles();
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(model_);
  }

 private:
  struct Declared {
    std::int32_t index;  // of the parameter, function or observable
    Span definition;
  };

  // The words of a line after its number, which may be missing.
  NetWords after_number(Span line) const {
    NetWords words(text_, line);
    NetWords rest = words;
    Span first = rest.next();
    if (is_whole_number(rest.view(first)) && !rest.rest().empty()) return rest;
    return words;
  }

  // The identifier a word begins with; reports when there is none.
  Span identifier(Span word) {
    std::uint32_t end = word.begin;
    if (end < word.end && is_name_start(text_[end]))
      while (end < word.end && is_name_part(text_[end])) ++end;
    if (end == word.begin)
      diagnostics_.error(word, "expected a name, found " + scope_.quoted(word));
    return {word.begin, end};
  }

  std::int32_t add_parameter(Span name, bool constant) {
    Parameter parameter;
    parameter.id = scope_.view(name);
    parameter.constant = constant;
    parameter.span = name;
    model_.parameters.push_back(std::move(parameter));
    return static_cast<std::int32_t>(model_.parameters.size() - 1);
  }

  void declare_parameters(const std::vector<Span>& lines) {
    for (Span line : lines) {
      NetWords words = after_number(line);
      Span all = words.rest();
      Span name = identifier(all);
      if (name.empty()) continue;
      NetWords value_words(text_, {name.end, all.end});
      Span value = value_words.rest();
      if (!value.empty() && text_[value.begin] == '=')
        value = NetWords(text_, {value.begin + 1, value.end}).rest();
      std::int32_t index = add_parameter(name, true);
      scope_.declare(name, {{SymbolKind::parameter, index}, -1, {}});
      if (value.empty())
        diagnostics_.error(name, "parameter " + scope_.quoted(name) + " has no value");
      else
        parameters_.push_back({index, value});
    }
  }

  // "f() expression", "f(x,y) expression", also with "=" between.
  void declare_functions(const std::vector<Span>& lines) {
    for (Span line : lines) {
      Span all = after_number(line).rest();
      Span name = identifier(all);
      if (name.empty()) continue;
      NetWords words(text_, {name.end, all.end});
      Span rest = words.rest();
      std::size_t close = scope_.view(rest).find(')');
      if (rest.empty() || text_[rest.begin] != '(' || close == std::string_view::npos) {
        diagnostics_.error(name, "expected '" + std::string(scope_.view(name)) + "() expression'");
        continue;
      }
      Span inside{rest.begin + 1, rest.begin + static_cast<std::uint32_t>(close)};
      Span body = NetWords(text_, {inside.end + 1, rest.end}).rest();
      if (!body.empty() && text_[body.begin] == '=')
        body = NetWords(text_, {body.begin + 1, body.end}).rest();
      if (body.empty()) {
        diagnostics_.error(name, "function " + scope_.quoted(name) + " has no expression");
        continue;
      }
      declare_function(name, inside, body);
    }
  }

  void declare_function(Span name, Span inside, Span body) {
    Function function;
    function.id = scope_.view(name);
    function.span = name;
    std::string list(scope_.view(inside));
    std::replace(list.begin(), list.end(), ',', ' ');
    NetWords words(list, {0, static_cast<std::uint32_t>(list.size())});
    for (Span word = words.next(); !word.empty(); word = words.next())
      function.arguments.emplace_back(words.view(word));
    if (function.arguments.empty()) {
      std::int32_t index = add_parameter(name, false);
      scope_.declare(name, {{SymbolKind::parameter, index}, -1, {}});
      rules_.push_back({index, body});
    } else {
      auto index = static_cast<std::int32_t>(model_.functions.size());
      scope_.declare(name, {{}, index, {}});
      functions_.push_back({index, body});
      model_.functions.push_back(std::move(function));
    }
  }

  void declare_groups(const std::vector<Span>& lines) {
    for (Span line : lines) {
      NetWords words = after_number(line);
      Span name = words.next();
      if (identifier(name).end != name.end) {
        diagnostics_.error(name, "expected the name of a group");
        continue;
      }
      auto index = static_cast<std::int32_t>(model_.observables.size());
      model_.observables.push_back({std::string(scope_.view(name)), no_expr, name});
      // Old versions let a group share the name of a parameter.
      if (const NetName* known = scope_.find(scope_.view(name));
          known && known->ref.kind == SymbolKind::parameter)
        diagnostics_.warning(name, "group " + scope_.quoted(name) + " has the name of a parameter",
                             "expressions mean the parameter");
      else
        scope_.declare(name, {{SymbolKind::observable, index}, -1, {}});
      groups_.push_back({index, words.rest()});
    }
  }

  void read_parameters() {
    needs_.resize(model_.parameters.size() + model_.functions.size());
    for (const Declared& p : parameters_) {
      std::size_t i = p.index;
      NetExpression value = parse_net_expression(scope_, p.definition, {}, &needs_[i]);
      if (value.constant)
        model_.parameters[i].value = value.value;
      else if (value.valid)
        model_.initial_assignments.push_back(
            {{SymbolKind::parameter, p.index}, value.id, p.definition});
    }
  }

  void read_functions() {
    for (const Declared& f : functions_) {
      Function& function = model_.functions[f.index];
      auto& needs = needs_[model_.parameters.size() + static_cast<std::size_t>(f.index)];
      NetExpression body = parse_net_expression(scope_, f.definition, function.arguments, &needs);
      if (body.valid && !body.counts_inside) function.body = node_of(scope_, body);
    }
    for (const Declared& f : rules_) {
      auto& needs = needs_[f.index];
      NetExpression value = parse_net_expression(scope_, f.definition, {}, &needs);
      if (value.valid)
        model_.rules.push_back({RuleKind::assignment,
                                {SymbolKind::parameter, f.index},
                                node_of(scope_, value),
                                f.definition});
    }
  }

  void read_species(const std::vector<Span>& lines) {
    model_.species.reserve(lines.size());
    std::unordered_map<std::string_view, Span> seen;
    InterruptCheck check;
    for (Span line : lines) {
      check();
      NetWords words(text_, line);
      Span first = words.next();
      bool numbered = is_whole_number(scope_.view(first));
      Span name = numbered ? words.next() : first;
      Span value = words.rest();
      auto index = static_cast<std::int32_t>(model_.species.size());
      // Reactions speak of species by number, so a gap would shift them all.
      if (numbered && scope_.view(first) != std::to_string(index + 1))
        diagnostics_.error(first,
                           "species number " + std::string(scope_.view(first)) + " is out of order",
                           "expected " + std::to_string(index + 1));
      if (name.empty() || value.empty())
        diagnostics_.error(line, "incomplete species", "expected: number name initial-amount");
      else if (auto [it, is_new] = seen.emplace(scope_.view(name), name); !is_new)
        diagnostics_.error(name, "species " + scope_.quoted(name) + " is declared twice",
                           "first declared on line " +
                               std::to_string(diagnostics_.source().locate(it->second.begin).line));
      add_species(name, value, index);
      if (diagnostics_.full()) return;
    }
  }

  void add_species(Span name, Span value, std::int32_t index) {
    Species species;
    species.id = scope_.view(name);
    species.span = name;
    // $A() or, in a compartment, @c::$A()
    std::size_t dollar = species.id.find('$');
    if (dollar == 0 || (dollar != std::string::npos && species.id[0] == '@')) {
      species.id.erase(dollar, 1);
      species.boundary = species.constant = true;
    }
    if (!value.empty()) {
      if (auto number = parse_number(scope_.view(value))) {
        species.initial = *number;
      } else {
        NetExpression initial = parse_net_expression(scope_, value);
        if (initial.constant)
          species.initial = initial.value;
        else if (initial.valid)
          model_.initial_assignments.push_back({{SymbolKind::species, index}, initial.id, value});
      }
    }
    model_.species.push_back(std::move(species));
  }

  void read_groups() {
    for (const Declared& group : groups_) {
      if (diagnostics_.full()) return;
      std::vector<ExprId> terms;
      Span list = group.definition;
      for (std::uint32_t at = list.begin; at < list.end;) {
        std::uint32_t end = at;
        while (end < list.end && text_[end] != ',') ++end;
        if (ExprId term = group_term({at, end}); term != no_expr) terms.push_back(term);
        at = end + 1;
      }
      model_.observables[group.index].value = balanced_sum(terms);
    }
  }

  // "12" or "2*12"
  ExprId group_term(Span term) {
    NetWords words(text_, term);
    Span word = words.next();
    std::string_view view = scope_.view(word);
    double weight = 1;
    if (std::size_t star = view.find('*'); star != std::string_view::npos) {
      auto number = parse_number(view.substr(0, star));
      if (!number) {
        diagnostics_.error(word, "expected weight*species, found '" + std::string(view) + "'");
        return no_expr;
      }
      weight = *number;
      word.begin += static_cast<std::uint32_t>(star) + 1;
    }
    auto count = static_cast<std::int32_t>(model_.species.size());
    std::int32_t number = read_net_index(scope_, word, count, "species");
    if (number == 0) return no_expr;
    ExprId species = scope_.symbol({SymbolKind::species, number - 1});
    if (weight == 1) return species;
    return model_.expressions.apply(Op::mul, model_.expressions.number(weight), species);
  }

  // Pairs of pairs: a group of thousands stays shallow.
  ExprId balanced_sum(std::vector<ExprId> terms) {
    if (terms.empty()) return model_.expressions.number(0);
    while (terms.size() > 1) {
      std::size_t half = 0;
      for (std::size_t i = 0; i < terms.size(); i += 2)
        terms[half++] = i + 1 < terms.size()
                            ? model_.expressions.apply(Op::add, terms[i], terms[i + 1])
                            : terms[i];
      terms.resize(half);
    }
    return terms[0];
  }

  // Parameters and functions that need themselves: depth first, without recursion.
  void check_circles() {
    enum class Mark : char { fresh, open, done };
    std::vector<Mark> marks(needs_.size(), Mark::fresh);
    std::vector<std::pair<std::size_t, std::size_t>> path;  // node, next of its needs
    for (std::size_t root = 0; root < needs_.size(); ++root) {
      if (marks[root] != Mark::fresh) continue;
      path.push_back({root, 0});
      marks[root] = Mark::open;
      while (!path.empty()) {
        auto& [node, next] = path.back();
        if (next == needs_[node].size()) {
          marks[node] = Mark::done;
          path.pop_back();
          continue;
        }
        std::int32_t need = needs_[node][next++];
        std::size_t to = need >= 0 ? static_cast<std::size_t>(need)
                                   : model_.parameters.size() + static_cast<std::size_t>(-1 - need);
        if (marks[to] == Mark::open) {
          report_circle(to);
          marks[to] = Mark::done;
        } else if (marks[to] == Mark::fresh) {
          marks[to] = Mark::open;
          path.push_back({to, 0});
        }
      }
    }
  }

  void report_circle(std::size_t node) {
    std::size_t parameters = model_.parameters.size();
    const std::string& id =
        node < parameters ? model_.parameters[node].id : model_.functions[node - parameters].id;
    Span span =
        node < parameters ? model_.parameters[node].span : model_.functions[node - parameters].span;
    diagnostics_.error(span, "'" + id + "' depends on itself");
  }

  Diagnostics& diagnostics_;
  std::string_view text_;
  Model model_;
  NetScope scope_;
  std::vector<Declared> parameters_, rules_, functions_, groups_;
  // What each parameter, then each function with arguments, needs.
  std::vector<std::vector<std::int32_t>> needs_;
};

}  // namespace

std::optional<Model> read_bng(const std::shared_ptr<const Source>& source,
                              Diagnostics& diagnostics) {
  return NetReader(source, diagnostics).read();
}

}  // namespace stiffit::internal
