// SPDX-License-Identifier: Apache-2.0
#include "io/text/flatten_modules.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "io/text/builtin_functions.h"
#include "io/text/syntax/lexer.h"
#include "io/text/syntax/symbols.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t deepest_submodel = 50;
constexpr std::size_t most_submodels = 100000;
constexpr std::size_t most_statements = 2000000;

bool belongs_to_language(std::string_view name) {
  return name == "time" || constant_named(name).has_value();
}

std::size_t depth_of(std::string_view name) {
  return static_cast<std::size_t>(std::count(name.begin(), name.end(), '.'));
}

// All names that the statements of one model speak of.
template <class Visitor>
void for_each_name(const Syntax& syntax, const Statement& statement, Visitor visit) {
  auto word = [&](const Word& w) {
    if (!w.empty()) visit(w);
  };
  auto expression = [&](const Expression& e) {
    for (SyntaxId id = e.first; id <= e.root && id >= 0; ++id) {
      const SyntaxNode& node = syntax.nodes[id];
      if (node.kind == NodeKind::name) visit(Word{node.text, node.span});
    }
  };
  auto assignment = [&](const Assignment& a) {
    word(a.target);
    expression(a.value);
  };
  if (auto* d = std::get_if<Declaration>(&statement)) {
    word(d->name);
    word(d->compartment);
  } else if (auto* a = std::get_if<Assignment>(&statement)) {
    assignment(*a);
  } else if (auto* r = std::get_if<ReactionSyntax>(&statement)) {
    word(r->name);
    word(r->compartment);
    for (const auto* side : {&r->left, &r->right})
      for (const Participant& p : *side) {
        word(p.species);
        word(p.stoichiometry_name);
      }
    for (const Expression& e : r->law) expression(e);
  } else if (auto* e = std::get_if<EventSyntax>(&statement)) {
    word(e->name);
    for (const Expression* part : {&e->trigger, &e->delay, &e->priority}) expression(*part);
    for (const Assignment& each : e->assignments) assignment(each);
  } else if (auto* m = std::get_if<SubmodelSyntax>(&statement)) {
    word(m->compartment);
    for (const Expression& argument : m->arguments) expression(argument);
  } else if (auto* s = std::get_if<SameSyntax>(&statement)) {
    word(s->left);
    word(s->right);
  } else if (auto* x = std::get_if<DeletionSyntax>(&statement)) {
    word(x->name);
  }
}

class Flattener {
 public:
  Flattener(Syntax& syntax, Diagnostics& diagnostics) : syntax_(syntax), diagnostics_(diagnostics) {
    for (const ModelSyntax& model : syntax.models) models_.try_emplace(model.name.text, &model);
  }

  ModelSyntax flatten(const ModelSyntax& model) {
    expand(model, "", 0);
    check_parts();
    join_names();
    find_givers();
    ModelSyntax flat;
    flat.name = model.name;
    flat.title = model.title;
    flat.flattened = true;
    if (diagnostics_.full()) return flat;
    for (const Item& item : items_)
      if (auto statement = written(item)) flat.statements.push_back(std::move(*statement));
    for (auto& [prefix, compartment] : compartments_)
      flat.compartments.emplace_back(prefix, Word{canonical(compartment.text), compartment.span});
    return flat;
  }

 private:
  struct Item {
    const Statement* statement;
    std::string_view prefix;  // "A.B." or ""
    std::size_t depth;
    std::string_view given_name = {};  // of what has none, in a submodel
  };
  struct Same {
    std::string_view left, right;
    Span span;
  };
  // How far out the statements stand that give a name its value; none: far.
  struct Givers {
    static constexpr std::size_t far = ~std::size_t{0};
    std::size_t initial = far, rule = far, rate = far;
  };

  // The name as everyone calls it, kept for good.
  std::string_view full(std::string_view prefix, std::string_view name) {
    if (prefix.empty() || belongs_to_language(name)) return name;
    return keep(std::string(prefix).append(name));
  }
  std::string_view keep(std::string text) {
    auto found = kept_.find(text);
    if (found != kept_.end()) return *found;
    syntax_.made_names.push_back(std::move(text));
    return *kept_.insert(syntax_.made_names.back()).first;
  }

  void expand(const ModelSyntax& model, std::string_view prefix, std::size_t depth) {
    open_.push_back(&model);
    int unnamed = 0, reactions = 0, events = 0;
    // The parts first, so that what is said here comes after what it replaces.
    for (const Statement& statement : model.statements)
      if (auto* part = std::get_if<SubmodelSyntax>(&statement))
        add_submodel(*part, prefix, depth, unnamed);
    for (const Statement& statement : model.statements) {
      if (items_.size() >= most_statements || diagnostics_.full()) break;
      Item item{&statement, prefix, depth};
      for_each_name(syntax_, statement, [&](const Word& word) {
        if (word.text.find('.') == std::string_view::npos) known_.insert(full(prefix, word.text));
      });
      if (auto* reaction = std::get_if<ReactionSyntax>(&statement);
          reaction && depth > 0 && reaction->name.empty())
        item.given_name = full(prefix, keep("_J" + std::to_string(reactions++)));
      if (auto* event = std::get_if<EventSyntax>(&statement);
          event && depth > 0 && event->name.empty())
        item.given_name = full(prefix, keep("_E" + std::to_string(events++)));
      if (!item.given_name.empty()) known_.insert(item.given_name);
      if (auto* same = std::get_if<SameSyntax>(&statement))
        same_.push_back(
            {full(prefix, same->left.text), full(prefix, same->right.text), same->left.span});
      else if (auto* deletion = std::get_if<DeletionSyntax>(&statement))
        deletions_.emplace_back(full(prefix, deletion->name.text), Item{&statement, prefix, depth});
      else if (!std::holds_alternative<SubmodelSyntax>(statement))
        items_.push_back(item);
    }
    open_.pop_back();
  }

  void add_submodel(const SubmodelSyntax& part, std::string_view prefix, std::size_t depth,
                    int& unnamed) {
    auto found = models_.find(part.model.text);
    if (found == models_.end()) return unknown_model(part.model);
    const ModelSyntax& inner = *found->second;
    if (auto again = std::find(open_.begin(), open_.end(), &inner); again != open_.end()) {
      std::string circle;
      for (; again != open_.end(); ++again) circle.append((*again)->name.text).append(" -> ");
      diagnostics_.error(part.span, "model " + quoted(inner.name.text) + " contains itself",
                         circle.append(inner.name.text));
      return;
    }
    if (gave_up_) return;
    if (depth + 1 > deepest_submodel || ++submodels_ > most_submodels ||
        items_.size() >= most_statements) {
      diagnostics_.error(part.span, "too many submodels",
                         "at most " + std::to_string(deepest_submodel) + " levels and " +
                             std::to_string(most_submodels) + " submodels");
      gave_up_ = true;
      return;
    }
    std::string_view name = part.name.text;
    if (name.empty()) name = keep("_M" + std::to_string(unnamed++));
    std::string_view own = full(prefix, name);
    if (!instances_.try_emplace(own, &inner).second) {
      diagnostics_.error(part.name.span, "a second submodel " + quoted(name));
      return;
    }
    std::string_view inside = keep(std::string(own) + ".");
    if (!part.compartment.empty())
      compartments_.emplace_back(inside,
                                 Word{full(prefix, part.compartment.text), part.compartment.span});
    expand(inner, inside, depth + 1);
    if (part.arguments.size() > inner.exported.size()) {
      diagnostics_.error(part.arguments[inner.exported.size()].span,
                         "model " + quoted(inner.name.text) + " takes " +
                             std::to_string(inner.exported.size()) + " arguments, found " +
                             std::to_string(part.arguments.size()),
                         "it is defined on " + line_text(inner.name.span));
      return;
    }
    for (std::size_t i = 0; i < part.arguments.size(); ++i)
      add_argument(part.arguments[i], full(inside, inner.exported[i].text), prefix, depth);
  }

  // A name is one more name of the part; anything else is its value.
  void add_argument(const Expression& argument, std::string_view target, std::string_view prefix,
                    std::size_t depth) {
    const SyntaxNode& node = syntax_.nodes[argument.root];
    known_.insert(target);
    if (node.kind == NodeKind::name && node.order == 0 && argument.first == argument.root &&
        !belongs_to_language(node.text)) {
      same_.push_back({target, full(prefix, node.text), node.span});
      return;
    }
    Assignment value;
    value.target = {target.substr(prefix.size()), argument.span};
    value.value = argument;
    value.span = argument.span;
    made_statements_.push_back(value);
    items_.push_back({&made_statements_.back(), prefix, depth});
  }

  void unknown_model(const Word& name) {
    std::vector<std::string> names;
    for (const ModelSyntax& model : syntax_.models) names.emplace_back(model.name.text);
    std::string near = nearest_name(name.text, names);
    diagnostics_.error(name.span, "unknown model " + quoted(name.text),
                       near.empty() ? "" : "did you mean " + quoted(near) + "?");
  }

  // Every name with a dot must be a part of a submodel.
  void check_parts() {
    std::vector<Item> all = items_;
    for (auto& [name, item] : deletions_) all.push_back(item);
    for (const Item& item : all) {
      if (diagnostics_.full()) return;
      if (auto* a = std::get_if<Assignment>(item.statement); a && is_annotation(a->target.text))
        continue;
      for_each_name(syntax_, *item.statement, [&](const Word& w) { check_part(w, item.prefix); });
    }
    for (const Same& same : same_)
      for (std::string_view name : {same.left, same.right}) check_part({name, same.span}, "");
  }

  void check_part(const Word& word, std::string_view prefix) {
    std::size_t dot = word.text.rfind('.');
    if (dot == std::string_view::npos) return;
    std::string_view name = full(prefix, word.text);
    if (known_.contains(name) || !reported_.insert(name).second) return;
    if (instances_.contains(name)) return;  // a whole submodel, to be deleted
    std::string_view owner = name.substr(0, name.rfind('.'));
    if (!instances_.contains(owner)) {
      diagnostics_.error(word.span,
                         "there is no submodel " + quoted(word.text.substr(0, dot)) + " here");
      return;
    }
    std::vector<std::string> parts;
    for (std::string_view other : known_)
      if (other.starts_with(owner) && other.size() > owner.size() && other[owner.size()] == '.')
        parts.emplace_back(other.substr(owner.size() + 1));
    std::sort(parts.begin(), parts.end());
    std::string near = nearest_name(word.text.substr(dot + 1), parts);
    const Word& model = instances_.at(owner)->name;
    diagnostics_.error(word.span,
                       "submodel " + quoted(word.text.substr(0, dot)) + " has no " +
                           quoted(word.text.substr(dot + 1)),
                       near.empty()
                           ? "its model is " + quoted(model.text) + " on " + line_text(model.span)
                           : "did you mean " + quoted(near) + "?");
  }

  // The outermost of the names of one thing is the name it keeps; of equals the right one.
  void join_names() {
    for (const Same& same : same_) {
      std::string_view left = canonical(same.left), right = canonical(same.right);
      if (left == right) continue;
      if (depth_of(left) < depth_of(right)) std::swap(left, right);
      called_.insert_or_assign(left, right);
    }
  }

  std::string_view canonical(std::string_view name) const {
    for (auto found = called_.find(name); found != called_.end(); found = called_.find(name))
      name = found->second;
    return name;
  }
  std::string_view canonical(std::string_view prefix, std::string_view name) {
    return canonical(full(prefix, name));
  }

  std::size_t& giver(Givers& givers, AssignmentKind kind) {
    return kind == AssignmentKind::rule   ? givers.rule
           : kind == AssignmentKind::rate ? givers.rate
                                          : givers.initial;
  }

  void find_givers() {
    for (const Item& item : items_)
      if (auto* a = std::get_if<Assignment>(item.statement)) {
        if (a->kind == AssignmentKind::algebraic || deleted(item, a->target.text)) continue;
        std::size_t& depth = giver(givers_[canonical(item.prefix, a->target.text)], a->kind);
        depth = std::min(depth, item.depth);
      }
    for (auto& [name, item] : deletions_) {
      auto& deletion = std::get<DeletionSyntax>(*item.statement);
      if (deletion.whole) continue;
      std::size_t& depth = giver(givers_[canonical(name)], deletion.kind);
      depth = std::min(depth, item.depth);
    }
  }

  // By an outer model.
  bool deleted(const Item& item, std::string_view name) {
    if (deletions_.empty()) return false;
    std::string_view whole = name == item.given_name ? name : full(item.prefix, name);
    return std::any_of(deletions_.begin(), deletions_.end(), [&](const auto& deletion) {
      auto& [what, by] = deletion;
      if (!std::get<DeletionSyntax>(*by.statement).whole || by.depth >= item.depth) return false;
      return whole == what || (whole.starts_with(what) && whole[what.size()] == '.');
    });
  }

  // Of the statements that give a value, those of an outer model count.
  bool replaced(const Assignment& a, const Item& item) {
    const Givers& by = givers_[canonical(item.prefix, a.target.text)];
    switch (a.kind) {
      case AssignmentKind::initial:
        return (a.order == 0 && by.initial < item.depth) || by.rule < item.depth;
      case AssignmentKind::rule:
        return by.rule < item.depth || by.initial < item.depth || by.rate < item.depth;
      case AssignmentKind::rate:
        return by.rate < item.depth || by.rule < item.depth;
      default:
        return false;
    }
  }

  // The statement with the names of the whole model, or nothing if something outside replaces it.
  std::optional<Statement> written(const Item& item) {
    auto word = [&](Word& w) {
      if (!w.empty()) w.text = canonical(item.prefix, w.text);
    };
    if (auto* d = std::get_if<Declaration>(item.statement)) {
      if (deleted(item, d->name.text)) return std::nullopt;
      Declaration copy = *d;
      word(copy.name);
      word(copy.compartment);
      return copy;
    }
    if (auto* a = std::get_if<Assignment>(item.statement)) {
      if (is_annotation(a->target.text)) return item.depth == 0 ? std::optional(*a) : std::nullopt;
      if (deleted(item, a->target.text) || replaced(*a, item) || said_alike(*a, item))
        return std::nullopt;
      return written(*a, item);
    }
    if (auto* r = std::get_if<ReactionSyntax>(item.statement)) return written(*r, item);
    if (auto* e = std::get_if<EventSyntax>(item.statement)) {
      if (deleted(item, e->name.empty() ? item.given_name : e->name.text)) return std::nullopt;
      EventSyntax copy = *e;
      if (copy.name.empty())
        copy.name = {item.given_name, e->span};
      else
        word(copy.name);
      copy.trigger = written(copy.trigger, item.prefix);
      copy.delay = written(copy.delay, item.prefix);
      copy.priority = written(copy.priority, item.prefix);
      std::erase_if(copy.assignments,
                    [&](const Assignment& a) { return deleted(item, a.target.text); });
      for (Assignment& a : copy.assignments) a = written(a, item);
      return copy;
    }
    if (auto* directive = std::get_if<Directive>(item.statement)) {
      if (item.depth == 0) return *directive;
      constexpr std::string_view fast = "fast ";
      if (!directive->text.text.starts_with(fast)) return std::nullopt;
      std::string_view reaction = directive->text.text.substr(fast.size());
      std::string text(fast);
      return Directive{{keep(text.append(canonical(item.prefix, reaction))), directive->text.span}};
    }
    return *item.statement;
  }

  Assignment written(const Assignment& a, const Item& item) {
    Assignment copy = a;
    if (!copy.target.empty()) copy.target.text = canonical(item.prefix, copy.target.text);
    copy.value = written(copy.value, item.prefix);
    return copy;
  }

  std::optional<Statement> written(const ReactionSyntax& r, const Item& item) {
    if (deleted(item, r.name.empty() ? item.given_name : r.name.text)) return std::nullopt;
    for (const auto* side : {&r.left, &r.right})
      for (const Participant& p : *side)
        if (deleted(item, p.species.text)) return std::nullopt;
    ReactionSyntax copy = r;
    auto word = [&](Word& w) {
      if (!w.empty()) w.text = canonical(item.prefix, w.text);
    };
    word(copy.name);
    word(copy.compartment);
    if (r.name.empty()) copy.name = {item.given_name, r.span};
    for (auto* side : {&copy.left, &copy.right})
      for (Participant& p : *side) {
        word(p.species);
        word(p.stoichiometry_name);
      }
    // A rate given from outside: A.J1 = ...
    if (!copy.name.empty() && givers_[copy.name.text].initial < item.depth) copy.law.clear();
    for (Expression& e : copy.law) e = written(e, item.prefix);
    return copy;
  }

  // Parts that are one thing and have the same value, word for word: once is enough.
  bool said_alike(const Assignment& a, const Item& item) {
    if (a.kind != AssignmentKind::initial || a.order > 0 || same_.empty()) return false;
    std::string_view text = diagnostics_.source().text();
    std::string_view value = text.substr(a.value.span.begin, a.value.span.end - a.value.span.begin);
    std::string_view name = full(item.prefix, a.target.text);
    auto [place, is_new] = values_.try_emplace(canonical(name), name, value);
    auto [giver, before] = std::exchange(place->second, std::pair(name, value));
    return !is_new && giver != name && before == value;
  }

  Expression written(const Expression& from, std::string_view prefix) {
    if (from.empty()) return from;
    Expression copy = from;
    copy.first = static_cast<SyntaxId>(syntax_.nodes.size());
    const SyntaxId shift = copy.first - from.first;
    copy.root = from.root + shift;
    for (SyntaxId id = from.first; id <= from.root; ++id) {
      SyntaxNode node = syntax_.nodes[id];
      if (node.kind == NodeKind::name) {
        node.text = canonical(prefix, node.text);
      } else if (node.kind == NodeKind::operation) {
        if (node.a >= 0) node.a += shift;
        if (node.b >= 0) node.b += shift;
      } else if (node.kind == NodeKind::call) {
        auto first = static_cast<SyntaxId>(syntax_.arguments.size());
        for (SyntaxId i = 0; i < node.b; ++i)
          syntax_.arguments.push_back(syntax_.arguments[node.a + i] + shift);
        node.a = first;
      }
      syntax_.nodes.push_back(node);
    }
    return copy;
  }

  std::string line_text(Span span) const { return diagnostics_.source().line_text(span.begin); }

  Syntax& syntax_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string_view, const ModelSyntax*> models_;
  std::vector<const ModelSyntax*> open_;  // from the outermost to the one being expanded
  std::size_t submodels_ = 0;
  bool gave_up_ = false;
  std::vector<Item> items_;
  std::deque<Statement> made_statements_;
  std::vector<Same> same_;
  std::vector<std::pair<std::string_view, Item>> deletions_;
  std::vector<std::pair<std::string_view, Word>> compartments_;
  std::unordered_set<std::string_view> kept_, known_, reported_;
  std::unordered_map<std::string_view, const ModelSyntax*> instances_;
  std::unordered_map<std::string_view, std::string_view> called_;
  // Of each name: who gave the last value, and its text.
  std::unordered_map<std::string_view, std::pair<std::string_view, std::string_view>> values_;
  std::unordered_map<std::string_view, Givers> givers_;
};

}  // namespace

std::optional<ModelSyntax> flatten_modules(Syntax& syntax, const ModelSyntax& model,
                                           Diagnostics& diagnostics) {
  auto is_flat = [](const Statement& s) {
    return !std::holds_alternative<SubmodelSyntax>(s) && !std::holds_alternative<SameSyntax>(s) &&
           !std::holds_alternative<DeletionSyntax>(s);
  };
  if (std::all_of(model.statements.begin(), model.statements.end(), is_flat)) return std::nullopt;
  return Flattener(syntax, diagnostics).flatten(model);
}

}  // namespace stiffit::internal
